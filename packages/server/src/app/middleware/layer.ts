import { Layer } from "effect"
import * as apiKeys from "../../api-keys/layer.ts"
import * as audit from "../../audit/layer.ts"
import * as dashboard from "../../dashboard/layer.ts"
import { AnswersRepository } from "../../platform/idempotency/AnswersRepository.ts"
import { IdempotentAnswers } from "../../platform/idempotency/IdempotentAnswers.ts"
import { AuthenticationLive } from "./AuthenticationLive.ts"
import { ConditionalReadLive, DeprecationLive } from "./responseHeaders.ts"
import { IdempotencyLive } from "./IdempotencyLive.ts"
import { RateLimitLive } from "./RateLimitLive.ts"
import { RequestBodyLive, ServiceErrorsLive } from "./RequestBodyLive.ts"

const answers = IdempotentAnswers.layer.pipe(Layer.provide(AnswersRepository.layer))

/** The middleware of every endpoint. */
export const layer = Layer.mergeAll(
  AuthenticationLive.pipe(Layer.provide([apiKeys.layer, audit.layer, dashboard.authentication])),
  RateLimitLive,
  IdempotencyLive.pipe(Layer.provide(answers)),
  RequestBodyLive,
  ConditionalReadLive,
  DeprecationLive,
  ServiceErrorsLive
)
