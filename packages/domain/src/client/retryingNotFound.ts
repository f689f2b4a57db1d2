import { Context, Effect } from "effect"

/** Whether calls that find nothing are made once more. */
export class RetryNotFound extends Context.Reference<boolean>("@edp/domain/client/RetryNotFound", {
  defaultValue: () => false
}) {}

/**
 * Each call in the effect that is answered 404 is made once more after 1 to 2 seconds: for what was created a moment ago,
 * perhaps by somebody else.
 */
export const retryingNotFound: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(RetryNotFound, true)
