import { type InvalidLocation, LocationServiceError } from "@edp/domain/errors/ApiErrors"
import { type Address, Coordinates } from "@edp/domain/shared/Address"
import { Clock, Context, Effect, Layer, Option, type Result, ByteSize, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { operatorHttp } from "../outbound/containedClient.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { type PostalCode, PostalCodes } from "./PostalCodes.ts"
import { checkPostalCode, toFiveDigits, invalid, isUnitedStates, unmappedStates } from "./unitedStates.ts"
import { askJson, failureKind } from "../http/askJson.ts"

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

/** The coordinates of an address, null where the geocoder does not know. */
export interface GeocodedLocation {
  readonly location: Coordinates | null
  readonly county: string | null
}

const nowhere: GeocodedLocation = { location: null, county: null }

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
const CENSUS_GEOCODER = "https://geocoding.geo.census.gov/geocoder"

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
const geocodeWithCensus = (client: HttpClient.HttpClient, baseUrl: string) => {
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
const geocodeWithNominatim = (client: HttpClient.HttpClient, baseUrl: string) => {
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
