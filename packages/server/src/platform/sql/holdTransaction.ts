import { Context, Deferred, Effect, Exit, Fiber } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import type { Claim, OpenTransaction, RequestTransaction, StoredResponse } from "./RequestTransaction.ts"
import {
  InTransaction,
  leaveToOutermost,
  revealSqlErrors,
  retryConflicts,
  settleSqlErrors,
  findSqlError
} from "./transaction.ts"

export interface HeldTransaction extends RequestTransaction {
  /**
   * Ends the transaction: commits it with a response, rolls it back without one. False if no transaction was open.
   */
  readonly settle: (response: StoredResponse | undefined) => Effect.Effect<boolean, DatabaseUnavailable>
}

/** The services that the transaction added to the context, with which statements find its connection. */
const added = (outer: Context.Context<never>, inner: Context.Context<never>) =>
  Context.makeUnsafe<never>(
    new Map(Array.from(inner.mapUnsafe).filter(([key, value]) => outer.mapUnsafe.get(key) !== value))
  )

/** Creates the transaction of a request. It opens when it is entered; `begin` runs first in it and `end` last. */
export const holdTransaction = (
  sql: SqlClient.SqlClient,
  claim: Claim,
  {
    begin,
    end
  }: {
    readonly begin: Effect.Effect<void, DatabaseUnavailable>
    readonly end: (response: StoredResponse) => Effect.Effect<void, DatabaseUnavailable>
  }
): HeldTransaction => {
  let open: OpenTransaction | undefined
  let context: Context.Context<never> | undefined

  const savepoint = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(Effect.provideService(effect, InTransaction, true))

  const join = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      if (context === undefined) return Effect.die(new Error("The request must run no statement after its readings"))
      const open = context
      return leaveToOutermost(
        Effect.updateContext(effect, (own: Context.Context<R>) => Context.merge(own, open) as Context.Context<R>)
      )
    }) as Effect.Effect<A, E, R>

  const first = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseUnavailable, R> =>
    Effect.gen(function* () {
      const outer = yield* Effect.context<never>()
      const begun = yield* Deferred.make<Exit.Exit<A, E | SqlError.SqlError>>()
      const answered = yield* Deferred.make<StoredResponse>()
      const whole = sql.withTransaction(
        Effect.gen(function* () {
          yield* Effect.provideService(begin, InTransaction, true)
          const exit = yield* Effect.exit(savepoint(effect))
          const failure = findSqlError(exit)
          if (failure !== undefined) return yield* Effect.fail(failure)
          context = added(outer, yield* Effect.context<never>())
          yield* Deferred.succeed(begun, exit)
          yield* Effect.provideService(Effect.flatMap(Deferred.await(answered), end), InTransaction, true)
        })
      )
      // A retry is only possible while the request has not continued.
      const fiber = yield* revealSqlErrors(whole).pipe(
        retryConflicts(() => context === undefined),
        settleSqlErrors,
        Effect.forkDetach
      )
      open = {
        commit: (response) => Effect.andThen(Deferred.succeed(answered, response), Fiber.join(fiber)),
        rollback: Fiber.interrupt(fiber)
      }
      const failed = Effect.flatMap(Fiber.join(fiber), () => Effect.never)
      return yield* Effect.flatten(Effect.raceFirst(Deferred.await(begun), failed))
    }) as Effect.Effect<A, E | DatabaseUnavailable, R>

  return {
    claim,
    isOpen: () => open !== undefined,
    join,
    enter: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(
        () =>
          (open === undefined ? first(effect) : join(savepoint(effect))) as Effect.Effect<A, E | DatabaseUnavailable, R>
      ),
    adopt: (other) => {
      open = other
    },
    settle: (response) =>
      Effect.suspend(() => {
        if (open === undefined) return Effect.succeed(false)
        return Effect.as(response === undefined ? open.rollback : open.commit(response), true)
      })
  }
}
