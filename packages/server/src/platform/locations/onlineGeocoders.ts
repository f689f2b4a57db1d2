import { LocationServiceError } from "@edp/domain/errors/ApiErrors"
import { type Address, Coordinates } from "@edp/domain/shared/Address"
import { ByteSize, Effect, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { askJson, failureKind } from "../http/askJson.ts"
import { checkPostalCode, invalid, isUnitedStates } from "./unitedStates.ts"

/** The coordinates of an address, null where the geocoder does not know. */
export interface GeocodedLocation {
  readonly location: Coordinates | null
  readonly county: string | null
}

export const nowhere: GeocodedLocation = { location: null, county: null }

/** Responses of geocoders are a few KiB. */
const limits = { responseLimit: ByteSize.kibibytes(256), timeLimit: "5 seconds" } as const

/** Sends a request to a geocoding service and decodes its JSON. Every failure is a LocationServiceError. */
const askGeocoder =
  (client: HttpClient.HttpClient, service: string) =>
  <A>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Codec<A, unknown>) =>
    askJson(client, request, schema, { ...limits, name: "askGeocoder", service }).pipe(
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logWarning("The geocoder failed", { service, reason: failureKind(error) }),
          Effect.fail(new LocationServiceError({}))
        )
      )
    )

/** The Census Bureau's public geocoder: no key, addresses of the USA only. */
export const CENSUS_GEOCODER = "https://geocoding.geo.census.gov/geocoder"

/** The used part of a response of geographies/onelineaddress: x is the longitude, y the latitude. */
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

/** Geocodes with the Census Bureau's geocoder. Addresses outside the USA are unknown to it. */
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

/** The used part of a response of /search in the format jsonv2, where coordinates are text. */
const NominatimResults = Schema.Array(
  Schema.Struct({
    lat: Schema.NumberFromString.pipe(Schema.decodeTo(Coordinates.fields.latitude)),
    lon: Schema.NumberFromString.pipe(Schema.decodeTo(Coordinates.fields.longitude)),
    address: Schema.optionalKey(Schema.Struct({ county: Schema.optionalKey(Schema.String) }))
  })
)

/** A structured search. The second street line is left out: maps have no doors. */
const search = (baseUrl: string, address: Address, postalCode: string, country: string) =>
  HttpClientRequest.get(`${baseUrl.replace(/\/+$/, "")}/search`).pipe(
    HttpClientRequest.setUrlParams({
      format: "jsonv2",
      addressdetails: "1",
      limit: "1",
      street: address.streetOne,
      city: address.city,
      state: address.state,
      postalcode: postalCode,
      country
    }),
    // The usage policy of the public server asks each application to name itself.
    HttpClientRequest.setHeader("user-agent", "energy-device-platform/1.0"),
    HttpClientRequest.acceptJson
  )

/** Geocodes with a server that has Nominatim's API. */
export const geocodeWithNominatim = (client: HttpClient.HttpClient, baseUrl: string) => {
  const ask = askGeocoder(client, "nominatim")
  return Effect.fn("Geocoder.nominatim")(function* (address: Address) {
    const request = isUnitedStates(address.country)
      ? search(baseUrl, address, (yield* checkPostalCode(address)).fiveDigits, "USA")
      : search(baseUrl, address, address.postalCode, address.country!)
    const [found] = yield* ask(request, NominatimResults)
    if (found === undefined) return yield* invalid("The address was not found")
    return {
      location: { latitude: found.lat, longitude: found.lon },
      county: found.address?.county ?? null
    } satisfies GeocodedLocation
  })
}
