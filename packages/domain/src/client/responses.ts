import { Data, Effect, Predicate, Schema, Stream } from "effect"
import { HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"

/** The response does not follow the contract: client and service have different versions, or a proxy answered. */
export class UnexpectedResponse extends Data.TaggedError("UnexpectedResponse")<{
  readonly message: string
  /** HTTP status, if the contract does not have it. */
  readonly status?: number
  /** Code of the error body, if it has one: a newer service may have codes that this client does not know. */
  readonly code?: string
  /** `X-Request-Id` of the response, by which the operator of the service finds the request. */
  readonly requestId?: string
  readonly cause?: unknown
}> {}

const findText = (body: unknown, field: string) =>
  Predicate.hasProperty(body, field) && typeof body[field] === "string" ? body[field] : undefined

const fromResponse = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { headers, status } = response
  const body = yield* Effect.orElseSucceed(response.json, () => undefined)
  const code = findText(body, "code")
  const requestId = headers["x-request-id"]
  const said = code === undefined ? "" : `: ${code} ${findText(body, "message") ?? ""}`.trimEnd()
  return new UnexpectedResponse({
    message: `The contract knows no such response with status ${status}${said}`,
    status,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId })
  })
})

const asUnexpected = (error: unknown): Effect.Effect<unknown> => {
  if (HttpClientError.isHttpClientError(error) && error.response !== undefined) return fromResponse(error.response)
  if (!Schema.isSchemaError(error)) return Effect.succeed(error)
  return Effect.succeed(new UnexpectedResponse({ message: "The response does not follow the contract", cause: error }))
}

/** Turns failures to decode a response into UnexpectedResponse. */
export const namingUnexpected = <A, E, R>(decoded: Effect.Effect<A, E, R>): Effect.Effect<A, unknown, R> =>
  Effect.catch(decoded, (error) => Effect.flatMap(asUnexpected(error), Effect.fail))

/** The page of every list, with the cursor of the next page if there is one. */
export interface ListPage<A> {
  readonly data: ReadonlyArray<A>
  readonly perPage: number
  /** Starts at 1. It is absent, like the totals, if the page was requested by cursor. */
  readonly page?: number
  readonly totalItems?: number
  readonly totalPages?: number
  /** The `cursor` of the next page; absent on the last page and in lists without cursors. */
  readonly nextCursor?: string
}

/** The page of a list without cursors: it always has a number and totals. */
export interface NumberedPage<A> extends ListPage<A> {
  readonly page: number
  readonly totalItems: number
  readonly totalPages: number
}

interface WithCursor {
  readonly body: object
  readonly headers: { readonly "x-next-cursor"?: string }
}

const isWithCursor = (reply: unknown): reply is WithCursor =>
  Predicate.hasProperty(reply, HttpApiSchema.WithHeadersValueTypeId)

/** Moves the cursor from the response header into the page. */
export const flattened = (reply: unknown): unknown => {
  if (!isWithCursor(reply)) return reply
  const next = reply.headers["x-next-cursor"]
  return next === undefined ? reply.body : { ...reply.body, nextCursor: next }
}

/** Decodes responses for callers: pages with their cursor, and UnexpectedResponse. */
export const asAnswered = <A, E, R>(decoded: Effect.Effect<A, E, R>): Effect.Effect<A, unknown, R> =>
  namingUnexpected(Effect.map(decoded, (reply) => flattened(reply) as A))

type Request = HttpClientRequest.HttpClientRequest

/** No response, or only a part of one: it is unknown whether the request arrived. */
export const noResponse = (request: Request, description: string, cause?: unknown): HttpClientError.HttpClientError =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description, cause }) })

/** The failure of an attempt, with a request that does not contain the key. */
export const withoutKey = (request: Request, { reason }: HttpClientError.HttpClientError) =>
  reason._tag === "InvalidUrlError"
    ? new HttpClientError.HttpClientError({
        reason: new HttpClientError.InvalidUrlError({ request, cause: reason.cause })
      })
    : noResponse(request, reason.description ?? "no response", reason.cause)

const MAX_MEBIBYTES = 64
const MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024

const tooLarge = new UnexpectedResponse({ message: `The response is larger than ${MAX_MEBIBYTES} MiB` })

/** The body; undefined if there is none. */
const readBody = (response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.mapAccumEffect(
      () => 0,
      (size, chunk: Uint8Array) =>
        size + chunk.byteLength > MAX_BYTES
          ? Effect.fail(tooLarge)
          : Effect.succeed([size + chunk.byteLength, [chunk]] as const)
    ),
    Stream.mkUint8Array,
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.undefined)
  )

/** Statuses that a `Response` can be made of; a browser shows a redirect that is not followed as status 0. */
const isPlain = (status: number) => status >= 200 && status <= 599

/**
 * Reads a response completely, up to a size limit that protects the memory. The response, and every error that contains it,
 * keeps the request without the key.
 */
export const readResponse = Effect.fnUntraced(function* (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse
) {
  const { headers, status } = response
  if (!isPlain(status)) {
    return yield* new UnexpectedResponse({ message: "The response is a redirect, which is not followed", status })
  }
  const body = yield* readBody(response)
  const kept = body === undefined || body.byteLength === 0 ? null : body
  return HttpClientResponse.fromWeb(request, new Response(kept, { status, headers }))
})
