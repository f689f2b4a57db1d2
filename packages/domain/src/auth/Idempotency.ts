import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { ServiceUnavailable, ValidationError } from "../errors/ApiErrors.ts"
import { CurrentKey } from "./Authentication.ts"

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
