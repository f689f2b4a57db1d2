import { Context, Effect } from "effect"

/** Whether calls that were answered with 404 are repeated once. */
export class RetryNotFound extends Context.Reference<boolean>("@edp/domain/client/RetryNotFound", {
  defaultValue: () => false
}) {}

/**
 * Repeats each call in the effect once, after 1 to 2 seconds, if it was answered with 404: for resources that were created a
 * moment ago.
 */
export const retryingNotFound: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(RetryNotFound, true)
