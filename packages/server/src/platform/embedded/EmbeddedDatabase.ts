import { resolve } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Schedule, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import { StartError } from "../StartError.ts"
import { makePooledClient } from "../sql/pooledClient.ts"
import { PgliteBridge } from "./PgliteBridge.ts"
import { openPglite } from "./PgliteEngine.ts"
import { openDatabaseFolder, openFolder } from "./dataFolder.ts"
import { lockFolder } from "./folderLock.ts"
import { decodeRows } from "../sql/rows.ts"

/** Bytes of write-ahead log after which a checkpoint is due: the log takes disk, and time at the next start after a crash. */
const checkpointAfter = 64 * 1024 * 1024

/** Transaction ids run out at two thousand million. */
const freezeAtAge = 100_000_000

const DueRow = Schema.Struct({ due: Schema.Boolean })
const CommandRow = Schema.Struct({ command: Schema.String })

/**
 * Does for PGlite what PostgreSQL's checkpointer and autovacuum do, with their default thresholds. PGlite has neither: its log and
 * tables would grow without bounds and its statistics would never be computed.
 */
const upkeep = (sql: SqlClient.SqlClient): Effect.Effect<void> =>
  tidy(sql).pipe(
    Effect.catchCause((cause) => logFailure("upkeep", "The embedded database's upkeep failed", cause)),
    Effect.schedule(Schedule.spaced("30 seconds")),
    Effect.asVoid
  )

export const tidy = Effect.fn("EmbeddedDatabase.tidy")(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError> {
  for (const { command } of yield* dueVacuums(sql)) yield* sql.unsafe(command)
  const [log] = yield* decodeRows(DueRow)(sql`
    SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${checkpointAfter} AS due FROM pg_control_checkpoint()`)
  if (log?.due) yield* sql`CHECKPOINT`
})

const dueVacuums = (sql: SqlClient.SqlClient) =>
  decodeRows(CommandRow)(sql`
  SELECT CASE
    WHEN age(relfrozenxid) > ${freezeAtAge} THEN 'VACUUM (FREEZE, ANALYZE) '
    WHEN n_dead_tup > 50 + 0.2 * n_live_tup OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup THEN 'VACUUM (ANALYZE) '
    ELSE 'ANALYZE '
  END || c.oid::regclass AS command
  FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE c.relkind = 'r' AND (
    age(relfrozenxid) > ${freezeAtAge}
    OR n_dead_tup > 50 + 0.2 * n_live_tup
    OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
    OR n_mod_since_analyze > 50 + 0.1 * n_live_tup)
  ORDER BY n_dead_tup DESC`)

export interface EmbeddedOptions {
  readonly dataDir: string
  /** They take turns in PGlite's only session. */
  readonly connections?: number
  /** Whether statements of several fibers share a connection. */
  readonly multiplex?: boolean
  /** Milliseconds after which an idle transaction is rolled back, because all other connections wait for it. */
  readonly idleTransactionLimit?: number
  /** Called once when the database has failed for good; logged by default. */
  readonly onFailure?: (error: StartError) => void
}

/** PostgreSQL in this process, with its files in `<dataDir>/pgdata`, behind the same client as a server. */
export const layer = (options: EmbeddedOptions): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, StartError> =>
  PgClient.layerFrom(open(options))

const open = Effect.fnUntraced(function* (options: EmbeddedOptions) {
  const folder = resolve(options.dataDir)
  yield* openFolder(folder)
  yield* lockFolder(folder)
  const engine = yield* openPglite(yield* openDatabaseFolder(folder))
  const runFork = Effect.runForkWith(yield* Effect.context())
  const onFailure = options.onFailure ?? ((error) => runFork(Effect.logFatal(error.message)))
  const bridge = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new PgliteBridge(engine, {
          idleTransactionLimit: options.idleTransactionLimit ?? 60_000,
          onFailure: (error) => onFailure(stopped(folder, error))
        })
    ),
    (bridge) => Effect.promise(() => bridge.close())
  )
  const connections = options.connections ?? 4
  const client = yield* makePooledClient({
    driver: "pglite",
    stream: () => bridge.connect(),
    username: "postgres",
    database: "postgres",
    multiplex: options.multiplex ?? false,
    maxConnections: connections,
    // Closing an idle connection would save nothing and lose its prepared statements.
    minConnections: connections,
    idleTimeout: "1 day",
    transformJson: false
  }).pipe(Effect.mapError((error) => new StartError({ message: `cannot open the database in ${folder}: ${error}` })))
  yield* Effect.forkScoped(upkeep(client))
  return client
})

/** Why the engine stopped. A full disk stops it, because it cannot write its log any more. */
const stopped = (folder: string, error: Error) => {
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  const advice = /no space left|file too large|quota/i.test(reason) ? "make room and start again" : "start again"
  return new StartError({ message: `the database in ${folder} has stopped: ${reason}; ${advice}` })
}
