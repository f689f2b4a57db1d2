import { LocationServiceError } from "@edp/domain/errors/ApiErrors"
import { ByteSize, Data, Effect, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, type HttpClientRequest } from "effect/http"

/** Answers are a few KiB; anything beyond this is not a geocoder's. */
const ANSWER_LIMIT = ByteSize.kibibytes(256)
const TIME_LIMIT = "5 seconds"

class AnswerTooLarge extends Data.TaggedError("AnswerTooLarge")<{}> {}

/** What failed, without the address: the address is personal, and the request's URL holds it. */
const reasonOf = (error: { readonly _tag: string; readonly reason?: { readonly _tag: string } }) =>
  error.reason?._tag ?? error._tag

/**
 * Sends one request to a geocoding service and decodes its JSON. Whatever goes wrong is a LocationServiceError.
 * Redirects are refused, and the client's own span is off because it would record the address.
 */
export const askGeocoder =
  (client: HttpClient.HttpClient, service: string) =>
  <A>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Codec<A, unknown>) =>
    HttpClient.filterStatusOk(client)
      .execute(request)
      .pipe(
        Effect.flatMap((response) =>
          response.stream.pipe(
            Stream.limitBytes<HttpClientError.HttpClientError | AnswerTooLarge, never>(ANSWER_LIMIT, () =>
              Stream.fail(new AnswerTooLarge())
            ),
            Stream.decodeText,
            Stream.mkString
          )
        ),
        Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))),
        Effect.timeout(TIME_LIMIT),
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        Effect.catch((error) =>
          Effect.andThen(
            Effect.logWarning("The geocoder failed", { service, reason: reasonOf(error) }),
            Effect.fail(new LocationServiceError({}))
          )
        ),
        Effect.withSpan("askGeocoder", { kind: "client", attributes: { service } })
      )
