import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeyAuthenticator } from "../api-keys/KeyAuthenticator.ts"
import { DirectIntegrationTwins } from "../readings/ingest/DirectIntegrationHandlers.ts"
import { ApiHandlers } from "./ApiHandlers.ts"
import { DashboardHandlers } from "./DashboardHandlers.ts"
import { Docs } from "./Docs.ts"
import { HealthLive } from "./Health.ts"
import { MetricsLive } from "./MetricsEndpoint.ts"
import { AuthenticationLive } from "./middleware/AuthenticationLive.ts"
import { boundary } from "./middleware/boundary.ts"
import { ConditionalReadLive } from "./middleware/ConditionalReadLive.ts"
import { DeprecationLive } from "./middleware/DeprecationLive.ts"
import { IdempotencyLive } from "./middleware/IdempotencyLive.ts"
import { RateLimitLive } from "./middleware/RateLimitLive.ts"
import { RequestBodyLive } from "./middleware/RequestBodyLive.ts"
import { ServiceErrorsLive } from "./middleware/ServiceErrorsLive.ts"
import { PushShortcut } from "./PushShortcut.ts"
import { UnreadableRequests } from "./UnreadableRequests.ts"

const middleware = Layer.mergeAll(
  AuthenticationLive,
  RateLimitLive,
  IdempotencyLive,
  RequestBodyLive,
  ConditionalReadLive,
  DeprecationLive,
  ServiceErrorsLive
)

/** Every route, inside the boundary. */
export const HttpApp = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(ApiHandlers)),
  HttpApiBuilder.layer(DashboardApi).pipe(Layer.provide(DashboardHandlers)),
  DirectIntegrationTwins,
  PushShortcut,
  UnreadableRequests,
  Docs.layer,
  HealthLive,
  MetricsLive
).pipe(Layer.provide(middleware), Layer.provide(KeyAuthenticator.layer), Layer.provide(boundary))
