import { Data, Effect, Predicate, Schema, Stream } from "effect"
import { HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"

/** The answer does not follow the contract: client and service are of different versions, or a proxy answered. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly message: string
  /** The HTTP status, where that is what the contract does not know. */
  readonly status?: number
  /** The code of the error body, where it has one: a newer service may answer codes that this client does not know. */
  readonly code?: string
  /** `X-Request-Id` of the answer, by which the operator of the service finds the request. */
  readonly requestId?: string
  readonly cause?: unknown
}> {}

const textOf = (body: unknown, field: string) =>
  Predicate.hasProperty(body, field) && typeof body[field] === "string" ? body[field] : undefined

const fromResponse = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { headers, status } = response
  const body = yield* Effect.orElseSucceed(response.json, () => undefined)
  const code = textOf(body, "code")
  const requestId = headers["x-request-id"]
  const said = code === undefined ? "" : `: ${code} ${textOf(body, "message") ?? ""}`.trimEnd()
  return new UnexpectedAnswer({
    message: `The contract knows no such answer with status ${status}${said}`,
    status,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId })
  })
})

const asUnexpected = (error: unknown): Effect.Effect<unknown> => {
  if (HttpClientError.isHttpClientError(error) && error.response !== undefined) return fromResponse(error.response)
  if (!Schema.isSchemaError(error)) return Effect.succeed(error)
  return Effect.succeed(new UnexpectedAnswer({ message: "The answer does not follow the contract", cause: error }))
}

/** Failures to make sense of an answer get a class of their own: others then are either codes, or that there was none. */
export const namingUnexpected = <A, E, R>(decoded: Effect.Effect<A, E, R>): Effect.Effect<A, unknown, R> =>
  Effect.catch(decoded, (error) => Effect.flatMap(asUnexpected(error), Effect.fail))

/** The one shape of every list: a page, and where more follow in a walk by cursor the cursor of the next one. */
export interface ListPage<A> {
  readonly data: ReadonlyArray<A>
  readonly perPage: number
  /** From 1; absent in a walk by cursor, as the totals are. */
  readonly page?: number
  readonly totalItems?: number
  readonly totalPages?: number
  /** What to ask for as `cursor` next; absent on the last page, and of lists that have pages alone. */
  readonly nextCursor?: string
}

/** A page of a list without cursors, which always has a number and totals. */
export interface NumberedPage<A> extends ListPage<A> {
  readonly page: number
  readonly totalItems: number
  readonly totalPages: number
}

interface WithCursor {
  readonly body: object
  readonly headers: { readonly "x-next-cursor"?: string }
}

const isWithCursor = (answer: unknown): answer is WithCursor =>
  Predicate.hasProperty(answer, HttpApiSchema.WithHeadersValueTypeId)

/** The contract has the cursor in a header beside the body; callers get it with the page. */
export const flattened = (answer: unknown): unknown => {
  if (!isWithCursor(answer)) return answer
  const next = answer.headers["x-next-cursor"]
  return next === undefined ? answer.body : { ...answer.body, nextCursor: next }
}

/** Answers as callers get them: lists in one shape, and what the contract does not know by a class of its own. */
export const asAnswered = <A, E, R>(decoded: Effect.Effect<A, E, R>): Effect.Effect<A, unknown, R> =>
  namingUnexpected(Effect.map(decoded, (answer) => flattened(answer) as A))

type Request = HttpClientRequest.HttpClientRequest

/** No answer, or only a part of one: whether the request arrived stays open. */
export const noAnswer = (request: Request, description: string, cause?: unknown): HttpClientError.HttpClientError =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description, cause }) })

/** The failure of an attempt, told of a request that does not hold the key. */
export const withoutKey = (request: Request, { reason }: HttpClientError.HttpClientError) =>
  reason._tag === "InvalidUrlError"
    ? new HttpClientError.HttpClientError({
        reason: new HttpClientError.InvalidUrlError({ request, cause: reason.cause })
      })
    : noAnswer(request, reason.description ?? "no answer", reason.cause)

const MAX_MEBIBYTES = 64
const MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024

const tooLarge = new UnexpectedAnswer({ message: `The answer is larger than ${MAX_MEBIBYTES} MiB` })

/** The body as far as it came; undefined where there is none. */
const bodyOf = (response: HttpClientResponse.HttpClientResponse) =>
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
 * Reads an answer whole, up to a limit: whatever answers must not fill the memory. The request that stays with it, and so
 * with every error that tells of it, is the one without the key.
 */
export const readAnswer = Effect.fnUntraced(function* (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse
) {
  const { headers, status } = response
  if (!isPlain(status)) {
    return yield* new UnexpectedAnswer({ message: "The answer is a redirect, which is not followed", status })
  }
  const body = yield* bodyOf(response)
  const kept = body === undefined || body.byteLength === 0 ? null : body
  return HttpClientResponse.fromWeb(request, new Response(kept, { status, headers }))
})
