import { InvalidLocation, LocationServiceError } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Geocoder } from "@edp/server/platform/locations/Geocoder"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import { censusMatches, nominatimPlaces } from "../../../support/peers/geocoderResponses.ts"
import { vendorServer, type VendorServer } from "../../../support/peers/vendorServer.ts"

const address: Address = {
  streetOne: "1315 10th Street",
  streetTwo: "Room 4",
  city: "Sacramento",
  state: "California",
  postalCode: "95814-1234"
}
const ottawa: Address = {
  streetOne: "111 Wellington Street",
  city: "Ottawa",
  state: "Ontario",
  postalCode: "K1A 0A4",
  country: "Canada"
}

const vendors = {
  Nominatim: {
    layer: (baseUrl: string) => Geocoder.layerNominatim({ baseUrl }),
    found: nominatimPlaces as unknown,
    location: { latitude: 38.5766545, longitude: -121.4934022 },
    withoutCounty: [{ lat: "51.5073219", lon: "-0.1276474" }] as unknown,
    nothing: [] as unknown,
    outOfRange: [{ lat: "91", lon: "0" }] as unknown
  },
  Census: {
    layer: (baseUrl: string) => Geocoder.layerCensus({ baseUrl }),
    found: censusMatches,
    location: { latitude: 38.576659, longitude: -121.493297 },
    withoutCounty: { result: { addressMatches: [{ coordinates: { x: -0.1276474, y: 51.5073219 } }] } },
    nothing: { result: { input: censusMatches.result.input, addressMatches: [] } },
    outOfRange: { result: { addressMatches: [{ coordinates: { x: 0, y: 91 } }] } }
  }
}

const json = (body: unknown) => (response: ServerResponse) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify(body))
}
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end("{}")
  }

describe.each(["Nominatim", "Census"] as const)("the %s geocoder", (name) => {
  const vendor = vendors[name]
  const geocode = (server: VendorServer, wanted: Address = address) =>
    Effect.flatMap(Geocoder, (geocoder) => geocoder.geocode(wanted)).pipe(
      Effect.provide(vendor.layer(`${server.url}/geo/`).pipe(Layer.provide(FetchHttpClient.layer)))
    )

  it.effect("returns the location and county of the service", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(json(vendor.found))
      const reply = yield* geocode(server)
      assert.deepStrictEqual(reply, { location: vendor.location, county: "Sacramento County" })
      assert.strictEqual(server.requests.length, 1)
    })
  )

  it.effect("leaves the county unknown if the service has none", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(json(vendor.withoutCounty))
      const reply = yield* geocode(server)
      assert.deepStrictEqual(reply, { location: { latitude: 51.5073219, longitude: -0.1276474 }, county: null })
    })
  )

  it.effect("INVALID_LOCATION for an address that the service does not find", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(json(vendor.nothing))
      assert.instanceOf(yield* Effect.flip(geocode(server)), InvalidLocation)
    })
  )

  it.effect("INVALID_LOCATION for a postal code of another state, without a request", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(json(vendor.found))
      assert.instanceOf(yield* Effect.flip(geocode(server, { ...address, state: "NY" })), InvalidLocation)
      assert.strictEqual(server.requests.length, 0)
    })
  )

  const failures: ReadonlyArray<[string, (response: ServerResponse) => void]> = [
    ["a server error", status(500)],
    ["a refusal for too many requests", status(429)],
    ["a refusal of the client", status(403)],
    ["a redirect", status(302, { location: "/elsewhere" })],
    ["an empty response", (response) => void response.end()],
    ["a page instead of JSON", (response) => void response.end("<html>")],
    ["JSON of another shape", json({ result: "ok" })],
    ["a place that is not on the earth", json(vendor.outOfRange)],
    ["a broken connection", (response) => void response.socket!.destroy()]
  ]
  it.effect.each(failures)("LOCATION_SERVICE_ERROR %s", ([, reply]) =>
    Effect.gen(function* () {
      const server = yield* vendorServer(reply)
      assert.instanceOf(yield* Effect.flip(geocode(server)), LocationServiceError)
      assert.strictEqual(server.requests.length, 1)
    })
  )

  it.effect("LOCATION_SERVICE_ERROR when the service is unreachable", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(vendorServer(json(vendor.found)))
      assert.instanceOf(yield* Effect.flip(geocode(gone)), LocationServiceError)
    })
  )

  const stalls: ReadonlyArray<[string, (response: ServerResponse) => void]> = [
    ["never responds", () => undefined],
    ["stops in the middle of its response", (response) => void response.writeHead(200).write("[")]
  ]
  it.effect.each(stalls)(
    "LOCATION_SERVICE_ERROR after 5 seconds, closing the connection, when the service %s",
    ([, reply]) =>
      Effect.gen(function* () {
        const server = yield* vendorServer(reply)
        const asking = yield* Effect.forkChild(Effect.flip(geocode(server)))
        yield* server.asked
        yield* TestClock.adjust("4999 millis")
        assert.isUndefined(asking.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.instanceOf(yield* Fiber.join(asking), LocationServiceError)
        yield* server.closed
      })
  )

  it.effect("LOCATION_SERVICE_ERROR for an endless response, closing the connection", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer((response) => {
        const pour = () => {
          while (!response.destroyed && response.write(" ".repeat(16_384))) continue
          response.once("drain", pour)
        }
        pour()
      })
      assert.instanceOf(yield* Effect.flip(geocode(server)), LocationServiceError)
      yield* server.closed
    })
  )

  const padded = (bytes: number) => (response: ServerResponse) => {
    const reply = Buffer.from(JSON.stringify(vendor.found))
    response.end(Buffer.concat([reply, Buffer.alloc(bytes - reply.length, " ")]))
  }

  it.effect("a response of 256 KiB is accepted", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(padded(262_144))
      assert.deepStrictEqual((yield* geocode(server)).location, vendor.location)
    })
  )

  it.effect("LOCATION_SERVICE_ERROR for a response of one byte more", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(padded(262_145))
      assert.instanceOf(yield* Effect.flip(geocode(server)), LocationServiceError)
    })
  )

  it.effect("writes no address to logs and traces", () =>
    Effect.gen(function* () {
      const written: Array<unknown> = []
      const logger = Logger.make(({ message, cause }) => void written.push(message, cause))
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          written.push(span.name, span.attributes)
          return span
        }
      })
      const quiet = geocode(yield* vendorServer(status(500))).pipe(
        Effect.ignore,
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, "All"),
        Effect.withTracer(tracer)
      )
      yield* quiet
      const text = written.map((item) => JSON.stringify(item instanceof Map ? [...item] : item)).join("\n")
      assert.include(text, "The geocoder failed")
      assert.include(text, "askGeocoder")
      assert.notMatch(text, /1315|10th|Sacramento|95814/)
    })
  )
})

describe("requests to the services", () => {
  const asked = (layer: (baseUrl: string) => Layer.Layer<Geocoder, never, never>, wanted: Address, reply: unknown) =>
    Effect.gen(function* () {
      const server = yield* vendorServer(json(reply))
      const result = yield* Effect.flatMap(Geocoder, (geocoder) => geocoder.geocode(wanted)).pipe(
        Effect.provide(layer(server.url))
      )
      return { result, requests: server.requests }
    })
  const nominatim = (baseUrl: string) => Geocoder.layerNominatim({ baseUrl }).pipe(Layer.provide(FetchHttpClient.layer))
  const census = (baseUrl: string) => Geocoder.layerCensus({ baseUrl }).pipe(Layer.provide(FetchHttpClient.layer))

  it.effect("Nominatim gets a structured search with a user agent", () =>
    Effect.gen(function* () {
      const { requests } = yield* asked(nominatim, address, nominatimPlaces)
      const { url, headers } = requests[0]!
      assert.strictEqual(url.pathname, "/search")
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        format: "jsonv2",
        addressdetails: "1",
        limit: "1",
        street: "1315 10th Street",
        city: "Sacramento",
        state: "California",
        postalcode: "95814",
        country: "USA"
      })
      assert.match(headers["user-agent"]!, /^energy-device-platform\//)
    })
  )

  it.effect("Nominatim is also called for other countries", () =>
    Effect.gen(function* () {
      const { requests } = yield* asked(nominatim, ottawa, nominatimPlaces)
      const sent = Object.fromEntries(requests[0]!.url.searchParams)
      assert.strictEqual(sent["country"], "Canada")
      assert.strictEqual(sent["postalcode"], "K1A 0A4")
    })
  )

  it.effect("the Census geocoder gets one line, and a request for the county", () =>
    Effect.gen(function* () {
      const { requests } = yield* asked(census, address, censusMatches)
      const { url } = requests[0]!
      assert.strictEqual(url.pathname, "/geographies/onelineaddress")
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        address: "1315 10th Street, Sacramento, CA 95814",
        benchmark: "Public_AR_Current",
        vintage: "Current_Current",
        layers: "Counties",
        format: "json"
      })
    })
  )

  it.effect("the Census geocoder is not called for other countries, which have no location", () =>
    Effect.gen(function* () {
      const { result, requests } = yield* asked(census, ottawa, censusMatches)
      assert.deepStrictEqual(result, { location: null, county: null })
      assert.strictEqual(requests.length, 0)
    })
  )
})
