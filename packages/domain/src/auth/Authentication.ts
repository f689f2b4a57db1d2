import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { Unauthenticated, RateLimited, ServiceUnavailable } from "../errors/ApiErrors.ts"
import type { ApiKeyType, RateLimits } from "./ApiKeyType.ts"

/** The key of the request, which determines the workspace. */
export class CurrentKey extends Context.Service<
  CurrentKey,
  {
    readonly id: string
    readonly type: ApiKeyType
    readonly organizationId: string
    readonly workspaceId: string
    /** The user who owns the key; null without an owner. */
    readonly ownerId: string | null
    /** Manufacturer slugs that a MANUFACTURER key covers. */
    readonly manufacturerScope: ReadonlyArray<string> | null
    /** The user whose devices a SCOPED key covers. */
    readonly scopeReferenceId: string | null
    /** The only devices of that user that a SCOPED key covers; null for all. */
    readonly scopeDeviceIds: ReadonlyArray<string> | null
    readonly rateLimits: RateLimits | null
  }
>()("@edp/domain/CurrentKey") {}

/** Authentication by the header `Service-Api-Key`, and the check that the key's type may call the endpoint. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentKey }>()(
  "@edp/domain/Authentication",
  {
    requiredForClient: true,
    security: { serviceApiKey: HttpApiSecurity.apiKey({ in: "header", key: "Service-Api-Key" }) },
    error: [Unauthenticated, RateLimited, ServiceUnavailable]
  }
) {}
