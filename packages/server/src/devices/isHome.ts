import type { Coordinates } from "@edp/domain/shared/Coordinates"

const EARTH_RADIUS = 6_371_008.8
const HOME_RADIUS = 250

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Great-circle distance in m, by the haversine formula. */
export const distance = (from: Coordinates, to: Coordinates): number => {
  const latitude = Math.sin(radians(to.latitude - from.latitude) / 2)
  const longitude = Math.sin(radians(to.longitude - from.longitude) / 2)
  const chord = latitude ** 2 + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * longitude ** 2
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Whether a vehicle is within 250 m of its registered place; null when one of the two is unknown. */
export const isHome = (vehicle: Coordinates | null, home: Coordinates | null): boolean | null =>
  vehicle === null || home === null ? null : distance(vehicle, home) <= HOME_RADIUS
