import { Layer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"

/** `fetch`, which must not carry the key along to wherever a redirect points. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)
