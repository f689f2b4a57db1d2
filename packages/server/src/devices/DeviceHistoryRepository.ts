import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"
import type { Span } from "./historySpan.ts"

export type Order = "asc" | "desc"

export interface ReadingRow {
  readonly id: string
  readonly at: Date
  readonly state: object
}

interface Historied {
  readonly workspaceId: string | null
  readonly referenceId: string
  readonly firstAt: Date | null
  readonly lastAt: Date | null
}

/** On the embedded database a statement stops the whole process while it runs, and elsewhere it holds locks. */
const MAX_DELETED = 10_000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const inSpan = (deviceId: string, { from, to }: Span) =>
    sql`device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`

  return {
    /** Whose device it is, and between which instants it has readings; those that are dropped it has no more. */
    device: (id: string) =>
      query(sql<Historied>`SELECT d.workspace_id AS "workspaceId", d.reference_id AS "referenceId",
          greatest(s.first_at, (SELECT kept_from FROM readings_floor)) AS "firstAt", s.at AS "lastAt"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id WHERE d.id = ${id}`).pipe(
        Effect.map(([row]) => row)
      ),
    // A device has one reading a millisecond, so their time alone orders them. Planned for the very span, so that the
    // months outside of it are not even opened.
    list: (deviceId: string, span: Span, order: Order, limit: number, offset: number) =>
      query(
        sql<ReadingRow>`SELECT id, at, state FROM readings WHERE ${inSpan(deviceId, span)}
          ORDER BY at ${sql.literal(order)} LIMIT ${limit} OFFSET ${offset}`.unprepared
      ),
    forgotten: query(sql<{ readonly deviceId: string }>`
      SELECT device_id AS "deviceId" FROM forgotten_histories ORDER BY created_at LIMIT 1000`).pipe(
      Effect.map((rows) => rows.map(({ deviceId }) => deviceId))
    ),
    /** Holds the device, so that no readings come meanwhile; answers whether it belongs to a workspace. */
    lock: (deviceId: string) =>
      query(sql<{ readonly associated: boolean }>`
        SELECT workspace_id IS NOT NULL AS associated FROM devices WHERE id = ${deviceId} FOR UPDATE`).pipe(
        Effect.map(([row]) => row?.associated === true)
      ),
    /** Deletes the oldest readings, as many as one statement may, and answers whether there may be more. */
    deleteReadings: Effect.fnUntraced(function* (deviceId: string) {
      const [last] = yield* query(
        sql<{ readonly at: Date }>`SELECT at FROM readings WHERE device_id = ${deviceId}
          ORDER BY at LIMIT 1 OFFSET ${MAX_DELETED - 1}`.unprepared
      )
      yield* query(
        last === undefined
          ? sql`DELETE FROM readings WHERE device_id = ${deviceId}`.unprepared
          : sql`DELETE FROM readings WHERE device_id = ${deviceId} AND at <= ${last.at}`.unprepared
      )
      return last !== undefined
    }),
    /** The same for its energies by the quarter of an hour, and the readings that were kept for them. */
    deleteRollups: Effect.fnUntraced(function* (deviceId: string) {
      yield* query(sql`DELETE FROM kept_readings WHERE device_id = ${deviceId}`)
      const [deleted] = yield* query(sql<{ readonly n: number }>`
        WITH oldest AS (SELECT quantity, day FROM energy_rollups WHERE device_id = ${deviceId}
          ORDER BY quantity, day LIMIT ${MAX_DELETED}),
          deleted AS (DELETE FROM energy_rollups AS rollup USING oldest
            WHERE device_id = ${deviceId} AND rollup.quantity = oldest.quantity AND rollup.day = oldest.day RETURNING 1)
        SELECT count(*)::int AS n FROM deleted`)
      return deleted!.n === MAX_DELETED
    }),
    /** A batch of readings that was under way when the device was removed may have made it anew. */
    deleteState: (deviceId: string) =>
      query(sql`WITH counts AS (DELETE FROM reading_counts WHERE device_id = ${deviceId})
        DELETE FROM device_states WHERE device_id = ${deviceId}`),
    settle: (deviceId: string) => query(sql`DELETE FROM forgotten_histories WHERE device_id = ${deviceId}`)
  }
})

export class DeviceHistoryRepository extends Context.Service<DeviceHistoryRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeviceHistoryRepository"
) {
  static readonly layer = Layer.effect(DeviceHistoryRepository, make)
}
