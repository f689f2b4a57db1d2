import { DeviceType } from "@edp/domain/devices/DeviceType"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf } from "../../platform/sql/lists.ts"
import { queryRows } from "../../platform/sql/rows.ts"

const watts = Schema.NullOr(Schema.Finite)

/** The powers in the newest state of a device that sees the grid connection of its site. */
export const HomeReading = Schema.Struct({
  deviceId: Schema.String,
  siteId: Schema.String,
  type: DeviceType,
  at: Schema.Date,
  /** Positive imports. */
  gridPower: watts
})
export type HomeReading = typeof HomeReading.Type

/** Reads what meters, inverters and batteries at the sites of devices last showed of the grid connection. */
export const readHomes = Effect.map(
  SqlClient.SqlClient,
  (sql) => (deviceIds: ReadonlyArray<string>) =>
    queryRows(HomeReading)(sql`SELECT d.id AS "deviceId", d.site_id AS "siteId", d.type, s.at,
        (s.state ->> CASE WHEN d.type = 'meter' THEN 'power' ELSE 'gridPower' END)::float8 AS "gridPower"
      FROM devices d JOIN device_states s ON s.device_id = d.id
      WHERE d.site_id IN (SELECT site_id FROM devices WHERE id = ${anyOf(sql, deviceIds)})
        AND d.type IN ('battery', 'inverter', 'meter') AND d.disconnected_at IS NULL AND s.at IS NOT NULL
      ORDER BY d.id`)
)

const HeldDevice = Schema.Struct({ deviceId: Schema.String })

/** Those of the devices on which a user's mode holds at a time. */
export const readHeldByUsers = Effect.map(
  SqlClient.SqlClient,
  (sql) => (deviceIds: ReadonlyArray<string>, at: Date) =>
    queryRows(HeldDevice)(sql`SELECT device_id AS "deviceId" FROM forced_modes
      WHERE device_id = ${anyOf(sql, deviceIds)} AND source = 'user' AND phase IN ('starting', 'holding')
        AND until > ${at}`).pipe(Effect.map((rows) => new Set(rows.map(({ deviceId }) => deviceId))))
)
