import { isUtf8 } from "node:buffer"
import { RateClassOf } from "@edp/domain/auth/middleware"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { ByteSize, Context, Effect, Result } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { isOversizeJson } from "../network/jsonStructure.ts"

/** Limits above any sensible request. Below 1 MiB only the fields and the depth can be exceeded. */
const most = { strings: 300_000, containers: 350_000, depth: 5000 }

/** An object with very many fields costs more to check than its size suggests. */
const FIELDS = { ordinary: 20_000, bulk: 150_000 }

const number = (value: number) => value.toLocaleString("en")

const tooMuch = (fields: number) =>
  `Must have at most ${number(fields)} fields, ${number(most.strings)} strings and ${number(most.containers)} objects and arrays, nested at most ${number(most.depth)} deep`

type Request = HttpServerRequest.HttpServerRequest

const ORDINARY = ByteSize.mebibytes(1)
const BULK = ByteSize.mebibytes(5)

/** The largest bodies, for routes outside of the API. */
export const bodyLimits = { ordinary: ORDINARY, bulk: BULK }

/** The largest body that an endpoint reads. */
export const bodyLimit = (endpoint: HttpApiEndpoint.Top) =>
  Context.get(endpoint.annotations, RateClassOf) === "method" ? ORDINARY : BULK

const refused = (sentence: string) => Result.fail(invalid({ body: sentence }))

const notJsonType = refused("Must be JSON, with Content-Type: application/json")
const notUtf8 = refused("Must be in UTF-8")
const notJson = refused("Must be a valid JSON body")
const notObject = refused("Must be a JSON object")

const tooLarge = (limit: ByteSize.ByteSize) =>
  refused(`Must be at most ${ByteSize.toNumberUnsafe(limit) / 1024 / 1024} MiB`)

/** After parsing a longer body the fiber yields, so that other requests can run. */
const LONG = 65_536

export interface JsonBody {
  /** Whether the request has a body at all. */
  readonly isPresent: boolean
  /** `{}` without a body. */
  readonly value: Readonly<Record<string, unknown>>
}

const absent: JsonBody = { isPresent: false, value: {} }

export const hasBody = ({ headers }: Request) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0

const mediaType = /^\s*application\/json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** Whether a content type is accepted: JSON, which is UTF-8 (RFC 8259). A missing one counts as JSON. */
const wrongType = (contentType: string | undefined) => {
  if (contentType === undefined) return undefined
  if (!mediaType.test(contentType)) return notJsonType
  const named = charset.exec(contentType)?.[1]
  return named === undefined || /^utf-?8$/i.test(named) ? undefined : notUtf8
}

const decoder = new TextDecoder()

const parse = (bytes: Uint8Array, mostFields: number): Result.Result<JsonBody, ValidationError> => {
  if (bytes.length === 0) return Result.succeed(absent)
  if (!isUtf8(bytes)) return notUtf8
  if (isOversizeJson(bytes, { ...most, fields: mostFields })) return refused(tooMuch(mostFields))
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Result.succeed({ isPresent: true, value: value as JsonBody["value"] })
      : notObject
  } catch {
    return notJson
  }
}

const isOverflow = (error: unknown) =>
  /maxBytes/.test(String((error as { readonly reason?: { readonly cause?: unknown } }).reason?.cause))

const readBytes = (request: Request, limit: ByteSize.ByteSize) =>
  Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, limit).pipe(
    Effect.map((buffer) => parse(new Uint8Array(buffer), limit === BULK ? FIELDS.bulk : FIELDS.ordinary)),
    Effect.catch((error) => Effect.succeed(isOverflow(error) ? tooLarge(limit) : refused("Could not be read")))
  )

const read = (request: Request, limit: ByteSize.ByteSize): Effect.Effect<Result.Result<JsonBody, ValidationError>> => {
  if (!hasBody(request)) return Effect.succeed(Result.succeed(absent))
  if (Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(limit)) return Effect.succeed(tooLarge(limit))
  const wrong = wrongType(request.headers["content-type"])
  if (wrong !== undefined) return Effect.succeed(wrong)
  return Effect.flatMap(readBytes(request, limit), (body) => {
    return Number(request.headers["content-length"] ?? LONG) < LONG
      ? Effect.succeed(body)
      : Effect.as(Effect.yieldNow, body)
  })
}

/** Bodies by Node's request object: middleware may wrap the request, but a body can be read only once. */
const bodies = new WeakMap<object, Result.Result<JsonBody, ValidationError>>()

/**
 * The body of a request as every part of the server sees it: read once, within its limit, as JSON in UTF-8. A body that is
 * there is an object on every route, and none counts as `{}`.
 */
export const jsonBody = (request: Request, limit: ByteSize.ByteSize): Effect.Effect<JsonBody, ValidationError> => {
  const known = bodies.get(request.source)
  if (known !== undefined) return Effect.fromResult(known)
  return Effect.flatMap(read(request, limit), (body) => {
    bodies.set(request.source, body)
    return Effect.fromResult(body)
  })
}
