import { Layer } from "effect"
import * as apiKeys from "../../api-keys/layer.ts"
import * as audit from "../../audit/layer.ts"
import { AnswersRepository } from "../../platform/idempotency/AnswersRepository.ts"
import { IdempotentAnswers } from "../../platform/idempotency/IdempotentAnswers.ts"
import { AuthenticationLive } from "./AuthenticationLive.ts"
import { ConditionalReadLive } from "./ConditionalReadLive.ts"
import { DeprecationLive } from "./DeprecationLive.ts"
import { IdempotencyLive } from "./IdempotencyLive.ts"
import { RateLimitLive } from "./RateLimitLive.ts"
import { RequestBodyLive } from "./RequestBodyLive.ts"
import { ServiceErrorsLive } from "./ServiceErrorsLive.ts"

const answers = IdempotentAnswers.layer.pipe(Layer.provide(AnswersRepository.layer))

/** What every endpoint of the contract passes through. */
export const layer = Layer.mergeAll(
  AuthenticationLive.pipe(Layer.provide([apiKeys.layer, audit.layer])),
  RateLimitLive,
  IdempotencyLive.pipe(Layer.provide(answers)),
  RequestBodyLive,
  ConditionalReadLive,
  DeprecationLive,
  ServiceErrorsLive
)
