import { Context } from "effect"
import { HttpApi, type HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { RateLimited, ServiceUnavailable, UnknownError, ValidationError } from "../errors/ApiErrors.ts"
import { Authentication, CurrentKey } from "./Authentication.ts"

/** The rate class of a request: read (GET), bulk (bulk endpoints) or write (all others). */
export type RateClass = "read" | "write" | "bulk"

/**
 * Endpoint annotation: the rate class. `method` follows the HTTP method; `readings` is bulk when the body carries
 * `readings`, else write.
 */
export class RateClassOf extends Context.Reference<"method" | "bulk" | "readings">("@edp/domain/RateClassOf", {
  defaultValue: () => "method"
}) {}

/** Counts the request against the limit of its key and responds with RATE_LIMITED beyond it. */
export class RateLimit extends HttpApiMiddleware.Service<RateLimit, { requires: CurrentKey }>()(
  "@edp/domain/RateLimit",
  { error: [RateLimited, UnknownError] }
) {}

/** The request header that identifies a request, so that its repetition has no effect. */
export const IDEMPOTENCY_KEY = "Idempotency-Key"
/** The response header of a stored response. */
export const IDEMPOTENCY_REPLAYED = "Idempotency-Replayed"
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255

/**
 * Endpoint annotation: the response contains a secret. It must not be stored, so a POST with an Idempotency-Key is refused.
 * A session of the dashboard needs a sign-in of the last 10 minutes for it.
 */
export class ReturnsSecret extends Context.Reference<boolean>("@edp/domain/ReturnsSecret", {
  defaultValue: () => false
}) {}

/**
 * Endpoint annotation: it makes credentials, changes them or ends them. A session of the dashboard needs a sign-in of the last
 * 10 minutes for it, so that a session that was left open can't outlive itself.
 */
export class NeedsFreshSignIn extends Context.Reference<boolean>("@edp/domain/NeedsFreshSignIn", {
  defaultValue: () => false
}) {}

/** Executes a POST with an Idempotency-Key once and responds to repetitions with the first response. */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: CurrentKey }>()(
  "@edp/domain/Idempotency",
  { error: [ValidationError, ServiceUnavailable] }
) {}

/** Reads the body up to its size limit and responds with VALIDATION_ERROR with all invalid fields. */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("@edp/domain/RequestBody", {
  error: ValidationError
}) {}

/** The errors that every endpoint can return when the service fails. */
export class ServiceErrors extends HttpApiMiddleware.Service<ServiceErrors>()("@edp/domain/ServiceErrors", {
  error: [UnknownError, ServiceUnavailable]
}) {}

/**
 * Whether an endpoint reads one resource: a GET whose path ends in a parameter. Its response has a weak ETag, and it
 * supports `If-None-Match`.
 */
export const readsOne = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "GET" && /\/:\w+\/?$/.test(path)

/** Adds an ETag to responses with a single resource, and responds with 304 if it matches `If-None-Match`. */
export class ConditionalRead extends HttpApiMiddleware.Service<ConditionalRead>()("@edp/domain/ConditionalRead") {}

export interface DeprecatedEndpoint {
  /** First day of the deprecation, ISO 8601. */
  readonly since: string
  /** Day on which the endpoint stops working, ISO 8601. */
  readonly sunset: string
  /** Link to the migration notes. */
  readonly notes: string
}

/** Endpoint annotation: the endpoint is deprecated and works until its sunset. */
export class Deprecated extends Context.Reference<DeprecatedEndpoint | undefined>("@edp/domain/Deprecated", {
  defaultValue: () => undefined
}) {}

/** Marks an endpoint as deprecated in its responses and in the OpenAPI document. Use it after `describe`. */
export const deprecated = (endpoint: DeprecatedEndpoint): Context.Context<never> =>
  Context.merge(Context.make(Deprecated, endpoint), OpenApi.annotations({ deprecated: true }))

/** Adds the headers `Deprecation`, `Sunset` and `Link` to the responses of deprecated endpoints. */
export class Deprecation extends HttpApiMiddleware.Service<Deprecation>()("@edp/domain/Deprecation") {}

/**
 * The middleware of every request. The last one is the outermost: authentication, then rate limit, then idempotency, then
 * body, so that an invalid key is reported before an exceeded limit, and that before an invalid request.
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
    // Stored values were checked when they came in. Checking them again would refuse a whole page for one old value.
    .annotate(HttpApi.SuccessParseOptions, { disableChecks: true })
