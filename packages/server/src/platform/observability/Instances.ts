import { hostname } from "node:os"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../config/ServerConfig.ts"
import { Ids } from "../Ids.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { query } from "../sql/transaction.ts"
import { VERSION } from "./Traces.ts"
import { queryRows } from "../sql/rows.ts"

/** An instance without a heartbeat for longer is silent: two were missed. */
const SILENT_SECONDS = 45

/** The rows of instances that ended without notice are kept this long. */
const KEPT = "1 day"

/** How many rows are listed at most. */
const MOST = 100

const MILLISECONDS = 1000

export const Instance = Schema.Struct({
  id: Schema.String,
  role: Schema.String,
  version: Schema.String,
  nodeVersion: Schema.String,
  hostName: Schema.String,
  pid: Schema.Finite,
  startedAt: Schema.Date,
  seenAt: Schema.Date,
  isSilent: Schema.Boolean
})
export type Instance = typeof Instance.Type

/** The processes of the service that share the database. */
export class Instances extends Context.Service<
  Instances,
  {
    /** This process. */
    readonly own: Omit<Instance, "seenAt" | "isSilent">
    /** Writes a heartbeat of this process, and deletes the rows of those that are gone for long. */
    readonly beat: Effect.Effect<void, DatabaseUnavailable>
    /** Deletes the row of this process, which ends. */
    readonly leave: Effect.Effect<void, DatabaseUnavailable>
    /** The newest first. */
    readonly list: Effect.Effect<ReadonlyArray<Instance>, DatabaseUnavailable>
  }
>()("@edp/server/platform/observability/Instances") {
  static readonly layer = Layer.effect(
    Instances,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { role } = yield* ServerConfig
      const id = yield* (yield* Ids).next
      const started = (yield* Clock.currentTimeMillis) - process.uptime() * MILLISECONDS
      const own = {
        id,
        role,
        version: VERSION,
        nodeVersion: process.version,
        hostName: hostname(),
        pid: process.pid,
        startedAt: new Date(Math.round(started))
      }
      return {
        own,
        beat: query(sql`WITH gone AS (DELETE FROM instances WHERE seen_at < now() - interval '${sql.literal(KEPT)}')
          INSERT INTO instances (id, role, version, node_version, host_name, pid, started_at, seen_at)
          VALUES (${id}, ${role}, ${own.version}, ${own.nodeVersion}, ${own.hostName}, ${own.pid}, ${own.startedAt}, now())
          ON CONFLICT (id) DO UPDATE SET seen_at = now()`).pipe(
          Effect.asVoid,
          // Polled all the time: not worth a trace.
          Effect.withTracerEnabled(false)
        ),
        leave: Effect.asVoid(query(sql`DELETE FROM instances WHERE id = ${id}`)),
        list: queryRows(
          Instance
        )(sql`SELECT id, role, version, node_version AS "nodeVersion", host_name AS "hostName", pid,
            started_at AS "startedAt", seen_at AS "seenAt",
            seen_at < now() - ${SILENT_SECONDS} * interval '1 second' AS "isSilent"
          FROM instances ORDER BY started_at DESC, id LIMIT ${MOST}`)
      }
    })
  )
}
