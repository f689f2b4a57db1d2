import { Data, Effect, Predicate, Schema } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"

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
