import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Cause, Context, Effect, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"

type Settled<E> = Exclude<E, SqlError.SqlError>

/**
 * Runs the effect in a transaction that commits when it succeeds. A deadlock or a serialization failure runs it again,
 * three times at most, so it may do nothing but SQL. Inside another transaction it becomes a savepoint of that one.
 */
export const inTransaction = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Settled<E>, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(InTransaction, (nested) =>
      nested
        ? leaveToOutermost(sql.withTransaction(effect))
        : revealSqlErrors(sql.withTransaction(Effect.provideService(effect, InTransaction, true))).pipe(
            retryConflicts,
            settleSqlErrors
          )
    )
  )

/** The same on a client that is at hand, for a service whose callers know of none. */
export const transactionsOn =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, Exclude<R, SqlClient.SqlClient>> =>
    Effect.provideService(inTransaction(effect), SqlClient.SqlClient, sql)

/**
 * Runs the effect in a transaction that only reads, and sees the database as it was when it began, whatever is committed
 * meanwhile. Not for use inside another transaction.
 */
export const inSnapshot = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Settled<E>, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    inTransaction(Effect.andThen(query(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`), effect))
  )

/**
 * Runs a single statement: what the database's troubles mean is decided here, as in a transaction. A single one can
 * deadlock too: two that swap values of a unique column wait for each other.
 */
export const query = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, R> =>
  Effect.flatMap(InTransaction, (nested) =>
    nested ? leaveToOutermost(effect) : settleSqlErrors(retryConflicts(effect))
  )

/** Whether a transaction of `inTransaction` is open here. */
export const InTransaction = Context.Reference<boolean>("@edp/server/InTransaction", { defaultValue: () => false })

/** Turns the violation of one unique constraint into a domain error. It goes inside `query`. */
export const uniqueTo =
  <D>(constraint: string, error: () => D) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | D, R> =>
    Effect.catch(self, (failure): Effect.Effect<never, E | D> =>
      Effect.fail(violates(failure, constraint) ? error() : failure)
    )

const violates = (failure: unknown, constraint: string) =>
  SqlError.isSqlError(failure) && failure.reason._tag === "UniqueViolation" && failure.reason.constraint === constraint

const conflictPause = Schedule.jittered(Schedule.exponential("10 millis"))

const retryConflicts = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, { while: isConflict, times: 3, schedule: conflictPause })

const isConflict = (failure: unknown) =>
  SqlError.isSqlError(failure) &&
  (failure.reason._tag === "DeadlockError" || failure.reason._tag === "SerializationError")

/**
 * Inside a transaction no part can judge a database error alone: a deadlock undoes the whole. As a defect it passes
 * everything that handles domain errors and reaches the outermost transaction, which finds it again.
 */
const leaveToOutermost = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catch(effect, (failure): Effect.Effect<never, Exclude<E, SqlError.SqlError>> =>
    SqlError.isSqlError(failure) ? Effect.die(failure) : Effect.fail(failure as Exclude<E, SqlError.SqlError>)
  )

/** Finds what was left to the outermost; a rollback over a broken connection dies with the reason, too. */
const revealSqlErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const defects = cause.reasons.filter(Cause.isDieReason).map((reason) => reason.defect)
    const found = defects.find(SqlError.isSqlError)
    return found === undefined ? Effect.failCause(cause) : Effect.fail(found)
  })

// The caller of a service can do nothing about the database, so SERVICE_UNAVAILABLE stays out of every signature: it
// travels as a defect to the HTTP boundary, which answers it.
const settleSqlErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, R> =>
  Effect.catch(effect, (failure): Effect.Effect<never, Settled<E>> => {
    if (!SqlError.isSqlError(failure)) return Effect.fail(failure as Exclude<E, SqlError.SqlError>)
    if (!isPassing(failure)) return Effect.die(failure)
    return Effect.andThen(
      Effect.logWarning(`The database is unavailable: ${causeOf(failure).message ?? failure.message}`),
      Effect.die(new ServiceUnavailable({ message: "The database is not available; try again" }))
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
 * SQLSTATE classes of a server that is out of resources (53), is stopping or starting (57P) or failed by itself (58), and the
 * states in which it has ended a session whose transaction took or waited too long (25P03, 25P04).
 */
const passingStates = /^(53|57P|58|25P03|25P04)/

const isPassing = ({ reason }: Pick<SqlError.SqlError, "reason">) =>
  passingReasons.has(reason._tag) ||
  reason.operation === "connect" ||
  passingStates.test(causeOf({ reason }).code ?? "")

/** What the server or the network said. */
const causeOf = ({ reason }: Pick<SqlError.SqlError, "reason">) =>
  (reason.cause ?? {}) as { readonly code?: string; readonly message?: string }
