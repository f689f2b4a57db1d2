import { type ByteSize, Data, Effect, type Duration, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, type HttpClientRequest } from "effect/http"

class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge")<{}> {}

export interface AskOptions {
  readonly name: string
  readonly service: string
  readonly timeLimit: Duration.Input
  readonly responseLimit: ByteSize.ByteSize
}

/** The kind of a failure, without the URL, which may contain an address, coordinates or a key. */
export const failureKind = (error: { readonly _tag: string; readonly reason?: { readonly _tag: string } }) =>
  error.reason?._tag ?? error._tag

/**
 * Sends a request to an outside service and decodes its JSON, with limits of time and size. Redirects are refused. The client's
 * span is off because it would record the URL.
 */
export const askJson = <A>(
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  schema: Schema.Codec<A, unknown>,
  { name, service, timeLimit, responseLimit }: AskOptions
) =>
  HttpClient.filterStatusOk(client)
    .execute(request)
    .pipe(
      Effect.flatMap((response) =>
        response.stream.pipe(
          Stream.limitBytes<HttpClientError.HttpClientError | ResponseTooLarge, never>(responseLimit, () =>
            Stream.fail(new ResponseTooLarge())
          ),
          Stream.decodeText,
          Stream.mkString
        )
      ),
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))),
      Effect.timeout(timeLimit),
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.withSpan(name, { kind: "client", attributes: { service } })
    )
