import { Layer } from "effect"
import * as apiKeys from "../../api-keys/layer.ts"
import * as audit from "../../audit/layer.ts"
import * as dashboard from "../../dashboard/layer.ts"
import { IdempotentResponses } from "../../platform/idempotency/IdempotentResponses.ts"
import { AuthenticationLive } from "./AuthenticationLive.ts"
import { ConditionalReadLive, DeprecationLive } from "./responseHeaders.ts"
import { IdempotencyLive } from "./IdempotencyLive.ts"
import { RateLimitLive } from "./RateLimitLive.ts"
import { RequestBodyLive, ServiceErrorsLive } from "./RequestBodyLive.ts"

/** The middleware of every endpoint. */
export const layer = Layer.mergeAll(
  AuthenticationLive.pipe(Layer.provide([apiKeys.layer, audit.layer, dashboard.authentication])),
  RateLimitLive,
  IdempotencyLive.pipe(Layer.provide(IdempotentResponses.layer)),
  RequestBodyLive,
  ConditionalReadLive,
  DeprecationLive,
  ServiceErrorsLive
)
