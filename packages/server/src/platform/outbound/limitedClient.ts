import { Duration, Effect, Option } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { isOversizeJson } from "../network/jsonStructure.ts"
import type { GuardedSend } from "./GuardedHttp.ts"

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

/** Above the largest responses that manufacturers document. A response within these limits is parsed in some milliseconds. */
const structure = { fields: 100_000, strings: 200_000, containers: 50_000, depth: 64 }

const failure = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })

const unreadable = (request: HttpClientRequest.HttpClientRequest, status: number, description: string) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({
      request,
      response: HttpClientResponse.fromWeb(request, new Response(null, { status })),
      description
    })
  })

const invalidUrl = (request: HttpClientRequest.HttpClientRequest, description = "The address is invalid") =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, description }) })

/** The body's bytes, and its type where the body alone knows it. */
const readBody = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const { body } = request
  switch (body._tag) {
    case "Empty":
      return { bytes: null }
    case "Uint8Array":
      return { bytes: body.body }
    case "FormData": {
      const form = new Response(body.formData)
      const bytes = new Uint8Array(yield* Effect.promise(() => form.arrayBuffer()))
      return { bytes, contentType: form.headers.get("content-type")! }
    }
    default:
      return yield* failure(request, "The body must be text, bytes or a form")
  }
})

const emptyStatuses = new Set([204, 205, 304])

/** A client with a time limit from the look-up of the host to the last byte, and a size limit for responses. */
export const limitedClient = (
  send: GuardedSend,
  { admit, responseLimit, attributes, onEnd, span, timeLimitMs }: CallLimits
): HttpClient.HttpClient => {
  const timeLimit = Duration.millis(timeLimitMs)

  const exchange = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest, url: URL) {
    const { bytes, contentType } = yield* readBody(request)
    const headers = contentType === undefined ? request.headers : { ...request.headers, "content-type": contentType }
    const reply = yield* send({
      url,
      method: request.method,
      headers,
      body: bytes,
      timeLimit,
      responseLimit: responseLimit + 1
    })
    const { body, status } = reply
    if (body.length > responseLimit) {
      return yield* unreadable(request, status, `The response is longer than ${responseLimit} bytes`)
    }
    if (isOversizeJson(body, structure)) {
      return yield* unreadable(request, status, "The response has too many fields, values or levels")
    }
    const hasBody = body.length > 0 && !emptyStatuses.has(status)
    return HttpClientResponse.fromWeb(
      request,
      new Response(hasBody ? Buffer.from(body) : null, { status, headers: reply.headers })
    )
  })

  return HttpClient.makeWith(
    (prepared: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(prepared, (request) => {
        const url = Option.getOrUndefined(HttpClientRequest.toUrl(request))
        if (url === undefined) return Effect.fail(invalidUrl(request))
        return admit.pipe(
          Effect.mapError((description) => failure(request, description)),
          Effect.andThen(
            exchange(request, url).pipe(
              Effect.catchTag("OutboundFailure", ({ message, reason }) =>
                Effect.fail(reason === "refused" ? invalidUrl(request, message) : failure(request, message))
              ),
              Effect.onExit((exit) => onEnd(exit._tag === "Success" ? exit.value : undefined)),
              Effect.tap(({ status }) => Effect.annotateCurrentSpan({ "http.response.status_code": status }))
            )
          ),
          Effect.withSpan(
            span,
            {
              kind: "client",
              attributes: { ...attributes, "http.request.method": request.method, "server.address": url.hostname }
            },
            { captureStackTrace: false }
          )
        )
      }),
    Effect.succeed
  )
}
