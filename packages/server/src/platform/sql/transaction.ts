import { Cause, Context, Effect, Exit, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { OtherConnections } from "./pooledClient.ts"
import { CurrentRequestTransaction } from "./RequestTransaction.ts"

/** The errors of an effect once its database errors are settled: it fails while the database is unavailable, and others are bugs. */
export type Settled<E> = Exclude<E, SqlError.SqlError> | DatabaseUnavailable

/**
 * Runs the effect in a transaction that commits when it succeeds. A deadlock or a serialization failure runs it again, three times
 * at most, so it may run nothing but SQL. Inside another transaction, and in a request whose response commits with its changes, it
 * becomes a savepoint.
 */
export const inTransaction = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Settled<E>, R | SqlClient.SqlClient> =>
  Effect.contextWith((context: Context.Context<R | SqlClient.SqlClient>) => {
    const sql = Context.get(context, SqlClient.SqlClient)
    if (Context.get(context, InTransaction)) return leaveToOutermost(sql.withTransaction(effect))
    const request = Context.get(context, CurrentRequestTransaction)
    const first = Context.get(context, FirstInTransaction)
    const whole = first === undefined ? effect : Effect.andThen(first, effect)
    if (request !== undefined) return leaveToOutermost(request.enter(whole))
    const transaction = revealSqlErrors(sql.withTransaction(Effect.provideService(whole, InTransaction, true)))
    return isOnReplica(context) ? leaveToOutermost(transaction) : settleSqlErrors(retryConflicts()(transaction))
  })

/** A read that fails on a replica is repeated on the primary, by `ReadReplica`. */
const isOnReplica = (context: Context.Context<never>) => Context.get(context, OtherConnections) !== undefined

/** `inTransaction` on a given client, for services whose callers have none. */
export const transactionsOn =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, Exclude<R, SqlClient.SqlClient>> =>
    Effect.provideService(inTransaction(effect), SqlClient.SqlClient, sql)

/** The same for work whose failure is its caller's, too: inside another transaction it is a part of that, without a savepoint. */
export const joinedOn =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, Exclude<R, SqlClient.SqlClient>> =>
    Effect.flatMap(InTransaction, (inside) =>
      inside
        ? (Effect.provideService(effect, SqlClient.SqlClient, sql) as Effect.Effect<
            A,
            Settled<E>,
            Exclude<R, SqlClient.SqlClient>
          >)
        : transactionsOn(sql)(effect)
    )

/**
 * Runs the effect in a read-only transaction that sees the database as it was at its start. Not for use inside another
 * transaction.
 */
export const inSnapshot = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Settled<E>, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.provideService(
      inTransaction(Effect.andThen(query(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`), effect)),
      CurrentRequestTransaction,
      undefined
    ).pipe(Effect.provideService(FirstInTransaction, undefined))
  )

/**
 * Runs a single statement and handles database errors as a transaction does. A single statement can deadlock, too: two that swap
 * values of a unique column wait for each other.
 */
export const query = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    if (Context.get(context, InTransaction) || isOnReplica(context)) return leaveToOutermost(effect)
    const request = Context.get(context, CurrentRequestTransaction)
    return request?.isOpen() === true
      ? leaveToOutermost(request.join(effect))
      : settleSqlErrors(retryConflicts()(effect))
  })

/**
 * Runs first in each outermost transaction of the fiber, and commits or is rolled back with it. It runs nothing but SQL, and may run
 * several times.
 */
export const FirstInTransaction = Context.Reference<Effect.Effect<void, DatabaseUnavailable> | undefined>(
  "@edp/server/FirstInTransaction",
  {
    defaultValue: () => undefined
  }
)

/** Whether the fiber is inside `inTransaction`. */
export const InTransaction = Context.Reference<boolean>("@edp/server/InTransaction", { defaultValue: () => false })

/** Whether statements of this fiber belong to an open transaction, so that another connection would wait for it. */
export const holdsTransaction: Effect.Effect<boolean> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(
    Context.get(context, InTransaction) || Context.get(context, CurrentRequestTransaction)?.isOpen() === true
  )
)

/** Turns the violation of a unique constraint into a domain error. For use inside `query`. */
export const uniqueTo =
  <D>(constraint: string, error: () => D) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | D, R> =>
    Effect.catch(self, (failure): Effect.Effect<never, E | D> =>
      Effect.fail(violates(failure, constraint) ? error() : failure)
    )

const violates = (failure: unknown, constraint: string) =>
  SqlError.isSqlError(failure) && failure.reason._tag === "UniqueViolation" && failure.reason.constraint === constraint

const conflictPause = Schedule.jittered(Schedule.exponential("10 millis"))

/** Runs the effect again after a conflict, while `may` allows it. Effects without a conflict don't pay for the schedule. */
export const retryConflicts =
  (may: () => boolean = () => true) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const isWorthwhile = (failure: E) => isConflict(failure) && may()
    return Effect.catchIf(effect, isWorthwhile, () =>
      Effect.delay(Effect.retry(effect, { while: isWorthwhile, times: 2, schedule: conflictPause }), "10 millis")
    )
  }

const isConflict = (failure: unknown) =>
  SqlError.isSqlError(failure) &&
  (failure.reason._tag === "DeadlockError" || failure.reason._tag === "SerializationError")

/**
 * Inside a transaction a database error concerns the whole: a deadlock rolls everything back. As a defect it passes all handlers
 * of domain errors and reaches the outermost transaction, which recovers it.
 */
export const leaveToOutermost = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catch(effect, (failure): Effect.Effect<never, Exclude<E, SqlError.SqlError>> =>
    SqlError.isSqlError(failure) ? Effect.die(failure) : Effect.fail(failure as Exclude<E, SqlError.SqlError>)
  )

const leftIn = (cause: Cause.Cause<unknown>) =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map((reason) => reason.defect)
    .find(SqlError.isSqlError)

/** Recovers the errors of `leaveToOutermost`; a rollback over a broken connection also dies with its reason. */
export const revealSqlErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const found = leftIn(cause)
    return found === undefined ? Effect.failCause(cause) : Effect.fail(found)
  })

/** The database error of an exit, whether it is a failure or a defect of `leaveToOutermost`. */
export const findSqlError = (exit: Exit.Exit<unknown, unknown>): SqlError.SqlError | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const failures = exit.cause.reasons.filter(Cause.isFailReason).map(({ error }) => error)
  return failures.find(SqlError.isSqlError) ?? leftIn(exit.cause)
}

/** An unavailable database is a failure that callers handle. Any other database error is a bug, and becomes a defect. */
export const settleSqlErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, R> =>
  Effect.catch(effect, (failure): Effect.Effect<never, Settled<E>> => {
    if (!SqlError.isSqlError(failure)) return Effect.fail(failure as Exclude<E, SqlError.SqlError>)
    if (!isPassing(failure)) return Effect.die(failure)
    const { code, message = failure.message } = underlyingCause(failure)
    return Effect.andThen(
      logFailure(`database ${code ?? failure.reason._tag}`, `The database is unavailable: ${message}`),
      Effect.fail(new DatabaseUnavailable())
    )
  })

const passingReasons = new Set([
  "ConnectionError",
  "LockTimeoutError",
  "StatementTimeoutError",
  "DeadlockError",
  "SerializationError"
])

/**
 * SQLSTATE classes of a server that is out of resources (53), stopping or starting (57P) or failing (58), the states with which it
 * ends a session whose transaction was idle or ran too long (25P03, 25P04), and that of a server which is the leader no longer (25006).
 */
const passingStates = /^(53|57P|58|25P03|25P04|25006)/

const isPassing = ({ reason }: Pick<SqlError.SqlError, "reason">) =>
  passingReasons.has(reason._tag) ||
  reason.operation === "connect" ||
  passingStates.test(underlyingCause({ reason }).code ?? "")

/** The error of the server or the network. */
const underlyingCause = ({ reason }: Pick<SqlError.SqlError, "reason">) =>
  (reason.cause ?? {}) as { readonly code?: string; readonly message?: string }

/** Repeats a batch until one is smaller than the most that it takes. Returns the sum. */
export const untilDone = <E, R>(
  batch: Effect.Effect<number, E, R>,
  most: number,
  total = 0
): Effect.Effect<number, E, R> =>
  Effect.flatMap(batch, (done) => (done < most ? Effect.succeed(total + done) : untilDone(batch, most, total + done)))
