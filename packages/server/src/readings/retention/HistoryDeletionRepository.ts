import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"

/** On the embedded database a statement stops the whole process while it runs, and elsewhere it holds locks. */
const MAX_DELETED = 10_000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Removed devices whose history is still to be deleted. */
    pending: query(sql<{ readonly deviceId: string }>`
      SELECT device_id AS "deviceId" FROM forgotten_histories ORDER BY created_at LIMIT 1000`).pipe(
      Effect.map((rows) => rows.map(({ deviceId }) => deviceId))
    ),
    /** Locks the device, so that no readings are stored meanwhile; returns whether it belongs to a workspace. */
    lock: (deviceId: string) =>
      query(sql<{ readonly associated: boolean }>`
        SELECT workspace_id IS NOT NULL AS associated FROM devices WHERE id = ${deviceId} FOR UPDATE`).pipe(
        Effect.map(([row]) => row?.associated === true)
      ),
    /**
     * Deletes the oldest readings, as many as one statement may, and returns whether there may be more. Events that refer
     * to them keep their states.
     */
    deleteReadings: Effect.fnUntraced(function* (deviceId: string) {
      const [last] = yield* query(
        sql<{ readonly at: Date }>`SELECT at FROM readings WHERE device_id = ${deviceId}
          ORDER BY at LIMIT 1 OFFSET ${MAX_DELETED - 1}`.unprepared
      )
      const oldest = sql`device_id = ${deviceId} ${last === undefined ? sql`` : sql`AND at <= ${last.at}`}`
      yield* query(
        sql`UPDATE events SET state = oldest.state
          FROM (SELECT device_id, at, id, state FROM readings WHERE ${oldest}) AS oldest
          WHERE events.device_id = ${deviceId} AND events.reading_at = oldest.at AND events.id = oldest.id
            AND EXISTS (SELECT FROM departed_devices WHERE workspace_id = events.workspace_id
              AND device_id = events.device_id AND until_sequence >= events.sequence)`.unprepared
      )
      yield* query(sql`DELETE FROM readings WHERE ${oldest}`.unprepared)
      return last !== undefined
    }),
    /** The same for its energy rollups, and the readings that were kept for them. */
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
    /** A batch of readings that was running when the device was removed may have created it again. */
    deleteState: (deviceId: string) =>
      query(sql`WITH counts AS (DELETE FROM reading_counts WHERE device_id = ${deviceId})
        DELETE FROM device_states WHERE device_id = ${deviceId}`),
    settle: (deviceId: string) => query(sql`DELETE FROM forgotten_histories WHERE device_id = ${deviceId}`)
  }
})

export class HistoryDeletionRepository extends Context.Service<
  HistoryDeletionRepository,
  Effect.Success<typeof make>
>()("@edp/server/HistoryDeletionRepository") {
  static readonly layer = Layer.effect(HistoryDeletionRepository, make)
}
