import { Context, Effect, Layer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "./Api.ts"
import type { EffectCalls } from "./client/Calls.ts"
import { asAnswered } from "./client/responses.ts"
import { authentication } from "./client/authentication.ts"
import type { ClientOptions } from "./client/retries.ts"

/** `fetch` without redirects, so that the key is not sent to another server. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** The calls of the API, by group and endpoint; an interface, so that editors and declarations name it instead of listing it. */
export interface ApiClient extends EffectCalls<typeof Api> {}

/**
 * A client of the API. A call fails with the class of the returned error code; with `HttpClientError` if there was no
 * response; with `UnexpectedResponse` if the response does not follow the contract; with `SchemaError` if the request is
 * invalid and was not sent.
 */
export const makeClient = (options: ClientOptions): Effect.Effect<ApiClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, { baseUrl: options.baseUrl, transformResponse: asAnswered }).pipe(
    Effect.map((client) => client as unknown as ApiClient),
    Effect.provide(authentication(options))
  )

/** The client as a service, with one key. */
export class Client extends Context.Service<Client, ApiClient>()("@edp/domain/Client") {
  static readonly layer = (options: ClientOptions): Layer.Layer<Client> =>
    Layer.effect(Client, makeClient(options)).pipe(Layer.provide(layerHttp))
}
