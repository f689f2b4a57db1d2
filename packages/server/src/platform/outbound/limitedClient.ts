import { Effect, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { isOversizeJson } from "../network/jsonStructure.ts"

/** Limits of calls, and how their failures are described. */
export interface CallLimits {
  /** Name and attributes of the spans. Neither paths nor headers are recorded: both may hold secrets. */
  readonly span: string
  readonly attributes: Readonly<Record<string, string>>
  readonly timeLimitMs: number
  /** The longest response in bytes. */
  readonly responseLimit: number
  /** Runs before each call. Its failure says why the call is not made. */
  readonly admit: Effect.Effect<void, string>
  /** The status of a response, or nothing if there is none. */
  readonly onEnd: (reply: HttpClientResponse.HttpClientResponse | undefined) => Effect.Effect<void>
}

/** The last part of the time limit. It restarts when a suspended process resumes, so that a response that has arrived is read. */
const GRACE_MS = 500

/** Above the largest responses that manufacturers document. A response within these limits is parsed in some milliseconds. */
const structure = { fields: 100_000, strings: 200_000, containers: 50_000, depth: 64 }

const failure = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })

/** The whole response in memory. */
const readResponse = Effect.fnUntraced(function* (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse,
  limit: number
) {
  const chunks: Array<Uint8Array> = []
  let length = 0
  yield* Stream.runForEach(response.stream, (chunk) => {
    chunks.push(chunk)
    length += chunk.length
    return length > limit ? Effect.fail(failure(request, `The response is longer than ${limit} bytes`)) : Effect.void
  })
  const { headers, status } = response
  const body = length === 0 || status === 204 || status === 304 ? null : Buffer.concat(chunks)
  if (body !== null && isOversizeJson(body, structure)) {
    return yield* Effect.fail(failure(request, "The response has too many fields, values or levels"))
  }
  return HttpClientResponse.fromWeb(request, new Response(body, { status, headers: { ...headers } }))
})

/** A client with a time limit from the look-up of the host to the last byte, and a size limit for responses. */
export const limitedClient = (
  http: Effect.Effect<HttpClient.HttpClient>,
  { admit, responseLimit, attributes, onEnd, span, timeLimitMs }: CallLimits
): HttpClient.HttpClient =>
  HttpClient.makeWith(
    (prepared: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(prepared, (request) => {
        const late = Effect.sleep(timeLimitMs - GRACE_MS).pipe(
          Effect.andThen(Effect.sleep(GRACE_MS)),
          // An error has a stack trace, which takes time in each call: it is made when it is needed.
          Effect.andThen(
            Effect.failSync(() => failure(request, `No complete response within ${timeLimitMs / 1000} seconds`))
          )
        )
        const exchange = Effect.flatMap(http, (client) => client.execute(request)).pipe(
          Effect.flatMap((response) => readResponse(request, response, responseLimit)),
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
          Effect.raceFirst(late),
          Effect.onExit((exit) => onEnd(exit._tag === "Success" ? exit.value : undefined)),
          Effect.tap(({ status }) => Effect.annotateCurrentSpan({ "http.response.status_code": status }))
        )
        return admit.pipe(
          Effect.mapError((description) => failure(request, description)),
          Effect.andThen(exchange),
          Effect.withSpan(
            span,
            {
              kind: "client",
              attributes: { ...attributes, "http.request.method": request.method, "server.address": findHost(request) }
            },
            { captureStackTrace: false }
          )
        )
      }),
    Effect.succeed
  )

const findHost = ({ url }: HttpClientRequest.HttpClientRequest) => (URL.canParse(url) ? new URL(url).hostname : "")
