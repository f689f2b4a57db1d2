import type { Address } from "@edp/domain/shared/Address"
import { Coordinates } from "@edp/domain/shared/Coordinates"
import { Effect, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { askGeocoder } from "./askGeocoder.ts"
import type { GeocodedLocation } from "./GeocodedLocation.ts"
import { checkPostalCode, invalid } from "./postalCodeCheck.ts"
import { isUnitedStates } from "./unitedStates.ts"

/** The part of an answer of /search in the format jsonv2 that is used; coordinates are text there. */
const Places = Schema.Array(
  Schema.Struct({
    lat: Schema.NumberFromString.pipe(Schema.decodeTo(Coordinates.fields.latitude)),
    lon: Schema.NumberFromString.pipe(Schema.decodeTo(Coordinates.fields.longitude)),
    address: Schema.optionalKey(Schema.Struct({ county: Schema.optionalKey(Schema.String) }))
  })
)

/** A structured search. The second street line is left out: a door's number is on no map. */
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

/** Geocodes with a server that speaks the API of Nominatim. */
export const geocodeWithNominatim = (client: HttpClient.HttpClient, baseUrl: string) => {
  const ask = askGeocoder(client, "nominatim")
  return Effect.fn("Geocoder.nominatim")(function* (address: Address) {
    const request = isUnitedStates(address.country)
      ? search(baseUrl, address, (yield* checkPostalCode(address)).fiveDigits, "USA")
      : search(baseUrl, address, address.postalCode, address.country!)
    const [place] = yield* ask(request, Places)
    if (place === undefined) return yield* invalid("The address was not found")
    return {
      location: { latitude: place.lat, longitude: place.lon },
      county: place.address?.county ?? null
    } satisfies GeocodedLocation
  })
}
