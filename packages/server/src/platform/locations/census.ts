import type { Address } from "@edp/domain/shared/Address"
import { Coordinates } from "@edp/domain/shared/Coordinates"
import { Effect, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { askGeocoder } from "./askGeocoder.ts"
import { type GeocodedLocation, nowhere } from "./GeocodedLocation.ts"
import { checkPostalCode, invalid } from "./postalCodeCheck.ts"
import { isUnitedStates } from "./unitedStates.ts"

/** The Census Bureau's public geocoder: no key, addresses of the USA only. */
export const CENSUS_GEOCODER = "https://geocoding.geo.census.gov/geocoder"

/** The part of an answer of geographies/onelineaddress that is used: x is the longitude, y the latitude. */
const Matches = Schema.Struct({
  result: Schema.Struct({
    addressMatches: Schema.Array(
      Schema.Struct({
        coordinates: Schema.Struct({ x: Coordinates.fields.longitude, y: Coordinates.fields.latitude }),
        geographies: Schema.optionalKey(
          Schema.Struct({ Counties: Schema.optionalKey(Schema.Array(Schema.Struct({ NAME: Schema.String }))) })
        )
      })
    )
  })
})

const match = (baseUrl: string, address: Address, fiveDigits: string, state: string) =>
  HttpClientRequest.get(`${baseUrl.replace(/\/+$/, "")}/geographies/onelineaddress`).pipe(
    HttpClientRequest.setUrlParams({
      address: `${address.streetOne}, ${address.city}, ${state} ${fiveDigits}`,
      benchmark: "Public_AR_Current",
      vintage: "Current_Current",
      layers: "Counties",
      format: "json"
    }),
    HttpClientRequest.acceptJson
  )

/** Geocodes with the Census Bureau's geocoder. It knows no other country, so elsewhere the place stays unknown. */
export const geocodeWithCensus = (client: HttpClient.HttpClient, baseUrl: string) => {
  const ask = askGeocoder(client, "census")
  return Effect.fn("Geocoder.census")(function* (address: Address) {
    if (!isUnitedStates(address.country)) return nowhere
    const { fiveDigits, state } = yield* checkPostalCode(address)
    const [found] = (yield* ask(match(baseUrl, address, fiveDigits, state), Matches)).result.addressMatches
    if (found === undefined) return yield* invalid("The address was not found")
    return {
      location: { latitude: found.coordinates.y, longitude: found.coordinates.x },
      county: found.geographies?.Counties?.[0]?.NAME ?? null
    } satisfies GeocodedLocation
  })
}
