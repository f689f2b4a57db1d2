import { Cause, Context, Effect, Exit, Option, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { monotonicMillis } from "../jobs/monotonic.ts"
import { logFailure } from "../logs/repeatedFailures.ts"
import { type Family, counter, gauge } from "../observability/processMetrics.ts"
import { OtherConnections, type PooledClientOptions, makeConnections } from "../sql/pooledClient.ts"
import { CurrentRequestTransaction } from "../sql/RequestTransaction.ts"
import { decodeRows } from "../sql/rows.ts"
import { InTransaction, type Settled, findSqlError, revealSqlErrors, settleSqlErrors } from "../sql/transaction.ts"
import { ReplayedMarks } from "./ReplayedMarks.ts"

/** `unknown`: it does not respond, or is no replica of the primary. */
export type ReplicaState = "ok" | "behind" | "unknown"

interface ReadReplica {
  /** The connections of the replica, unless it is behind or its lag is unknown. */
  readonly connections: Effect.Effect<typeof OtherConnections.Service>
  readonly state: Effect.Effect<ReplicaState>
  readonly families: Effect.Effect<ReadonlyArray<Family>>
  /** The number of reads so far, by where they ran. */
  readonly reads: Record<"primary" | "replica" | "repeated", number>
}

const key = Symbol.for("@edp/server/platform/replicas/readReplica")

/** The replica of a client, if it has one. */
export const replicaIn = (client: SqlClient.SqlClient): ReadReplica | undefined =>
  (client as { readonly [key]?: ReadReplica })[key]

/** Runs an effect within a read of a replica on the primary, because it writes, or must see everything. */
export const onPrimary = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, OtherConnections, undefined)

const isRepeatable = (failure: SqlError.SqlError | undefined) => failure?.reason._tag !== "StatementTimeoutError"

/** Repeats a read that has failed on the replica. One that takes too long would take as long on the primary. */
const repeatOnPrimary = <A, E, R>(
  { reads }: ReadReplica,
  effect: Effect.Effect<A, E, R>,
  cause: Cause.Cause<E>
): Effect.Effect<A, Settled<E>, R> =>
  Effect.suspend(() => {
    const failure = findSqlError(Exit.failCause(cause))
    if (Cause.hasInterruptsOnly(cause) || !isRepeatable(failure)) {
      return settleSqlErrors(revealSqlErrors(Effect.failCause(cause)))
    }
    if (failure === undefined) return settleSqlErrors(onPrimary(effect))
    reads.repeated += 1
    return Effect.andThen(
      logFailure("replica read", `A read was repeated on the primary: ${explain(failure)}`),
      settleSqlErrors(onPrimary(effect))
    )
  })

/**
 * Runs reads on the replica of the database, if there is one that lags no more than it may, and no transaction is open. Only a success counts
 * there: what fails on the replica, or is refused because it lacks a row, is repeated on the primary.
 */
export const makeReads = Effect.map(SqlClient.SqlClient, (sql) => {
  const replica = replicaIn(sql)
  return {
    onReplica: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Settled<E>, R> =>
      replica === undefined
        ? (effect as Effect.Effect<A, Settled<E>, R>)
        : Effect.contextWith((context: Context.Context<R>) =>
            Effect.flatMap(replica.connections, (connections) => {
              if (Context.get(context, OtherConnections) !== undefined) return effect as Effect.Effect<A, Settled<E>, R>
              const request = Context.get(context, CurrentRequestTransaction)
              if (connections === undefined || Context.get(context, InTransaction) || request !== undefined) {
                replica.reads.primary += 1
                return effect as Effect.Effect<A, Settled<E>, R>
              }
              replica.reads.replica += 1
              return Effect.catchCause(Effect.provideService(effect, OtherConnections, connections), (cause) =>
                repeatOnPrimary(replica, effect, cause)
              )
            })
          )
  }
})

/** The longest time between two looks at the lag, and that for a response to one, in milliseconds. */
const LOOK = 1000
const RESPONSE = 2000

const PrimaryRow = Schema.Struct({ position: Schema.String, database: Schema.String })
const ReplicaRow = Schema.Struct({ position: Schema.NullOr(Schema.String), database: Schema.String })

/** A database of a cluster. */
const identity = "(SELECT system_identifier FROM pg_control_system()) || ' ' || current_database() AS database"

const explain = ({ message, reason }: SqlError.SqlError) =>
  (reason.cause as { readonly message?: string } | undefined)?.message ?? message

/** Adds a replica to a client. It need not be there: until it is, and while it lags, reads run on the primary. */
export const withReplica = Effect.fnUntraced(function* <Client extends SqlClient.SqlClient>(
  client: Client,
  options: PooledClientOptions,
  lagSeconds: number
) {
  const sql: SqlClient.SqlClient = client
  // Nothing connects yet.
  const connections = yield* Effect.orDie(makeConnections(options))
  // Reads that wait for a connection do not hide the lag.
  const looking = yield* Effect.orDie(makeConnections({ ...options, maxConnections: 1 }))
  const marks = new ReplayedMarks()
  const reads = { primary: 0, replica: 0, repeated: 0 }
  const most = lagSeconds * 1000
  const began = yield* monotonicMillis

  const ask = <Row>(statement: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>) =>
    statement.pipe(Effect.timeoutOption(RESPONSE), Effect.map(Option.map(([row]) => row!)), Effect.result)

  const look = Effect.gen(function* () {
    const at = yield* monotonicMillis
    const primary = yield* ask(
      decodeRows(PrimaryRow)(sql`SELECT (pg_current_wal_lsn() - '0/0')::text AS position, ${sql.literal(identity)}`)
    )
    const replica = yield* ask(
      decodeRows(
        ReplicaRow
      )(sql`SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text END AS position,
        ${sql.literal(identity)}`).pipe(Effect.provideService(OtherConnections, looking))
    )
    // Without a response of the primary the lag grows, and the replica is left after it.
    const known = primary._tag === "Success" ? Option.getOrUndefined(primary.success) : undefined
    if (known !== undefined) marks.mark(at, BigInt(known.position))
    const refuse = (reason: string) => {
      marks.forget()
      return reason
    }
    if (replica._tag === "Failure") return refuse(`the replica can't be asked: ${explain(replica.failure)}`)
    if (Option.isNone(replica.success)) return refuse(`the replica did not respond within ${RESPONSE / 1000} seconds`)
    const { database, position } = replica.success.value
    if (position === null) return refuse("the server of DATABASE_READ_URL is not a replica")
    if (known !== undefined && database !== known.database) {
      return refuse("DATABASE_READ_URL leads to another database than DATABASE_URL")
    }
    if (!marks.replay(BigInt(position))) return refuse("the replica does not follow the primary")
    // After the start the first mark may not be replayed yet.
    const now = yield* monotonicMillis
    const lag = marks.lag(now) ?? now - began
    return lag <= most ? undefined : `the replica is ${Math.round(lag / 1000)} seconds behind, or more`
  }).pipe(Effect.withTracerEnabled(false))

  const watch = Effect.flatMap(look, (reason) =>
    reason === undefined ? Effect.void : logFailure("replica", `Reads run on the primary: ${reason}`)
  )
  yield* Effect.forkScoped(Effect.repeat(watch, Schedule.spaced(Math.min(LOOK, most / 5))))

  const lag = Effect.map(monotonicMillis, (now) => marks.lag(now))
  const replica: ReadReplica = {
    connections: Effect.map(lag, (found) => (found !== undefined && found <= most ? connections : undefined)),
    state: Effect.map(lag, (found) => (found === undefined ? "unknown" : found <= most ? "ok" : "behind")),
    reads,
    families: Effect.map(lag, (found) => [
      gauge(
        "edp_replica_lag_seconds",
        "The age of what the replica is known to hold; absent while it is unknown",
        ...(found === undefined ? [] : [{ value: found / 1000 }])
      ),
      counter(
        "edp_replica_reads_total",
        "Reads for which a replica is configured, by where they ran; those that failed on the replica count as repeated, too",
        ...Object.entries(reads).map(([on, value]) => ({ labels: { on }, value }))
      )
    ])
  }
  return Object.assign(client, { [key]: replica })
})
