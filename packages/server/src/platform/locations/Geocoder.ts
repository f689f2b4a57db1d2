import { type InvalidLocation, LocationServiceError } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Clock, Context, Effect, Layer, Option, type Result } from "effect"
import { HttpClient } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { operatorHttp } from "../outbound/containedClient.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { type PostalCode, PostalCodes } from "./PostalCodes.ts"
import {
  CENSUS_GEOCODER,
  type GeocodedLocation,
  geocodeWithCensus,
  geocodeWithNominatim,
  nowhere
} from "./onlineGeocoders.ts"
import { checkPostalCode, toFiveDigits, invalid, isUnitedStates, unmappedStates } from "./unitedStates.ts"

type Misplaced = InvalidLocation | LocationServiceError
type Geocode<E = never> = (address: Address) => Effect.Effect<GeocodedLocation, Misplaced | E>

/** The centroid of the postal code's area. */
const postalCodeCentroid = <E>(
  address: Address,
  find: (fiveDigits: string) => Effect.Effect<Option.Option<PostalCode>, E>
) =>
  Effect.gen(function* () {
    if (!isUnitedStates(address.country)) return nowhere
    const { fiveDigits, state } = yield* checkPostalCode(address)
    if (unmappedStates.has(state)) return nowhere
    const found = yield* find(fiveDigits)
    if (Option.isNone(found)) return yield* invalid("The postal code does not exist")
    const { latitude, longitude } = found.value
    return { location: { latitude, longitude }, county: null }
  })

/** Milliseconds after which no further address of a batch is sent. */
const SET_LIMIT = 20_000

/** Geocodes addresses one by one, eight concurrently. Those not sent in time fail, so that every batch ends. */
const oneByOne = (geocode: Geocode) =>
  Effect.fn("Geocoder.oneByOne")(function* (addresses: ReadonlyArray<Address>) {
    const end = (yield* Clock.currentTimeMillis) + SET_LIMIT
    const inTime = (address: Address) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now < end ? geocode(address) : Effect.fail(new LocationServiceError({}))
      )
    return yield* Effect.forEach(addresses, (address) => Effect.result(inTime(address)), { concurrency: 8 })
  })

const online = (geocode: Geocode) => Geocoder.of({ geocode, geocodeAll: oneByOne(geocode) })

/**
 * Geocodes addresses. A US postal code that does not exist or is in another state, and an address that an online service
 * does not find, is an InvalidLocation; a failing service is a LocationServiceError.
 */
export class Geocoder extends Context.Service<
  Geocoder,
  {
    readonly geocode: Geocode<DatabaseUnavailable>
    /** The result of each address, in order. */
    readonly geocodeAll: (
      addresses: ReadonlyArray<Address>
    ) => Effect.Effect<ReadonlyArray<Result.Result<GeocodedLocation, Misplaced>>, DatabaseUnavailable>
  }
>()("@edp/server/platform/locations/Geocoder") {
  /** Calls no service: returns the centroid of the postal code's area. Without counties, and only for the USA. */
  static readonly layerOffline = Layer.effect(
    Geocoder,
    Effect.gen(function* () {
      const postalCodes = yield* PostalCodes
      const geocodeAll = Effect.fn("Geocoder.offlineAll")(function* (addresses: ReadonlyArray<Address>) {
        const codes = addresses.flatMap(({ postalCode }) => toFiveDigits(postalCode) ?? [])
        const found = yield* postalCodes.findAll(codes)
        const find = (code: string) => Effect.succeed(Option.fromNullishOr(found.get(code)))
        return yield* Effect.forEach(addresses, (address) => Effect.result(postalCodeCentroid(address, find)))
      })
      return Geocoder.of({
        geocode: Effect.fn("Geocoder.offline")((address: Address) => postalCodeCentroid(address, postalCodes.find)),
        geocodeAll
      })
    })
  )

  /** Calls a server with Nominatim's API, such as `https://nominatim.example.com`. */
  static readonly layerNominatim = (options: { readonly baseUrl: string }) =>
    Layer.effect(
      Geocoder,
      Effect.map(HttpClient.HttpClient, (client) => online(geocodeWithNominatim(client, options.baseUrl)))
    )

  /** Calls the US Census Bureau's geocoder. */
  static readonly layerCensus = (options: { readonly baseUrl?: string } = {}) =>
    Layer.effect(
      Geocoder,
      Effect.map(HttpClient.HttpClient, (client) =>
        online(geocodeWithCensus(client, options.baseUrl ?? CENSUS_GEOCODER))
      )
    )
}

/** The configured geocoder. */
export const configuredGeocoder = Layer.unwrap(
  Effect.map(ServerConfig, ({ geocoder }) => {
    if (geocoder === "offline") return Geocoder.layerOffline.pipe(Layer.provide(PostalCodes.layer))
    const online = geocoder === "census" ? Geocoder.layerCensus() : Geocoder.layerNominatim({ baseUrl: geocoder })
    return online.pipe(Layer.provide(operatorHttp))
  })
)
