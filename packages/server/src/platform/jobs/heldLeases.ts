import { randomUUID } from "node:crypto"
import { Effect, type Scope, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { dedicatedSession } from "../sql/pooledClient.ts"
import { query, transactionsOn } from "../sql/transaction.ts"
import { LeaseHolder } from "./LeaseHolder.ts"
import { pauseAfter } from "./pauseAfter.ts"
import { queryRows } from "../sql/rows.ts"

/** How often a process checks whether its session still lives, in milliseconds, and how long the response may take. */
const LOOK = 2000
const PATIENCE = "5 seconds"

/** A process whose session is gone for longer has died: one that has only lost its connection has a new one by then. */
const GRACE_SECONDS = 2

/** Holders that one sweep ends at most. */
const MOST = 100

/** The number of the advisory lock that a holder keeps for as long as its session lives. */
const lockNumber = (id: string) => `hashtextextended('lease holder ${id}', 0)`

const IsGoneRow = Schema.Struct({ isGone: Schema.Boolean })

/**
 * Shows the other processes that this one lives, by an advisory lock of a session that PostgreSQL ends with the process. A lost session
 * is opened again, and the leases are renewed at once; if others have ended them meanwhile, this process goes on as a new holder. On
 * the embedded database there is no other process.
 */
export const holdLeases: Effect.Effect<void, DatabaseUnavailable, SqlClient.SqlClient | Scope.Scope> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* LeaseHolder
    const session = dedicatedSession(sql)
    const register = Effect.suspend(() =>
      query(sql`INSERT INTO lease_holders (id) VALUES (${holder.id}::uuid) ON CONFLICT DO NOTHING`)
    )
    if (session === undefined) return yield* Effect.asVoid(register)

    let isRegistered = false
    let failures = 0

    /** After a pause in which others may have taken this process for gone. */
    const goOn = Effect.gen(function* () {
      const rows = yield* query(
        sql`UPDATE lease_holders SET missing_since = NULL WHERE id = ${holder.id}::uuid RETURNING id`
      )
      for (const doubt of holder.doubted) doubt()
      if (rows.length > 0) return
      holder.id = randomUUID()
      isRegistered = false
      return yield* Effect.die(new Error("Its leases were ended meanwhile"))
    })

    /** Holds the lock until the session is lost, which fails. */
    const hold = Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* session
        const ask = (statement: string) => Effect.timeout(connection.executeRaw(statement, []), PATIENCE)
        yield* ask("SET idle_session_timeout = 0")
        yield* ask(`SELECT pg_advisory_lock(${lockNumber(holder.id)})`)
        if (isRegistered) yield* goOn
        else {
          yield* register
          isRegistered = true
        }
        failures = 0
        yield* Effect.forever(Effect.andThen(Effect.sleep(LOOK), ask("SELECT 1")))
      })
    )
    yield* hold.pipe(
      Effect.catchCause(() => {
        failures += 1
        const message = "The database session that shows that this instance lives was lost; it is opened again"
        return Effect.andThen(
          logFailure("lease session", message),
          Effect.sleep(pauseAfter(failures, 0, "unavailable"))
        )
      }),
      Effect.forever,
      Effect.forkScoped
    )
  }
)

/** Adds a holder that no process is, so that what it holds is released like the leases of a process that is gone. */
export const addGoneHolder = (sql: SqlClient.SqlClient, id: string) =>
  sql`INSERT INTO lease_holders (id) VALUES (${id}::uuid)`

/**
 * Ends the leases of processes that are gone. The given effect does so for one holder, in the tables that keep leases. Returns whether
 * there are other holders, who may go.
 */
export const endLeasesOfGone = (
  endLeases: (holder: string) => Effect.Effect<unknown, DatabaseUnavailable>
): Effect.Effect<boolean, DatabaseUnavailable, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id: own } = yield* LeaseHolder
    const isShared = dedicatedSession(sql) !== undefined
    const holders = yield* isShared ? findHolders(sql) : findOthers(sql, own)
    for (const { id } of holders.filter(({ isGone }) => isGone).slice(0, MOST)) {
      yield* Effect.gen(function* () {
        if (isShared) {
          const [row] = yield* queryRows(IsGoneRow)(
            sql`SELECT pg_try_advisory_xact_lock(${sql.literal(lockNumber(id))}) AS "isGone"`
          )
          if (!row!.isGone) return
        }
        yield* endLeases(id)
        yield* query(sql`DELETE FROM lease_holders WHERE id = ${id}::uuid`)
      }).pipe(transactionsOn(sql))
    }
    return holders.some(({ id }) => id !== own)
    // Polled all the time: not worth a trace.
  }).pipe(Effect.withTracerEnabled(false))

const Holder = Schema.Struct({
  id: Schema.String,
  /** Whether its session has been missing for long enough. */
  isGone: Schema.Boolean
})
type Holder = typeof Holder.Type

/** Notes whose session is missing. */
const findHolders = (sql: SqlClient.SqlClient) =>
  queryRows(Holder)(sql`WITH held AS MATERIALIZED (
      SELECT (classid::bigint << 32) | objid::bigint AS number FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ), looked AS MATERIALIZED (
      SELECT h.id, h.missing_since, EXISTS (
        SELECT FROM held WHERE number = hashtextextended('lease holder ' || h.id::text, 0)) AS lives
      FROM lease_holders h
    ), noted AS (
      UPDATE lease_holders h SET missing_since = CASE WHEN NOT lives THEN clock_timestamp() END FROM looked
      WHERE h.id = looked.id AND looked.lives = (looked.missing_since IS NOT NULL)
    )
    SELECT id, NOT lives AND coalesce(missing_since < clock_timestamp()
      - ${sql.literal(`interval '${GRACE_SECONDS} seconds'`)}, false) AS "isGone" FROM looked`)

const findOthers = (sql: SqlClient.SqlClient, own: string) =>
  queryRows(Holder)(sql`SELECT id, true AS "isGone" FROM lease_holders WHERE id <> ${own}::uuid LIMIT ${MOST}`)
