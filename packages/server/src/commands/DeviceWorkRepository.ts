import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf } from "../platform/sql/lists.ts"
import { query } from "../platform/sql/transaction.ts"

/** A frozen or dead process's devices are taken over after this. */
export const LEASE_SECONDS = 120

/** A device on which this process works. */
export interface DeviceClaim {
  readonly deviceId: string
  readonly manufacturer: string
  readonly claim: string
  /** Milliseconds since the work was due. */
  readonly lateMs: number
}

export interface ClaimLimits {
  /** Devices of one manufacturer at a time, and those that are being worked on. */
  readonly each: number
  readonly active: ReadonlyMap<string, number>
  /** Manufacturers of which nothing is claimed. */
  readonly paused: ReadonlyArray<string>
  readonly most: number
}

/** A claim that ends. `avoided`: another instance holds the device's connection. */
export interface ReleasedDevice {
  readonly deviceId: string
  readonly claim: string
  readonly avoided: boolean
}

/** How long an instance leaves a device to others that it could not reach itself. */
const AVOIDED = "1 second"

// Leases are kept by the database's clock, so that processes whose clocks differ agree on them.
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leased = sql.literal(`clock_timestamp() + interval '${LEASE_SECONDS} seconds'`)

  return {
    /** Leases devices whose work is due, the longest overdue of each manufacturer first. */
    claim: (claim: string, instance: string, { active, each, most, paused }: ClaimLimits, now: Date) =>
      query(sql<DeviceClaim>`WITH RECURSIVE makers AS (
          (SELECT manufacturer FROM device_work ORDER BY manufacturer LIMIT 1)
          UNION ALL
          SELECT (SELECT manufacturer FROM device_work w WHERE w.manufacturer > makers.manufacturer
            ORDER BY manufacturer LIMIT 1) FROM makers WHERE makers.manufacturer IS NOT NULL
        ), due AS MATERIALIZED (
          SELECT w.device_id, w.due_at FROM makers
          CROSS JOIN LATERAL (
            SELECT device_id, due_at FROM device_work
            WHERE manufacturer = makers.manufacturer AND due_at <= ${now}
              AND (lease_until IS NULL OR lease_until <= clock_timestamp())
              AND (avoided_by IS NULL OR avoided_by <> ${instance}::uuid OR avoided_until <= clock_timestamp())
            ORDER BY due_at
            LIMIT greatest(0, ${each} - coalesce((${JSON.stringify(Object.fromEntries(active))}::jsonb
              ->> makers.manufacturer)::int, 0))
            FOR UPDATE SKIP LOCKED) AS w
          WHERE makers.manufacturer IS NOT NULL AND makers.manufacturer <> ALL(${paused}::text[])
            AND NOT EXISTS (SELECT FROM manufacturer_pauses p
              WHERE p.manufacturer = makers.manufacturer AND p.account_id = '' AND p.until > now())
          LIMIT ${most}
        )
        UPDATE device_work w SET claim = ${claim}::uuid, lease_until = ${leased} FROM due
        WHERE w.device_id = due.device_id
        RETURNING w.device_id AS "deviceId", w.manufacturer, w.claim,
          round(extract(epoch FROM ${now}::timestamptz - due.due_at) * 1000)::float8 AS "lateMs"`),
    /** Extends leases. Returns the devices that are still this process's. */
    renew: (claims: ReadonlyArray<Pick<DeviceClaim, "deviceId" | "claim">>) =>
      query(
        sql<{ readonly deviceId: string }>`WITH held AS MATERIALIZED (
          SELECT w.device_id FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
            AS given ("deviceId" text, claim uuid)
          JOIN device_work w ON w.device_id = given."deviceId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE device_work w SET lease_until = ${leased} FROM held WHERE w.device_id = held.device_id
        RETURNING w.device_id AS "deviceId"`.unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(({ deviceId }) => deviceId)))),
    /** For a transaction: locks the work of devices, in order, as whoever changes their commands does first. */
    hold: (deviceIds: ReadonlyArray<string>) =>
      query(sql`SELECT FROM device_work WHERE device_id = ${anyOf(sql, deviceIds)} ORDER BY device_id FOR UPDATE`),
    /** For a transaction: locks devices whose claims are still held, before their next work is determined. */
    holdClaimed: (released: ReadonlyArray<ReleasedDevice>) =>
      query(
        sql`SELECT w.device_id FROM jsonb_to_recordset(${JSON.stringify(released)}::jsonb)
            AS given ("deviceId" text, claim uuid)
          JOIN device_work w ON w.device_id = given."deviceId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w`.unprepared
      ),
    /** For a transaction, after `holdClaimed`: ends claims, and makes the devices due for the work that is left. */
    release: (released: ReadonlyArray<ReleasedDevice>, instance: string) =>
      query(
        sql`UPDATE device_work w SET claim = NULL, lease_until = NULL,
          avoided_by = CASE WHEN given.avoided THEN ${instance}::uuid END,
          avoided_until = CASE WHEN given.avoided THEN clock_timestamp() + interval '${sql.literal(AVOIDED)}' END,
          due_at = least(
            (SELECT min(c.due_at) FROM commands c WHERE c.device_id = w.device_id AND c.status IN ('pending', 'scheduled')),
            (SELECT f.due_at FROM forced_modes f WHERE f.device_id = w.device_id AND f.phase IN ('holding', 'ending')),
            'infinity')
        FROM jsonb_to_recordset(${JSON.stringify(released)}::jsonb)
          AS given ("deviceId" text, claim uuid, avoided boolean)
        WHERE w.device_id = given."deviceId" AND w.claim = given.claim`.unprepared
      ),
    /** Brings a device's work forward. */
    advance: (devices: ReadonlyArray<{ readonly deviceId: string; readonly dueAt: Date }>) =>
      query(
        sql`UPDATE device_work w SET due_at = least(w.due_at, given."dueAt")
        FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) AS given ("deviceId" text, "dueAt" timestamptz)
        WHERE w.device_id = given."deviceId"`.unprepared
      )
  }
})

/** When devices have something to do, and which process has them. */
export class DeviceWorkRepository extends Context.Service<DeviceWorkRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeviceWorkRepository"
) {
  static readonly layer = Layer.effect(DeviceWorkRepository, make)
}
