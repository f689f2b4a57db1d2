import { Context } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"

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
