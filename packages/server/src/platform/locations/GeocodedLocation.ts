import type { Coordinates } from "@edp/domain/shared/Coordinates"

/** Where an address is. Null what the geocoder does not know. */
export interface GeocodedLocation {
  readonly location: Coordinates | null
  readonly county: string | null
}

export const nowhere: GeocodedLocation = { location: null, county: null }
