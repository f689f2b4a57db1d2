import { Context } from "effect"
import { HttpApi, type HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { RateLimited, ServiceUnavailable, UnknownError, ValidationError } from "../errors/ApiErrors.ts"
import { Authentication, CurrentKey } from "./Authentication.ts"

/** The window a call counts in: read (GET), write (the rest), or bulk, which bulk endpoints count in instead. */
export type RateClass = "read" | "write" | "bulk"

/**
 * Endpoint annotation: the rate class. `method` follows the HTTP method; `readings` is bulk when the body carries
 * `readings`, else write.
 */
export class RateClassOf extends Context.Reference<"method" | "bulk" | "readings">("@edp/domain/RateClassOf", {
  defaultValue: () => "method"
}) {}

/** Counts the call against its key's window and answers RATE_LIMITED beyond the limit. */
export class RateLimit extends HttpApiMiddleware.Service<RateLimit, { requires: CurrentKey }>()(
  "@edp/domain/RateLimit",
  { error: [RateLimited, UnknownError] }
) {}

/** The header by which a caller names a request, so that sending it again does nothing again. */
export const IDEMPOTENCY_KEY = "Idempotency-Key"
/** Tells that an answer is the stored one of the first request of that name. */
export const IDEMPOTENCY_REPLAYED = "Idempotency-Replayed"
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255

/**
 * Endpoint annotation: the answer holds a secret. No store may hold it, so a request that asks for its answer to be kept
 * is refused.
 */
export class AnswersSecret extends Context.Reference<boolean>("@edp/domain/AnswersSecret", {
  defaultValue: () => false
}) {}

/** Runs a POST that carries an Idempotency-Key once, and answers repetitions with the first answer. */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: CurrentKey }>()(
  "@edp/domain/Idempotency",
  { error: [ValidationError, ServiceUnavailable] }
) {}

/** Reads the body within its limit, and turns what does not decode into VALIDATION_ERROR with all offending fields. */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("@edp/domain/RequestBody", {
  error: ValidationError
}) {}

/** What every endpoint can answer when the service itself fails. */
export class ServiceErrors extends HttpApiMiddleware.Service<ServiceErrors>()("@edp/domain/ServiceErrors", {
  error: [UnknownError, ServiceUnavailable]
}) {}

/**
 * Whether an endpoint reads one resource: a GET whose path ends in a parameter. Its answer carries a weak ETag, and
 * `If-None-Match` answers 304.
 */
export const readsOne = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "GET" && /\/:\w+\/?$/.test(path)

/** Gives single resources an ETag, and answers 304 without a body to who has the resource as it is. */
export class ConditionalRead extends HttpApiMiddleware.Service<ConditionalRead>()("@edp/domain/ConditionalRead") {}

export interface DeprecatedEndpoint {
  /** The day from which on it is deprecated, ISO 8601. */
  readonly since: string
  /** When it stops working, ISO 8601. */
  readonly sunset: string
  /** Where the notes are that tell what to use instead. */
  readonly notes: string
}

/** Endpoint annotation: the endpoint still works, until its sunset. */
export class Deprecated extends Context.Reference<DeprecatedEndpoint | undefined>("@edp/domain/Deprecated", {
  defaultValue: () => undefined
}) {}

/** Marks an endpoint as deprecated, in its answers and in the OpenAPI document; goes after `describe`. */
export const deprecated = (endpoint: DeprecatedEndpoint): Context.Context<never> =>
  Context.merge(Context.make(Deprecated, endpoint), OpenApi.annotations({ deprecated: true }))

/** Tells with every answer of a deprecated endpoint that it is one: `Deprecation`, `Sunset` and `Link`. */
export class Deprecation extends HttpApiMiddleware.Service<Deprecation>()("@edp/domain/Deprecation") {}

/**
 * What every request passes through. The last middleware is the outermost: who calls, then the rate limit, then whether the
 * request was answered before, then the body, so that a bad key is told before a spent limit and a spent limit before a bad
 * request.
 */
export const withConventions = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  api
    .middleware(ConditionalRead)
    .middleware(RequestBody)
    .middleware(Idempotency)
    .middleware(RateLimit)
    .middleware(Authentication)
    .middleware(Deprecation)
    .middleware(ServiceErrors)
    .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
    .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
    .annotate(HttpApi.ParamsParseOptions, { errors: "all" })
