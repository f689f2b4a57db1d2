import type { Coordinates } from "@edp/domain/shared/Address"
import type { Weather } from "@edp/domain/sites/Site"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { HttpClient } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { operatorHttp } from "../outbound/containedClient.ts"
import { currentWeather } from "./openMeteo.ts"

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
