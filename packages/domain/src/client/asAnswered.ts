import { Effect } from "effect"
import { flattened } from "./ListPage.ts"
import { namingUnexpected } from "./UnexpectedAnswer.ts"

/** Answers as callers get them: lists in one shape, and what the contract does not know by a class of its own. */
export const asAnswered = <A, E, R>(decoded: Effect.Effect<A, E, R>): Effect.Effect<A, unknown, R> =>
  namingUnexpected(Effect.map(decoded, (answer) => flattened(answer) as A))
