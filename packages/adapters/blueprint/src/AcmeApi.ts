import { Clock, Effect, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { AdapterError, type AdapterFailure } from "@edp/adapter-kit/AdapterError"
import { type HttpResponse, retryAfterHeader, sendRequest } from "@edp/adapter-kit/http/httpResponse"
import { boundedText } from "@edp/adapter-kit/http/httpResponse"

const failures: Readonly<Record<number, AdapterFailure>> = {
  401: "grant_lost",
  403: "scope_missing",
  409: "refused",
  422: "refused",
  429: "throttled"
}

const ErrorBody = Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) })

/** The error of a response that is no success; the manufacturer's words are kept. */
const failure = ({ body, headers, status }: HttpResponse, now: number) => {
  const error = Schema.is(ErrorBody)(body) ? body.error : undefined
  return AdapterError.of(
    failures[status] ?? (status >= 500 ? "vendor_fault" : "contract"),
    `Acme answered with status ${status}`,
    {
      retryAt: status === 429 ? (retryAfterHeader(headers["retry-after"], now) ?? now + 60_000) : null,
      upstream: {
        statusCode: status,
        errorCode: boundedText(error?.code, 255),
        errorMessage: boundedText(error?.message, 10_000),
        requestId: boundedText(headers["x-request-id"], 255)
      }
    }
  )
}

/** Calls of the manufacturer's API with a key. */
export const acmeApi = (http: HttpClient.HttpClient, url: string, key: Redacted.Redacted) => {
  const call = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const response = yield* sendRequest(
      http,
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(Redacted.value(key)))
    )
    return response.status < 300 ? response : yield* failure(response, yield* Clock.currentTimeMillis)
  })
  return {
    get: <A>(path: string, schema: Schema.Codec<A, unknown>) =>
      Effect.flatMap(call(HttpClientRequest.get(path)), ({ body }) =>
        Effect.mapError(Schema.decodeUnknownEffect(schema)(body), () =>
          AdapterError.of("contract", `The response to ${path.split("/").at(-1)} has another form than documented`)
        )
      ),
    put: (path: string, body: Schema.Json) =>
      Effect.asVoid(call(HttpClientRequest.put(path).pipe(HttpClientRequest.bodyJsonUnsafe(body))))
  }
}
