import { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { firstIdAt } from "../../platform/Ids.ts"
import { anyOf, limited } from "../../platform/sql/lists.ts"
import { isReady } from "../../platform/jobs/isolation.ts"
import { query } from "../../platform/sql/transaction.ts"
import { DISPATCH_RESULTS, DISPATCHED_DEVICES } from "../dispatchLimits.ts"
import { type DevicePhase, LiveDevice } from "./devicePlan.ts"
import { SiteKey } from "../DispatchesRepository.ts"
import { unresponsiveReasons } from "../dispatchRow.ts"
import { JsonColumn, queryRows } from "../../platform/sql/rows.ts"

/** A device of an enrolled site. */
export interface TakingDevice {
  readonly deviceId: string
  readonly siteId: string
  readonly type: string
}

/** The place of a device in a dispatch after a step. */
export interface StoredStep {
  readonly dispatchId: string
  readonly deviceId: string
  readonly phase: DevicePhase
  readonly intervalIndex: number | null
  readonly skippedIndex: number | null
  readonly commandId: string | null
  readonly code: string | null
  readonly outcome: "completed" | "failed" | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly attempts: number
  readonly dueAt: Date | null
}

/** A device's set-operating-mode commands of users, and what it shows now. */
export const ThermostatRow = Schema.Struct({
  deviceId: Schema.String,
  state: Schema.NullOr(JsonColumn<Readonly<Record<string, unknown>>>())
})
export type ThermostatRow = typeof ThermostatRow.Type

const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })
const PlacesRow = Schema.Struct({ ...Struct.omit(LiveDevice.fields, ["intervals"]) })
const IntervalsRow = Schema.Struct({ ...Struct.pick(LiveDevice.fields, ["dispatchId", "intervals"]) })
const FoundRow = Schema.Struct({ found: Schema.Boolean })
const PoweredRow = Schema.Struct({
  id: Schema.String,
  commands: Schema.Array(CommandSlug),
  staticState: Schema.NullOr(JsonColumn<object>())
})

/** The devices of dispatches, and what they are to do next. */
export const DispatchDevicesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const answered = sql.literal(`dispatches d
      JOIN dispatch_devices v ON v.dispatch_id = d.id AND v.phase = 'commanded'
        AND (v.outcome IS NULL OR v.code = 'timeout')
      JOIN commands c ON c.id = v.command_id
    WHERE d.status = 'running' AND CASE WHEN v.outcome IS NULL THEN c.status IN ('completed', 'failed')
      ELSE c.late_result ->> 'status' = 'completed' END`)

  return {
    /** Devices that are to be looked at, the longest due first. */
    due: (now: Date, limit: number) =>
      queryRows(DeviceIdRow)(sql`SELECT device_id AS "deviceId" FROM dispatch_devices
          WHERE due_at > '-infinity' AND due_at <= ${now}
            AND ${isReady(sql, DISPATCHED_DEVICES, "dispatch_devices.device_id")} ORDER BY due_at ${limited(sql, limit)}`).pipe(
        Effect.map((rows) => [...new Set(rows.map(({ deviceId }) => deviceId))])
      ),
    /**
     * For a transaction: locks the places of devices in all dispatches, in order. Whoever changes a dispatch or a participant does this first, so
     * that the states that are read afterwards are the latest.
     */
    hold: (deviceIds: ReadonlyArray<string>) =>
      query(sql`SELECT FROM dispatch_devices WHERE device_id = ${anyOf(sql, deviceIds)} AND due_at IS NOT NULL
        ORDER BY device_id, dispatch_id FOR NO KEY UPDATE`),
    /** The same for the devices of a dispatch, or of some of its sites. Returns them. */
    holdFrom: (dispatchId: string, siteIds?: ReadonlyArray<string>) =>
      queryRows(DeviceIdRow)(sql`SELECT device_id AS "deviceId" FROM dispatch_devices
          WHERE dispatch_id = ${dispatchId} AND due_at IS NOT NULL
            ${siteIds === undefined ? sql`` : sql`AND site_id = ${anyOf(sql, siteIds)}`}
          ORDER BY device_id, dispatch_id FOR NO KEY UPDATE`).pipe(
        Effect.map((rows) => rows.map(({ deviceId }) => deviceId))
      ),
    /** For a transaction that holds the devices: their places in all dispatches that are not done with them. */
    live: Effect.fnUntraced(function* (deviceIds: ReadonlyArray<string>, now: Date) {
      const places = yield* queryRows(
        PlacesRow
      )(sql`SELECT v.dispatch_id AS "dispatchId", v.device_id AS "deviceId", v.site_id AS "siteId", v.type,
          v.phase, v.interval_index AS "intervalIndex", v.skipped_index AS "skippedIndex", v.command_id AS "commandId",
          v.code, v.outcome, v.before, v.attempts, v.due_at AS "dueAt", d.workspace_id AS "workspaceId", d.status,
          d.priority, s.state AS "siteState", s.starts_at AS "siteStartsAt", c.status AS "commandStatus",
          c.reason AS "commandReason", coalesce(c.status = 'scheduled' AND c.scheduled_for > ${now}, false) AS "isAhead"
        FROM unnest(${deviceIds}::text[]) AS given (id)
          CROSS JOIN LATERAL (SELECT * FROM dispatch_devices
            WHERE device_id = given.id AND due_at IS NOT NULL OFFSET 0) AS v
          CROSS JOIN LATERAL (SELECT * FROM dispatches WHERE id = v.dispatch_id OFFSET 0) AS d
          CROSS JOIN LATERAL (SELECT * FROM dispatch_sites
            WHERE dispatch_id = v.dispatch_id AND site_id = v.site_id OFFSET 0) AS s
          LEFT JOIN LATERAL (SELECT * FROM commands WHERE id = v.command_id OFFSET 0) AS c ON true
        ORDER BY v.device_id, v.dispatch_id`)
      // Intervals are read once for each dispatch: with each device they would be megabytes.
      const ids = [...new Set(places.map(({ dispatchId }) => dispatchId))]
      const found = yield* queryRows(IntervalsRow)(sql`SELECT id AS "dispatchId", intervals FROM dispatches
          WHERE id = ${anyOf(sql, ids)}`)
      const intervals = new Map(found.map((one) => [one.dispatchId, one.intervals]))
      return places.map((place): LiveDevice => ({ ...place, intervals: intervals.get(place.dispatchId)! }))
    }),
    insert: (dispatchId: string, devices: ReadonlyArray<TakingDevice>, dueAt: Date) =>
      query(
        sql`INSERT INTO dispatch_devices (dispatch_id, device_id, site_id, type, phase, due_at)
          SELECT ${dispatchId}, "deviceId", "siteId", type, 'waiting', ${dueAt}
          FROM jsonb_to_recordset(${JSON.stringify(devices, ["deviceId", "siteId", "type"])}::jsonb)
            AS given ("deviceId" text, "siteId" text, type text)`.unprepared
      ),
    save: (steps: ReadonlyArray<StoredStep>) =>
      query(
        sql`UPDATE dispatch_devices v SET phase = given.phase, interval_index = given."intervalIndex",
            skipped_index = given."skippedIndex", command_id = given."commandId", code = given.code,
            outcome = given.outcome, before = given.before, attempts = given.attempts, due_at = given."dueAt"
          FROM jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) AS given ("dispatchId" text, "deviceId" text,
            phase text, "intervalIndex" smallint, "skippedIndex" smallint, "commandId" text, code text, outcome text,
            before jsonb, attempts smallint, "dueAt" timestamptz)
          WHERE v.dispatch_id = given."dispatchId" AND v.device_id = given."deviceId"`.unprepared
      ),
    /** For a transaction that holds the devices: makes the runner look at them now. */
    expedite: (dispatchId: string, deviceIds: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE dispatch_devices SET due_at = ${now}
        WHERE dispatch_id = ${dispatchId} AND device_id = ${anyOf(sql, deviceIds)} AND due_at IS NOT NULL`),
    hasLive: (dispatchId: string) =>
      queryRows(FoundRow)(sql`SELECT EXISTS (SELECT FROM dispatch_devices
          WHERE dispatch_id = ${dispatchId} AND due_at IS NOT NULL) AS found`).pipe(Effect.map(([row]) => row!.found)),
    /** Devices as far as a target power needs them. */
    powered: (deviceIds: ReadonlyArray<string>) =>
      queryRows(PoweredRow)(sql`SELECT id, commands, static_state AS "staticState" FROM devices
        WHERE id = ${anyOf(sql, deviceIds)}`),
    /** The newest states of thermostats. */
    thermostats: (deviceIds: ReadonlyArray<string>) =>
      queryRows(ThermostatRow)(sql`SELECT device_id AS "deviceId", state FROM device_states
        WHERE device_id = ${anyOf(sql, deviceIds)}`),
    /**
     * The thermostats that are to be left as they are: a user has given them another mode since the dispatch's command, or no command of a
     * dispatch has reached them since a time.
     */
    left: (devices: ReadonlyArray<{ readonly deviceId: string; readonly commandId: string }>, since: Date) =>
      queryRows(DeviceIdRow)(
        sql`SELECT given."deviceId"
          FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) AS given ("deviceId" text, "commandId" text)
          WHERE EXISTS (SELECT FROM commands c WHERE c.device_id = given."deviceId" AND c.id > given."commandId"
              AND c.source = 'user' AND c.type = 'thermostat:set-operating-mode'
              AND (c.delivered_at IS NOT NULL OR c.status = 'completed'))
            OR NOT EXISTS (SELECT FROM commands c WHERE c.device_id = given."deviceId" AND c.source = 'dispatch'
              AND c.id >= ${firstIdAt(since.getTime())} AND coalesce(c.reason, '') NOT IN ('cancelled', 'overridden'))`
          .unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(({ deviceId }) => deviceId)))),
    /** Devices whose commands have results that are not noted yet. */
    answered: (limit: number) =>
      queryRows(DeviceIdRow)(sql`SELECT v.device_id AS "deviceId" FROM ${answered}
          AND ${isReady(sql, DISPATCH_RESULTS, "v.device_id")} ORDER BY v.device_id ${limited(sql, limit)}`).pipe(
        Effect.map((rows) => [...new Set(rows.map(({ deviceId }) => deviceId))])
      ),
    /**
     * Notes the results of commands since the last time, at most so many. A device that did not respond counts as one that takes part as soon
     * as a late result reports. Returns a site for each result.
     */
    recordOutcomes: (deviceIds: ReadonlyArray<string>) =>
      queryRows(SiteKey)(sql`WITH found AS MATERIALIZED (
          SELECT v.dispatch_id, v.device_id, c.status = 'completed' OR v.outcome IS NOT NULL AS answered, c.reason
          FROM ${answered} AND v.device_id = ANY(${deviceIds}::text[])
          ORDER BY v.device_id, v.dispatch_id FOR NO KEY UPDATE OF v SKIP LOCKED
        )
        UPDATE dispatch_devices v SET outcome = CASE WHEN answered THEN 'completed' ELSE 'failed' END,
          code = CASE WHEN NOT answered THEN coalesce(reason, 'refused')
            ELSE nullif(v.code, 'timeout') END,
          unresponsive = (v.unresponsive AND NOT answered)
            OR (NOT answered AND coalesce(reason = ANY(${[...unresponsiveReasons]}::text[]), false))
        FROM found WHERE v.dispatch_id = found.dispatch_id AND v.device_id = found.device_id
        RETURNING v.dispatch_id AS "dispatchId", v.site_id AS "siteId"`)
  }
})
