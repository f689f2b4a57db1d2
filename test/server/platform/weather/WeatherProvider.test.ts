import { WeatherProvider } from "@edp/server/platform/weather/WeatherProvider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Redacted, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import { vendorServer } from "../../../support/peers/vendorServer.ts"
import { forecast, refusal } from "../../../support/peers/forecasts.ts"

const sacramento = { latitude: 38.5767, longitude: -121.4934 }

const json =
  (body: unknown, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  }

const weather = (url: string) =>
  Effect.flatMap(WeatherProvider, (provider) => provider.current(sacramento)).pipe(
    Effect.provide(
      WeatherProvider.layerOpenMeteo({ baseUrl: Redacted.make(url) }).pipe(Layer.provide(FetchHttpClient.layer))
    )
  )

const respondTo = (respond: (response: ServerResponse) => void) =>
  Effect.flatMap(vendorServer(respond), (server) => weather(server.url))

const current = (change: object) => ({ ...forecast, current: { ...forecast.current, ...change } })
const units = (change: object) => ({ ...forecast, current_units: { ...forecast.current_units, ...change } })

describe("the weather", () => {
  it.effect("is that of the service, in degrees Fahrenheit and miles per hour", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* respondTo(json(forecast)), {
        temperature: 61.3,
        condition: "partly_cloudy",
        cloudCover: 45,
        windSpeed: 7.4,
        observedAt: "2026-03-01T12:00:00.000Z"
      })
    })
  )

  it.effect("is requested as the API's documentation requires, and the query of the URL is kept", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(json(forecast))
      yield* weather(`${server.url}/base/?apikey=secret`)
      const [{ url }] = server.requests as [(typeof server.requests)[number]]
      assert.strictEqual(url.pathname, "/base/v1/forecast")
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        apikey: "secret",
        latitude: "38.5767",
        longitude: "-121.4934",
        current: "temperature_2m,cloud_cover,wind_speed_10m,weather_code",
        temperature_unit: "fahrenheit",
        wind_speed_unit: "mph",
        timeformat: "unixtime"
      })
    })
  )

  it.effect.each([
    [0, "clear"],
    [3, "overcast"],
    [48, "fog"],
    [55, "drizzle"],
    [57, "freezing_drizzle"],
    [81, "rain"],
    [67, "freezing_rain"],
    [86, "snow"],
    [95, "thunderstorm"],
    [99, "hail"],
    [42, "unknown"]
  ] as const)("for code %i is %s", ([code, condition]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* respondTo(json(current({ weather_code: code }))))?.condition, condition)
    })
  )

  const useless: ReadonlyArray<[string, (response: ServerResponse) => void]> = [
    ["a refusal", json(refusal, 400)],
    ["a failure", json({}, 500)],
    ["a redirect", (response) => response.writeHead(302, { location: "/elsewhere" }).end()],
    ["no JSON", (response) => response.end("<html>")],
    ["a broken connection", (response) => response.destroy()],
    ["no current weather", json({ ...forecast, current: undefined })],
    ["a text for a number", json(current({ temperature_2m: "61.3" }))],
    ["an impossible cloud cover", json(current({ cloud_cover: 101 }))],
    ["a time of year 60000", json(current({ time: 1772366400000 }))],
    ["degrees Celsius", json(units({ temperature_2m: "°C" }))],
    ["kilometres per hour", json(units({ wind_speed_10m: "km/h" }))],
    ["64 KiB and more", json({ ...forecast, padding: "x".repeat(70_000) })]
  ]
  it.effect.each(useless)("is null for %s", ([, reply]) =>
    Effect.gen(function* () {
      assert.isNull(yield* respondTo(reply))
    })
  )

  it.effect("is null when the service is unreachable", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(vendorServer(json(forecast)))
      assert.isNull(yield* weather(url))
    })
  )

  it.effect("is null after three seconds of silence, and the connection is closed", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer(() => {})
      const asking = yield* Effect.forkChild(weather(server.url))
      yield* server.asked
      yield* TestClock.adjust("3 seconds")
      assert.isNull(yield* Fiber.join(asking))
      yield* server.closed
    })
  )

  it.effect("is null for an endless response, which is not read to the end", () =>
    Effect.gen(function* () {
      const server = yield* vendorServer((response) => {
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        }
        response.on("drain", more)
        more()
      })
      assert.isNull(yield* weather(server.url))
      yield* server.closed
    })
  )

  it.effect("leaves neither the key nor the location in logs and spans", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const server = yield* vendorServer(json({}, 500))
      yield* weather(`${server.url}/?apikey=secret`).pipe(
        Effect.provide(Layer.mergeAll(log, Layer.succeed(References.MinimumLogLevel, "Trace"))),
        Effect.withTracer(tracer)
      )
      const output = JSON.stringify([lines, spans.map(({ name, attributes }) => [name, [...attributes]])])
      assert.include(output, "The weather service failed")
      assert.include(output, "askWeather")
      assert.notMatch(output, /secret|38\.57|121\.49/)
    })
  )
})
