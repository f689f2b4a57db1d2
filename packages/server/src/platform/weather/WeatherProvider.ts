import type { Coordinates } from "@edp/domain/shared/Address"
import type { Weather } from "@edp/domain/sites/Site"
import { Context, Effect, Layer, Option, Redacted, ByteSize, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { operatorHttp } from "../outbound/containedClient.ts"
import { askJson, failureKind } from "../http/askJson.ts"

type Condition = Weather["condition"]

/** The codes of WMO table 4677 that forecasts use. */
const conditions: ReadonlyArray<readonly [condition: Condition, codes: ReadonlyArray<number>]> = [
  ["clear", [0]],
  ["mostly_clear", [1]],
  ["partly_cloudy", [2]],
  ["overcast", [3]],
  ["fog", [45, 48]],
  ["drizzle", [51, 53, 55]],
  ["freezing_drizzle", [56, 57]],
  ["rain", [61, 63, 65, 80, 81, 82]],
  ["freezing_rain", [66, 67]],
  ["snow", [71, 73, 75, 77, 85, 86]],
  ["thunderstorm", [95]],
  ["hail", [96, 99]]
]

const byCode = new Map(conditions.flatMap(([condition, codes]) => codes.map((code) => [code, condition] as const)))

const toCondition = (code: number): Condition => byCode.get(code) ?? "unknown"

/** Responses are smaller than 1 KiB; a larger one is not a forecast. */
const limits = { responseLimit: ByteSize.kibibytes(64), timeLimit: "3 seconds" } as const

/** Seconds since 1970, within the range of dates, so that a time in another unit is refused. */
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799 }))

/** The used part of a response. The units confirm that the server understood the requested ones. */
const Forecast = Schema.Struct({
  current_units: Schema.Struct({
    temperature_2m: Schema.Literal("°F"),
    wind_speed_10m: Schema.Literals(["mp/h", "mph"])
  }),
  current: Schema.Struct({
    time: Seconds,
    temperature_2m: Schema.Finite,
    cloud_cover: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
    wind_speed_10m: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    weather_code: Schema.Int
  })
})

const forecast = (baseUrl: string, { latitude, longitude }: Coordinates) => {
  // The query of the configured address, such as a key, is kept.
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/forecast`
  return HttpClientRequest.get(url).pipe(
    HttpClientRequest.setUrlParams({
      latitude: String(latitude),
      longitude: String(longitude),
      current: "temperature_2m,cloud_cover,wind_speed_10m,weather_code",
      temperature_unit: "fahrenheit",
      wind_speed_unit: "mph",
      timeformat: "unixtime"
    }),
    HttpClientRequest.acceptJson
  )
}

const toWeather = ({ current }: typeof Forecast.Type): Weather => ({
  temperature: current.temperature_2m,
  condition: toCondition(current.weather_code),
  cloudCover: current.cloud_cover,
  windSpeed: current.wind_speed_10m,
  observedAt: new Date(current.time * 1000).toISOString()
})

/** The current weather from a server with the API of Open-Meteo; null on any error. */
const currentWeather = (client: HttpClient.HttpClient, baseUrl: Redacted.Redacted) =>
  Effect.fn("WeatherProvider.openMeteo")((coordinates: Coordinates) =>
    askJson(client, forecast(Redacted.value(baseUrl), coordinates), Forecast, {
      ...limits,
      name: "askWeather",
      service: "open-meteo"
    }).pipe(
      Effect.map(toWeather),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("The weather service failed", { reason: failureKind(error) }), null)
      )
    )
  )

/** The current weather at a location. It never fails: unknown weather is null. */
export class WeatherProvider extends Context.Service<
  WeatherProvider,
  { readonly current: (coordinates: Coordinates) => Effect.Effect<Weather | null> }
>()("@edp/server/platform/weather/WeatherProvider") {
  /** Knows no weather. */
  static readonly layerNone = Layer.succeed(WeatherProvider, { current: () => Effect.succeed(null) })

  /** Asks a server with the API of Open-Meteo, such as `https://weather.example.com`. */
  static readonly layerOpenMeteo = (options: { readonly baseUrl: Redacted.Redacted }) =>
    Layer.effect(
      WeatherProvider,
      Effect.map(HttpClient.HttpClient, (client) => ({ current: currentWeather(client, options.baseUrl) }))
    )
}

/** The weather service of the settings, if there is one. */
export const configuredWeather = Layer.unwrap(
  Effect.map(ServerConfig, ({ weatherUrl }) =>
    Option.match(weatherUrl, {
      onNone: () => WeatherProvider.layerNone,
      onSome: (baseUrl) => WeatherProvider.layerOpenMeteo({ baseUrl }).pipe(Layer.provide(operatorHttp))
    })
  )
)
