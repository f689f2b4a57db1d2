import { Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { WeatherProvider } from "./WeatherProvider.ts"

/** The weather service that the settings name, if they name one. */
export const configuredWeather = Layer.unwrap(
  Effect.map(ServerConfig, ({ weatherUrl }) =>
    Option.match(weatherUrl, {
      onNone: () => WeatherProvider.layerNone,
      onSome: (baseUrl) => WeatherProvider.layerOpenMeteo({ baseUrl }).pipe(Layer.provide(FetchHttpClient.layer))
    })
  )
)
