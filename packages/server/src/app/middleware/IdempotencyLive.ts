import { createHash } from "node:crypto"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  ReturnsSecret,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  IDEMPOTENCY_REPLAYED,
  Idempotency
} from "@edp/domain/auth/middleware"
import { invalid } from "@edp/domain/errors/ApiErrors"
import { errorCodes } from "@edp/domain/errors/ErrorCode"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { CurrentSession } from "../../platform/http/CurrentSession.ts"
import { bodyLimit } from "../../platform/http/jsonBody.ts"
import type { RequestDigests, StoredResponse } from "../../platform/idempotency/ResponsesRepository.ts"
import { IdempotentResponses } from "../../platform/idempotency/IdempotentResponses.ts"

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  // Without a prototype, so that any name can be a field.
  const fields: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(value).sort()) fields[name] = sorted((value as typeof fields)[name])
  return fields
}

/**
 * One spelling for all texts of the same JSON value, whatever their spaces, order of fields, escapes and spelling of
 * numbers. A text that is no JSON, or nested too deeply to be walked, stands for itself.
 */
const canonicalJson = (text: string): string => {
  try {
    return JSON.stringify(sorted(JSON.parse(text)))
  } catch {
    return text
  }
}

const header = IDEMPOTENCY_KEY.toLowerCase()

const wrongLength = invalid({ idempotencyKey: `Must be 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters` })
const secretResponse = invalid({
  idempotencyKey: "Must be absent: the response contains a secret, which is not stored"
})

const sha256 = (...parts: ReadonlyArray<string>) => {
  const hash = createHash("sha256")
  // Each part is preceded by its length, so that no two lists of parts have the same digest.
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest()
}

/** An absent body counts as an empty object. An endpoint that needs a body refuses both. */
const canonicalBody = (body: string) => (body === "" ? "{}" : canonicalJson(body))

const sortParameters = (query: string) => {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return parameters.toString()
}

const fingerprint = (
  request: HttpServerRequest.HttpServerRequest,
  caller: string,
  name: string,
  body: string
): RequestDigests => {
  const [path = "", ...query] = request.url.split("?")
  return {
    scope: sha256(caller, path.replace(/\/+$/, ""), name),
    request: sha256(sortParameters(query.join("?")), canonicalBody(body))
  }
}

const notKept = new Set<number>([errorCodes.UNAUTHENTICATED.status, errorCodes.RATE_LIMITED.status])
/** The framework's response to a wrong content type, which the boundary turns into a VALIDATION_ERROR. */
const WRONG_CONTENT_TYPE = 415

const isKept = (status: number) => status < 500 && status !== WRONG_CONTENT_TYPE && !notKept.has(status)

const toStoredResponse = ({
  status,
  headers,
  body
}: HttpServerResponse.HttpServerResponse): StoredResponse | undefined => {
  if (!isKept(status) || (body._tag !== "Uint8Array" && body._tag !== "Empty")) return undefined
  const { "content-length": _, ...kept } = headers
  return { status, headers: kept, body: body._tag === "Empty" ? new Uint8Array() : body.body }
}

const isValidationError = (error: unknown) => (error as { readonly code?: unknown }).code === "VALIDATION_ERROR"

/** The response to keep: a success, or an error that has a response. A failure of the service is not kept. */
const toStored = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>) => {
  if (Exit.isSuccess(exit)) return Effect.succeed(toStoredResponse(exit.value))
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  return HttpServerRespondable.isRespondable(failure) && !isValidationError(failure)
    ? Effect.map(Effect.orDie(HttpServerRespondable.toResponse(failure)), toStoredResponse)
    : Effect.undefined
}

const replay = ({ status, headers, body }: StoredResponse) => {
  const all = { ...headers, [IDEMPOTENCY_REPLAYED.toLowerCase()]: "true" }
  return body.length === 0
    ? HttpServerResponse.empty({ status, headers: all })
    : HttpServerResponse.uint8Array(body, { status, headers: all, contentType: headers["content-type"] })
}

/** Requests without the header are passed on unchanged. */
export const IdempotencyLive = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const responses = yield* IdempotentResponses
    return (httpEffect, { endpoint }) => {
      if (endpoint.method !== "POST") return httpEffect
      const isSecret = Context.get(endpoint.annotations, ReturnsSecret)
      const limit = bodyLimit(endpoint)

      const once = (request: HttpServerRequest.HttpServerRequest, name: string) =>
        Effect.gen(function* () {
          if (isSecret) return yield* secretResponse
          if (name.length === 0 || name.length > IDEMPOTENCY_KEY_MAX_LENGTH) return yield* wrongLength
          const { id, workspaceId } = yield* CurrentKey
          // The key of a session does not determine the workspace.
          const scope = (yield* CurrentSession) === undefined ? id : `${id} ${workspaceId}`
          const body = yield* Effect.option(Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, limit))
          // A body that can't be read is refused by the handler.
          if (body._tag === "None") return yield* httpEffect
          return yield* responses.once({
            asked: fingerprint(request, scope, name, body.value),
            run: httpEffect,
            toStored,
            replay
          })
        })

      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const name = request.headers[header]
        return name === undefined ? httpEffect : once(request, name)
      })
    }
  })
)
