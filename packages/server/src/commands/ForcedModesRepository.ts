import { CommandSource } from "@edp/domain/commands/Command"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf, fewRecords } from "../platform/sql/lists.ts"
import { forcedModeColumn } from "../devices/deviceTable.ts"
import { query } from "../platform/sql/transaction.ts"
import { queryRows } from "../platform/sql/rows.ts"

export const ForcedModeRow = Schema.Struct({
  deviceId: Schema.String,
  commandId: Schema.String,
  mode: Schema.String,
  source: CommandSource,
  /** The settings from before in the adapter's form; null if it stored none. */
  snapshot: Schema.Unknown,
  /** Whether the settings are stored, the mode holds, the settings are being restored, or it is over. */
  phase: Schema.Literals(["starting", "holding", "ending", "ended"]),
  beganAt: Schema.Date,
  until: Schema.Date,
  /** Null before it holds, and once it is over. */
  dueAt: Schema.NullOr(Schema.Date),
  attempts: Schema.Finite
})
export type ForcedModeRow = typeof ForcedModeRow.Type

/** A forced mode that a command begins. */
export interface BegunMode {
  readonly deviceId: string
  readonly commandId: string
  readonly mode: string
  readonly source: CommandSource
  readonly until: Date
}

/** The settings from before a mode in the adapter's form, and when they were read. */
export interface SavedSnapshot {
  readonly begun: BegunMode
  readonly snapshot: unknown
  readonly at: Date
}

/** A mode whose settings from before are being restored, and when to try again. */
export interface RestoringMode {
  readonly deviceId: string
  readonly dueAt: Date
  readonly attempts: number
}

const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })

/** The modes that commands forced on devices, with the settings from before. */
export const ForcedModesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const forcedMode = forcedModeColumn(sql)
  /** No adapter stores the settings of a direct device: its newest state indicates whether it charged. */
  const directSnapshot = sql.literal(`CASE WHEN d.direct AND d.type <> 'battery' AND s.state ? 'chargingState' THEN
    jsonb_build_object('operatingMode', CASE s.state ->> 'chargingState' WHEN 'charging' THEN 'start-charging'
      ELSE 'stop-charging' END) END`)

  return {
    byDevices: (ids: ReadonlyArray<string>) =>
      queryRows(
        ForcedModeRow
      )(sql`SELECT device_id AS "deviceId", command_id AS "commandId", mode, source, snapshot, phase,
          began_at AS "beganAt", until, nullif(due_at, 'infinity') AS "dueAt", attempts
        FROM unnest(${ids}::text[]) AS given (id)
        CROSS JOIN LATERAL (SELECT * FROM forced_modes WHERE device_id = given.id OFFSET 0) AS f`),
    /** Stores the settings from before forced modes, unless an earlier mode still holds: its settings count. */
    saveSnapshots: (saved: ReadonlyArray<SavedSnapshot>) =>
      query(
        sql`INSERT INTO forced_modes (device_id, command_id, mode, source, snapshot, phase, began_at, until, due_at)
        SELECT "deviceId", "commandId", mode, source, snapshot, 'starting', at, until, 'infinity'
        FROM jsonb_to_recordset(${JSON.stringify(saved.map(({ begun, ...more }) => ({ ...begun, ...more })))}::jsonb)
          AS given ("deviceId" text, "commandId" text, mode text, source text, snapshot jsonb, at timestamptz, until timestamptz)
        ORDER BY 1
        ON CONFLICT (device_id) DO UPDATE SET command_id = excluded.command_id, mode = excluded.mode,
          source = excluded.source, snapshot = excluded.snapshot, phase = 'starting', began_at = excluded.began_at,
          until = excluded.until, due_at = 'infinity', attempts = 0, ended_at = NULL
        WHERE forced_modes.phase = 'ended'`.unprepared
      ),
    /** Begins modes that were accepted. One over a mode that holds keeps its stored settings. */
    hold: (begun: ReadonlyArray<BegunMode>, now: Date) =>
      query(
        sql`WITH held AS (
          INSERT INTO forced_modes (device_id, command_id, mode, source, snapshot, phase, began_at, until, due_at)
          SELECT "deviceId", "commandId", mode, source, ${directSnapshot}, 'holding', ${now}, until, until
          FROM ${fewRecords(sql, begun, `"deviceId" text, "commandId" text, mode text, source text, until timestamptz`)} AS given
          JOIN devices d ON d.id = given."deviceId" LEFT JOIN device_states s ON s.device_id = d.id ORDER BY 1
          ON CONFLICT (device_id) DO UPDATE SET command_id = excluded.command_id, mode = excluded.mode,
            source = excluded.source, phase = 'holding', until = excluded.until, due_at = excluded.until, attempts = 0,
            ended_at = NULL,
            began_at = CASE WHEN forced_modes.phase = 'ended' THEN excluded.began_at ELSE forced_modes.began_at END,
            snapshot = CASE WHEN forced_modes.phase = 'ended' THEN excluded.snapshot ELSE forced_modes.snapshot END
          RETURNING device_id
        )
        ${forcedMode.show(sql`(SELECT held.device_id, given.mode, given.until, given.source
          FROM held JOIN jsonb_to_recordset(${JSON.stringify(begun)}::jsonb)
            AS given ("deviceId" text, mode text, source text, until text) ON given."deviceId" = held.device_id) AS shown`)}`
          .unprepared
      ),
    /** The devices whose settings from before are yet to be restored. */
    unended: (deviceIds: ReadonlyArray<string>) =>
      queryRows(DeviceIdRow)(sql`SELECT device_id AS "deviceId" FROM forced_modes
          WHERE device_id = ${anyOf(sql, deviceIds)} AND phase <> 'ended'`).pipe(
        Effect.map((rows) => new Set(rows.map(({ deviceId }) => deviceId)))
      ),
    /** Ends modes: their settings were restored, or a command without an end has replaced them. */
    end: (deviceIds: ReadonlyArray<string>, now: Date) =>
      query(sql`WITH ended AS (
          UPDATE forced_modes SET phase = 'ended', ended_at = ${now}, due_at = 'infinity'
          WHERE device_id = ${anyOf(sql, deviceIds)} AND phase <> 'ended' RETURNING device_id
        )
        ${forcedMode.clear(sql`ended`)}`),
    /** Restores the settings of modes whose command failed after they were stored. Returns the devices. */
    abandon: (commandIds: ReadonlyArray<string>, now: Date) =>
      queryRows(DeviceIdRow)(sql`UPDATE forced_modes SET phase = 'ending', due_at = ${now}
          WHERE command_id = ${anyOf(sql, commandIds)} AND phase = 'starting' RETURNING device_id AS "deviceId"`),
    /** For a transaction: locks the modes of devices. Returns the devices whose mode another transaction is changing. */
    holdFree: (deviceIds: ReadonlyArray<string>) =>
      queryRows(DeviceIdRow)(sql`WITH held AS MATERIALIZED (
            SELECT device_id FROM forced_modes WHERE device_id = ${anyOf(sql, deviceIds)} FOR UPDATE SKIP LOCKED
          )
          SELECT device_id AS "deviceId" FROM forced_modes
          WHERE device_id = ${anyOf(sql, deviceIds)} AND device_id NOT IN (SELECT device_id FROM held)`).pipe(
        Effect.map((rows) => new Set(rows.map(({ deviceId }) => deviceId)))
      ),
    /** Lets modes that commands of a source began end before their time. Returns the devices. */
    endSoon: (deviceIds: ReadonlyArray<string>, sourceId: string, now: Date) =>
      queryRows(DeviceIdRow)(sql`UPDATE forced_modes f
          SET phase = 'ending', due_at = ${now}, until = least(f.until, ${now})
          FROM commands c
          WHERE f.device_id = ${anyOf(sql, deviceIds)} AND f.phase = 'holding' AND c.id = f.command_id
            AND c.source_id = ${sourceId}
          RETURNING f.device_id AS "deviceId"`),
    /** Notes that settings are being restored, and when to try again. */
    retry: (modes: ReadonlyArray<RestoringMode>) =>
      query(
        sql`UPDATE forced_modes f SET phase = 'ending', due_at = given."dueAt", attempts = given.attempts
        FROM jsonb_to_recordset(${JSON.stringify(modes)}::jsonb) AS given ("deviceId" text, "dueAt" timestamptz, attempts int)
        WHERE f.device_id = given."deviceId" AND f.phase IN ('holding', 'ending')`.unprepared
      )
  }
})
