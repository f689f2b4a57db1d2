import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation, isReady } from "../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../platform/sql/transaction.ts"
import { RaisedAlerts } from "./RaisedAlerts.ts"
import { PLATFORM, type Verdict, Watched, judge, silenceAlert, silenceOver, type Watch } from "./silence.ts"
import { silenceLimits } from "./silenceLimits.ts"
import { deviceStateTable } from "../devices/deviceStateTable.ts"
import { untilTime } from "../platform/jobs/workWait.ts"
import { queryRows } from "../platform/sql/rows.ts"

/** The work, as its failing devices are stored under. */
export const SILENCE = "watch for silent devices"

const batchSize = (driver: string): number =>
  driver === "pglite" ? silenceLimits.embeddedDevicesTogether : silenceLimits.devicesTogether

const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const states = deviceStateTable(sql)

  return {
    batchSize: batchSize(sql.driver),
    /** Devices that are due, the longest due first. */
    due: (now: Date, limit: number) =>
      queryRows(DeviceIdRow)(sql`SELECT w.device_id AS "deviceId" FROM device_watches w
        WHERE w.check_at <= ${now} AND ${isReady(sql, SILENCE, "w.device_id")}
        ORDER BY w.check_at LIMIT ${limit}`).pipe(Effect.map((rows) => rows.map(({ deviceId }) => deviceId))),
    /** Milliseconds until a device is due. */
    nextDue: untilTime(sql, sql`(SELECT min(check_at) FROM device_watches WHERE check_at < 'infinity')`),
    /** For a transaction: those of the devices that are still due and that no other instance is checking. New ones come first. */
    claim: (deviceIds: ReadonlyArray<string>, now: Date) =>
      queryRows(Watched)(sql`SELECT w.device_id AS "deviceId", w.phase, w.since, w.heard_at AS "heardAt",
          d.workspace_id AS "workspaceId", d.disconnected_at IS NULL AS connected, s.reading_id AS "readingId", s.at,
          s.reported_status IS NOT DISTINCT FROM 'asleep' AS asleep, s.at + m.online_window AS "offlineAt",
          coalesce(extract(epoch FROM m.online_window) * 1000, 0)::float8 AS window
        FROM device_watches w LEFT JOIN devices d ON d.id = w.device_id
          LEFT JOIN manufacturers m ON m.slug = d.manufacturer LEFT JOIN device_states s ON s.device_id = w.device_id
        WHERE w.device_id = ANY(${deviceIds}::text[]) AND w.check_at <= ${now}
        ORDER BY w.check_at FOR UPDATE OF w SKIP LOCKED`),
    /**
     * From now on the next reading of these devices has them looked at. Returns those for which it holds: one whose newest
     * reading is another one by now, or is just being written, is not silent. Nothing here ever waits for a reading, so
     * that the two never wait for one another.
     */
    silence: (devices: ReadonlyArray<Pick<Watched, "deviceId" | "readingId">>) =>
      queryRows(DeviceIdRow)(sql`WITH quiet AS MATERIALIZED (
          SELECT s.device_id FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb)
            AS given ("deviceId" text, "readingId" text)
          JOIN device_states s ON s.device_id = given."deviceId" AND s.reading_id = given."readingId"
          FOR NO KEY UPDATE OF s SKIP LOCKED
        ), unwatched AS (
          ${states.unwatch(sql`quiet`)}
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
    /** Devices that are to be checked later than that are due now. */
    limitWaits: (now: Date, longestMs: number) =>
      query(sql`UPDATE device_watches SET check_at = ${now}
        WHERE check_at > ${now}::timestamptz + ${longestMs}::float8 * interval '1 millisecond' AND check_at < 'infinity'`),
    forget: (deviceIds: ReadonlyArray<string>) =>
      query(sql`DELETE FROM device_watches WHERE device_id = ANY(${deviceIds}::text[])`)
  }
})

type Judged = Watched & { readonly verdict: Verdict }

const has =
  <Kind extends Verdict["kind"]>(kind: Kind) =>
  (judged: Judged): judged is Watched & { readonly verdict: Extract<Verdict, { readonly kind: Kind }> } =>
    judged.verdict.kind === kind

/**
 * Raises one alert for each device that stops reporting, and resolves it when the device reports again or is removed. Its
 * state is in the database, and rows are locked during a check: instances share the work, and a restart continues it.
 */
export class SilenceWatch extends Context.Service<
  SilenceWatch,
  {
    /** Checks all devices that are due, a batch per transaction, and returns their number. */
    readonly sweep: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until a device is due. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Lets no device wait for longer than the longest pause between checks, counted from now. */
    readonly limitWaits: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/SilenceWatch") {
  static readonly layer = Layer.effect(
    SilenceWatch,
    Effect.gen(function* () {
      const repository = yield* statements
      const alerts = yield* RaisedAlerts
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(SILENCE)

      /** Those that have not changed since they were judged; the others are checked again a little later. */
      const confirmed = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>, now: Date) {
        const final = judged.filter(({ verdict, readingId }) => {
          return verdict.kind === "fell" || (verdict.kind === "left" && readingId !== null)
        })
        if (final.length === 0) return judged
        const quiet = yield* repository.silence(final)
        const disturbed = new Set(final.flatMap(({ deviceId }) => (quiet.has(deviceId) ? [] : [deviceId])))
        if (disturbed.size === 0) return judged
        yield* repository.postpone([...disturbed], new Date(now.getTime() + silenceLimits.whileWrittenMs))
        return judged.filter(({ deviceId }) => !disturbed.has(deviceId))
      })

      const updateAlerts = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>) {
        yield* alerts.raise(
          judged
            .filter(has("fell"))
            .map(({ deviceId, workspaceId, at, window }) =>
              silenceAlert({ deviceId, workspaceId: workspaceId!, at: at!, window })
            )
        )
        const over = judged.filter(({ phase, verdict }) => {
          return verdict.kind === "recovered" || (verdict.kind === "left" && phase !== "online")
        })
        yield* alerts.settle(
          over.map(({ deviceId }) => silenceOver(deviceId)),
          PLATFORM
        )
      })

      const remember = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>) {
        const watches = judged.flatMap(({ deviceId, verdict }) =>
          verdict.kind === "left" ? [] : [{ deviceId, ...verdict.watch }]
        )
        if (watches.length > 0) yield* repository.store(watches)
        const left = judged.filter(has("left"))
        if (left.length > 0) yield* repository.forget(left.map(({ deviceId }) => deviceId))
      })

      const check = Effect.fn("SilenceWatch.batch")(function* (deviceIds: ReadonlyArray<string>) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const due = yield* repository.claim(deviceIds, now)
        if (due.length === 0) return 0
        const judged = yield* confirmed(
          due.map((watched) => ({ ...watched, verdict: judge(watched, now) })),
          now
        )
        yield* updateAlerts(judged)
        yield* remember(judged)
        return due.length
      }, transactionsOn(sql))

      const sweep = Effect.gen(function* () {
        let all = 0
        for (let checked = repository.batchSize; checked > 0; all += checked) {
          const due = yield* repository.due(new Date(yield* Clock.currentTimeMillis), repository.batchSize)
          checked = yield* isolation.runIds(due, check)
        }
        return all
      })
      const limitWaits = Effect.gen(function* () {
        yield* repository.limitWaits(new Date(yield* Clock.currentTimeMillis), silenceLimits.longestWaitSeconds * 1000)
      }).pipe(Effect.withSpan("SilenceWatch.limitWaits"))
      return { sweep, nextDue: repository.nextDue, limitWaits }
    })
  )
}
