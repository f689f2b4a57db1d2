import { Context, Effect } from "effect"
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import type { HttpApiEndpoint } from "effect/http-api"
import { AnswersSecret } from "../auth/Idempotency.ts"

/** The Idempotency-Key that the caller chose; without one each call makes its own. */
export class ChosenIdempotencyKey extends Context.Reference<string | undefined>(
  "@edp/domain/client/ChosenIdempotencyKey",
  { defaultValue: () => undefined }
) {}

/**
 * The POST in the effect carries this Idempotency-Key instead of one made for it: the same one sent again within 24 hours,
 * be it by another process, does nothing more and is answered alike. It names one request, so it goes around one call.
 */
export const withIdempotencyKey =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, ChosenIdempotencyKey, key)

/** Whether the service recognises a repetition of the endpoint's request by the header. */
export const takesIdempotencyKey = ({ annotations, method }: HttpApiEndpoint.Top): boolean =>
  method === "POST" && !Context.get(annotations, AnswersSecret)

export const newIdempotencyKey = Effect.sync(() => uuidV4Unsafe())
