import type { Coordinates } from "@edp/domain/shared/Address"

/** Mean radius of the earth in m: R1 of the Geodetic Reference System 1980 (Moritz, Journal of Geodesy 74, 2000). */
const EARTH_RADIUS = 6_371_008.8

/** In m. */
const HOME_RADIUS = 250

const radians = (degrees: number) => (degrees * Math.PI) / 180

/**
 * Great-circle distance in m, by the haversine formula (Sinnott, Sky & Telescope 68, 1984), which is exact for near places
 * where the law of cosines is not. On a sphere: up to 0.5 % off the ellipsoid, 1.3 m of 250 m.
 */
export const distance = (from: Coordinates, to: Coordinates): number => {
  const latitude = Math.sin(radians(to.latitude - from.latitude) / 2)
  const longitude = Math.sin(radians(to.longitude - from.longitude) / 2)
  const chord = latitude ** 2 + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * longitude ** 2
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Whether a vehicle is within 250 m of its registered place; null when one of the two is unknown. */
export const isHome = (vehicle: Coordinates | null, home: Coordinates | null): boolean | null =>
  vehicle === null || home === null ? null : distance(vehicle, home) <= HOME_RADIUS
