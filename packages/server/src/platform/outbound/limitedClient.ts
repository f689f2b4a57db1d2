import { Effect, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"

/** Limits of calls, and what is told about them. */
export interface CallLimits {
  /** Name and attributes of the spans. Neither paths nor headers are recorded: both may hold secrets. */
  readonly span: string
  readonly attributes: Readonly<Record<string, string>>
  readonly timeLimitMs: number
  /** The longest answer in bytes. */
  readonly answerLimit: number
  /** Runs before each call. Its failure says why the call is not made. */
  readonly admit: Effect.Effect<void, string>
  /** The status of an answer, or nothing if there is none. */
  readonly onEnd: (answer: HttpClientResponse.HttpClientResponse | undefined) => Effect.Effect<void>
}

/** Part of the time limit that begins anew when a stopped process goes on, so that an answer that has arrived is read. */
const GRACE_MS = 500

const failure = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })

/** The whole answer in memory. */
const readAnswer = Effect.fnUntraced(function* (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse,
  limit: number
) {
  const chunks: Array<Uint8Array> = []
  let length = 0
  yield* Stream.runForEach(response.stream, (chunk) => {
    chunks.push(chunk)
    length += chunk.length
    return length > limit ? Effect.fail(failure(request, `The answer is longer than ${limit} bytes`)) : Effect.void
  })
  const { headers, status } = response
  const body = length === 0 || status === 204 || status === 304 ? null : Buffer.concat(chunks)
  return HttpClientResponse.fromWeb(request, new Response(body, { status, headers: { ...headers } }))
})

/**
 * A client whose calls take a limited time from the look-up to the last byte, and whose answers have a limited size.
 */
export const limitedClient = (
  http: Effect.Effect<HttpClient.HttpClient>,
  { admit, answerLimit, attributes, onEnd, span, timeLimitMs }: CallLimits
): HttpClient.HttpClient =>
  HttpClient.makeWith(
    (prepared: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(prepared, (request) => {
        const late = Effect.sleep(timeLimitMs - GRACE_MS).pipe(
          Effect.andThen(Effect.sleep(GRACE_MS)),
          Effect.andThen(Effect.fail(failure(request, `No complete answer within ${timeLimitMs / 1000} seconds`)))
        )
        const exchange = Effect.flatMap(http, (client) => client.execute(request)).pipe(
          Effect.flatMap((response) => readAnswer(request, response, answerLimit)),
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
