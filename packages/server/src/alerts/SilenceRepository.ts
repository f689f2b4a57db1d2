import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { Watch, Watched } from "./silence.ts"

/** On the embedded database everything else waits for a batch, elsewhere the readings of its silent devices do. */
const batchSize = (driver: string) => (driver === "pglite" ? 100 : 250)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    batchSize: batchSize(sql.driver),
    /** For a transaction: devices that are due and that no other instance is checking. New ones come first. */
    claim: (now: Date, limit: number) =>
      query(sql<Watched>`SELECT w.device_id AS "deviceId", w.phase, w.since, w.heard_at AS "heardAt",
          d.workspace_id AS "workspaceId", d.disconnected_at IS NULL AS connected, s.reading_id AS "readingId", s.at,
          s.reported_status IS NOT DISTINCT FROM 'asleep' AS asleep, s.at + m.online_window AS "offlineAt",
          (extract(epoch FROM m.online_window) * 1000)::float8 AS window
        FROM device_watches w LEFT JOIN devices d ON d.id = w.device_id
          LEFT JOIN manufacturers m ON m.slug = d.manufacturer LEFT JOIN device_states s ON s.device_id = w.device_id
        WHERE w.check_at <= ${now} ORDER BY w.check_at LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED`),
    /**
     * From now on the next reading of these devices has them looked at. Answers those for which it holds: one whose newest
     * reading is another one by now, or is just being written, is not silent. Nothing here ever waits for a reading, so
     * that the two never wait for one another.
     */
    silence: (devices: ReadonlyArray<Pick<Watched, "deviceId" | "readingId">>) =>
      query(sql<{ readonly deviceId: string }>`WITH quiet AS MATERIALIZED (
          SELECT s.device_id FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb)
            AS given ("deviceId" text, "readingId" text)
          JOIN device_states s ON s.device_id = given."deviceId" AND s.reading_id = given."readingId"
          FOR NO KEY UPDATE OF s SKIP LOCKED
        ), unwatched AS (
          UPDATE device_states SET watched = false FROM quiet
          WHERE device_states.device_id = quiet.device_id AND device_states.watched
        )
        SELECT device_id AS "deviceId" FROM quiet`).pipe(
        Effect.map((rows) => new Set(rows.map(({ deviceId }) => deviceId)))
      ),
    store: (watches: ReadonlyArray<Watch & Pick<Watched, "deviceId">>) =>
      query(sql`UPDATE device_watches SET phase = given.phase, since = given.since, heard_at = given."heardAt",
          check_at = coalesce(given."checkAt", 'infinity')
        FROM jsonb_to_recordset(${JSON.stringify(watches)}::jsonb) AS given
          ("deviceId" text, phase text, since timestamptz, "heardAt" timestamptz, "checkAt" timestamptz)
        WHERE device_watches.device_id = given."deviceId"`),
    postpone: (deviceIds: ReadonlyArray<string>, until: Date) =>
      query(sql`UPDATE device_watches SET check_at = ${until} WHERE device_id = ANY(${deviceIds}::text[])`),
    forget: (deviceIds: ReadonlyArray<string>) =>
      query(sql`DELETE FROM device_watches WHERE device_id = ANY(${deviceIds}::text[])`)
  }
})

export class SilenceRepository extends Context.Service<SilenceRepository, Effect.Success<typeof make>>()(
  "@edp/server/SilenceRepository"
) {
  static readonly layer = Layer.effect(SilenceRepository, make)
}
