import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { Geocoder } from "./Geocoder.ts"
import { PostalCodes } from "./PostalCodes.ts"

/** The geocoder that the settings name. */
export const configuredGeocoder = Layer.unwrap(
  Effect.map(ServerConfig, ({ geocoder }) => {
    if (geocoder === "offline") return Geocoder.layerOffline.pipe(Layer.provide(PostalCodes.layer))
    const online = geocoder === "census" ? Geocoder.layerCensus() : Geocoder.layerNominatim({ baseUrl: geocoder })
    return online.pipe(Layer.provide(FetchHttpClient.layer))
  })
)
