import type { InvalidLocation, LocationServiceError } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Context, Effect, Layer, Option } from "effect"
import { HttpClient } from "effect/http"
import { CENSUS_GEOCODER, geocodeWithCensus } from "./census.ts"
import { type GeocodedLocation, nowhere } from "./GeocodedLocation.ts"
import { geocodeWithNominatim } from "./nominatim.ts"
import { checkPostalCode, invalid } from "./postalCodeCheck.ts"
import { PostalCodes } from "./PostalCodes.ts"
import { unmappedStates } from "./statePrefixes.ts"
import { isUnitedStates } from "./unitedStates.ts"

/**
 * Finds out where an address is. A postal code of the USA that does not exist or contradicts the state is an
 * InvalidLocation, so is an address that an online service does not find; a service that fails is a LocationServiceError.
 */
export class Geocoder extends Context.Service<
  Geocoder,
  {
    readonly geocode: (address: Address) => Effect.Effect<GeocodedLocation, InvalidLocation | LocationServiceError>
  }
>()("@edp/server/locations/Geocoder") {
  /** Asks nobody: the middle of the postal code's area. It knows no county and nothing outside the USA. */
  static readonly layerOffline = Layer.effect(
    Geocoder,
    Effect.gen(function* () {
      const postalCodes = yield* PostalCodes
      const geocode = Effect.fn("Geocoder.offline")(function* (address: Address) {
        if (!isUnitedStates(address.country)) return nowhere
        const { fiveDigits, state } = yield* checkPostalCode(address)
        if (unmappedStates.has(state)) return nowhere
        const found = yield* postalCodes.find(fiveDigits)
        if (Option.isNone(found)) return yield* invalid("The postal code does not exist")
        const { latitude, longitude } = found.value
        return { location: { latitude, longitude }, county: null }
      })
      return Geocoder.of({ geocode })
    })
  )

  /** Asks a server that speaks the API of Nominatim, such as `https://nominatim.example.com`. */
  static readonly layerNominatim = (options: { readonly baseUrl: string }) =>
    Layer.effect(
      Geocoder,
      Effect.map(HttpClient.HttpClient, (client) =>
        Geocoder.of({ geocode: geocodeWithNominatim(client, options.baseUrl) })
      )
    )

  /** Asks the US Census Bureau's geocoder. */
  static readonly layerCensus = (options: { readonly baseUrl?: string } = {}) =>
    Layer.effect(
      Geocoder,
      Effect.map(HttpClient.HttpClient, (client) =>
        Geocoder.of({ geocode: geocodeWithCensus(client, options.baseUrl ?? CENSUS_GEOCODER) })
      )
    )
}
