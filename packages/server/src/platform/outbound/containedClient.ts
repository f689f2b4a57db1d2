import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { containedEffect } from "./contained.ts"

/** A client whose connections are contained: an exception in one of their callbacks fails the calls to that origin. */
export const containedClient = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (response, request) =>
    containedEffect(URL.canParse(request.url) ? new URL(request.url).origin : request.url, response, () =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, description: "The call ended with an exception" })
        })
      )
    )
  )

/** Calls to services of the operator, such as a geocoder or a collector of traces. Their addresses are not judged. */
export const operatorHttp = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, containedClient)
).pipe(Layer.provide(FetchHttpClient.layer))
