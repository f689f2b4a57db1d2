import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { anyOf, fewRecords } from "../platform/sql/lists.ts"
import { leaseName } from "../platform/jobs/JobRunner.ts"
import { untilTime } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { commandLimits } from "./commandLimits.ts"
import { queryRows } from "../platform/sql/rows.ts"
import { pausedWorkspaces } from "../workspaces/workspaceTable.ts"

/** The lease of a device. */
export const DeviceLease = Schema.Struct({ deviceId: Schema.String, claim: Schema.String })
export type DeviceLease = typeof DeviceLease.Type

/** A device on which this process works. */
export const DeviceClaim = Schema.Struct({
  ...DeviceLease.fields,
  manufacturer: Schema.String,
  /** Milliseconds since the work was due. */
  lateMs: Schema.Finite
})
export type DeviceClaim = typeof DeviceClaim.Type

export interface ClaimLimits {
  /** Devices of one manufacturer at a time, and those that are being worked on. */
  readonly each: number
  readonly active: ReadonlyMap<string, number>
  /** Manufacturers of which nothing is claimed. */
  readonly paused: ReadonlyArray<string>
  readonly most: number
}

/** A claim that ends. */
export interface ReleasedDevice extends DeviceLease {
  /** Another instance holds the device's connection. */
  readonly avoided: boolean
  /** That instance, if it is known. */
  readonly leftTo: string | null
}

// Leases are kept by the database's clock, so that processes whose clocks differ agree on them.
/** When devices have something to do, and which process has them. */
export const DeviceWorkRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leased = sql.literal(`clock_timestamp() + interval '${commandLimits.leaseSeconds} seconds'`)
  const take = (claim: string, holder: string, now: Date) =>
    sql`UPDATE device_work w SET claim = ${claim}::uuid, holder = ${holder}::uuid, lease_until = ${leased} FROM due
        WHERE w.device_id = due.device_id
        RETURNING w.device_id AS "deviceId", w.manufacturer, w.claim,
          round(extract(epoch FROM ${now}::timestamptz - due.due_at) * 1000)::float8 AS "lateMs"`

  // A scalar subquery, which is not made a join with all devices that are due.
  const rests = sql`coalesce((SELECT d.workspace_id IN (${pausedWorkspaces(sql)}) FROM devices d
    WHERE d.id = device_work.device_id), false)`
  // Compared as rows: the planner expects many, and walks the index in its order. By each column it expects few, and sorts all that are due.
  const dueBefore = (time: Statement.Fragment) =>
    sql`manufacturer >= makers.manufacturer AND (manufacturer, due_at) < (makers.manufacturer, ${time})`

  return {
    /** Leases devices whose work is due, the longest overdue of each manufacturer first. */
    claim: (claim: string, holder: string, instance: string, { active, each, most, paused }: ClaimLimits, now: Date) =>
      queryRows(DeviceClaim)(sql`WITH RECURSIVE makers AS (
          (SELECT manufacturer FROM device_work ORDER BY manufacturer LIMIT 1)
          UNION ALL
          SELECT (SELECT manufacturer FROM device_work w WHERE w.manufacturer > makers.manufacturer
            ORDER BY manufacturer LIMIT 1) FROM makers WHERE makers.manufacturer IS NOT NULL
        ), due AS MATERIALIZED (
          SELECT w.device_id, w.due_at FROM makers
          CROSS JOIN LATERAL (
            SELECT device_id, due_at FROM device_work
            WHERE ${dueBefore(sql`${now}::timestamptz + interval '1 microsecond'`)} AND NOT ${rests}
              AND (lease_until IS NULL OR lease_until <= clock_timestamp())
              AND (avoided_until IS NULL OR avoided_until <= clock_timestamp()
                OR left_to = ${instance} OR left_to IS NULL AND avoided_by <> ${instance})
            ORDER BY manufacturer, due_at
            LIMIT greatest(0, ${each} - coalesce((${JSON.stringify(Object.fromEntries(active))}::jsonb
              ->> makers.manufacturer)::int, 0))
            FOR UPDATE SKIP LOCKED) AS w
          WHERE makers.manufacturer IS NOT NULL AND makers.manufacturer <> ALL(${paused}::text[])
            AND NOT EXISTS (SELECT FROM manufacturer_pauses p
              WHERE p.manufacturer = makers.manufacturer AND p.account_id = '' AND p.until > now())
          LIMIT ${most}
        )
        ${take(claim, holder, now)}`),
    /**
     * Milliseconds until a device that nobody works on has something to do, but for those of some manufacturers. A few of each
     * manufacturer tell that.
     */
    nextDue: (except: ReadonlyArray<string>) =>
      untilTime(
        sql,
        sql`(WITH RECURSIVE makers AS (
          (SELECT manufacturer FROM device_work ORDER BY manufacturer LIMIT 1)
          UNION ALL
          SELECT (SELECT manufacturer FROM device_work w WHERE w.manufacturer > makers.manufacturer
            ORDER BY manufacturer LIMIT 1) FROM makers WHERE makers.manufacturer IS NOT NULL
        )
        SELECT min(greatest(first.due_at, first.lease_until)) FROM makers CROSS JOIN LATERAL (
          SELECT due_at, lease_until FROM device_work
          WHERE ${dueBefore(sql`'infinity'`)} ORDER BY manufacturer, due_at LIMIT 100) AS first
        WHERE makers.manufacturer <> ALL(${except}::text[]))`
      ),
    /** Leases devices whose work is due and was left to this instance, the longest overdue first. */
    claimLeft: (claim: string, holder: string, instance: string, most: number, now: Date) =>
      queryRows(DeviceClaim)(sql`WITH due AS MATERIALIZED (
          SELECT device_id, due_at FROM device_work
          WHERE left_to = ${instance} AND due_at <= ${now} AND NOT ${rests} AND avoided_until > clock_timestamp()
            AND (lease_until IS NULL OR lease_until <= clock_timestamp())
          ORDER BY due_at
          LIMIT ${most}
          FOR UPDATE SKIP LOCKED
        )
        ${take(claim, holder, now)}`),
    /** Extends leases whose claims are still held. Returns their names. */
    renew: (claims: ReadonlyArray<DeviceLease>) =>
      queryRows(DeviceLease)(
        sql`WITH held AS MATERIALIZED (
          SELECT w.device_id FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
            AS given ("deviceId" text, claim uuid)
          JOIN device_work w ON w.device_id = given."deviceId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE device_work w SET lease_until = ${leased} FROM held WHERE w.device_id = held.device_id
        RETURNING w.device_id AS "deviceId", w.claim`.unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(({ claim, deviceId }) => leaseName(claim, deviceId))))),
    /** Ends the leases of a process that is gone. */
    endLeases: (holder: string) =>
      query(sql`UPDATE device_work SET claim = NULL, lease_until = NULL
        WHERE holder = ${holder}::uuid AND claim IS NOT NULL`),
    /** Ends a lease whose claim is still held, without a record: others leave the device alone for a while. */
    putOff: ({ claim, deviceId }: DeviceLease, pause: number) =>
      query(sql`UPDATE device_work SET claim = NULL,
          lease_until = clock_timestamp() + ${pause}::float8 * interval '1 millisecond'
        WHERE device_id = ${deviceId} AND claim = ${claim}::uuid`),
    /** For a transaction: locks the work of devices, in order, as whoever changes their commands does first. */
    hold: (deviceIds: ReadonlyArray<string>) =>
      query(sql`SELECT FROM device_work WHERE device_id = ${anyOf(sql, deviceIds)} ORDER BY device_id FOR UPDATE`),
    /**
     * For a transaction: locks devices whose claims are still held, before something is recorded or their next work is determined. Returns
     * the names of their leases.
     */
    holdClaimed: (leases: ReadonlyArray<DeviceLease>) =>
      queryRows(DeviceLease)(
        sql`SELECT w.device_id AS "deviceId", w.claim
          FROM ${fewRecords(sql, leases, `"deviceId" text, claim uuid`)} AS given
          JOIN device_work w ON w.device_id = given."deviceId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w`.unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(({ claim, deviceId }) => leaseName(claim, deviceId))))),
    /** For a transaction, after `holdClaimed`: ends claims, and makes the devices due for the work that is left. */
    release: (released: ReadonlyArray<ReleasedDevice>, instance: string) =>
      query(
        sql`UPDATE device_work w SET claim = NULL, lease_until = NULL,
          avoided_by = CASE WHEN given.avoided THEN ${instance} END,
          left_to = given."leftTo",
          avoided_until = CASE WHEN given."leftTo" IS NOT NULL THEN clock_timestamp() + interval '${sql.literal(String(commandLimits.leftSeconds))} seconds'
            WHEN given.avoided THEN clock_timestamp() + interval '${sql.literal(String(commandLimits.avoidedSeconds))} seconds' END,
          due_at = least(
            (SELECT min(c.due_at) FROM commands c WHERE c.device_id = w.device_id AND c.status IN ('pending', 'scheduled')),
            (SELECT f.due_at FROM forced_modes f WHERE f.device_id = w.device_id AND f.phase IN ('holding', 'ending')),
            'infinity')
        FROM ${fewRecords(sql, released, `"deviceId" text, claim uuid, avoided boolean, "leftTo" text`)} AS given
        WHERE w.device_id = given."deviceId" AND w.claim = given.claim`.unprepared
      ),
    /** Brings the work of devices forward. They are locked first: who ends their claims meanwhile waits, and determines what is left anew. */
    advance: (devices: ReadonlyArray<{ readonly deviceId: string; readonly dueAt: Date }>) =>
      query(
        sql`WITH held AS MATERIALIZED (
          SELECT w.device_id, given."dueAt"
          FROM ${fewRecords(sql, devices, `"deviceId" text, "dueAt" timestamptz`)} AS given
          JOIN device_work w ON w.device_id = given."deviceId"
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE device_work w SET due_at = held."dueAt" FROM held
        WHERE w.device_id = held.device_id AND w.due_at > held."dueAt"`.unprepared
      )
  }
})
