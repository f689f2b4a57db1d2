import { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import { DeviceNotFound } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import { JsonColumn, decodeRows } from "../platform/sql/rows.ts"

/** Checks that a device exists in the caller's workspace. */
export const requireDevice = (sql: SqlClient.SqlClient) => (workspaceId: string, id: string) =>
  Effect.flatMap(query(sql`SELECT 1 FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId}`), ([row]) =>
    row === undefined ? Effect.fail(new DeviceNotFound({})) : Effect.void
  )

/** The condition that a column holds the id of a device of the workspace. */
export const deviceBelongsTo = (sql: SqlClient.SqlClient, workspaceId: string, column: string) =>
  sql`EXISTS (SELECT FROM devices WHERE id = ${sql(column)} AND workspace_id = ${workspaceId})`

/** A query of the ids of the devices with tags that meet a condition on the column `tag`. */
export const taggedDeviceIds = (sql: SqlClient.SqlClient, workspaceId: string, condition: Statement.Fragment) =>
  sql`SELECT device_id AS id FROM device_tags WHERE device_tags.workspace_id = ${workspaceId} AND ${condition}`

/**
 * A query of those of the ids in an array that are devices `device` of the workspace and of a type; conditions may follow. Concatenated,
 * workspace and type choose no index: devices are found by their ids, whatever the statistics say.
 */
export const devicesAmong = (
  sql: SqlClient.SqlClient,
  ids: Statement.Fragment,
  { deviceType, workspaceId }: { readonly deviceType: string; readonly workspaceId: string }
) =>
  sql`SELECT device.id FROM unnest(${ids}) AS given (id) JOIN devices device ON device.id = given.id
    WHERE device.workspace_id || '' = ${workspaceId} AND device.type || '' = ${deviceType}`

/** Locks the device until the transaction ends, so that changes of it run one after another. */
export const holdDevice = (sql: SqlClient.SqlClient, workspaceId: string, id: string) =>
  query(sql`SELECT FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`)

/** The fields of a device that its schedules depend on. */
export const ScheduledDevice = Schema.Struct({
  workspaceId: Schema.NullOr(Schema.String),
  referenceId: Schema.String,
  type: DeviceType,
  commands: Schema.Array(CommandSlug),
  staticState: Schema.NullOr(JsonColumn<object>()),
  /** That of its site. */
  timezone: Schema.NullOr(Schema.String)
})
export type ScheduledDevice = typeof ScheduledDevice.Type

export const scheduledDevice = (sql: SqlClient.SqlClient, id: string) =>
  decodeRows(ScheduledDevice)(sql`SELECT d.workspace_id AS "workspaceId", d.reference_id AS "referenceId", d.type,
      d.commands, d.static_state AS "staticState", sites.timezone
    FROM devices d LEFT JOIN sites ON sites.id = d.site_id WHERE d.id = ${id}`)

/**
 * Ids of a customer's devices: those at the customer's sites and those that the customer connected, each once. Both parts use an
 * index on the customer, not on the whole workspace.
 */
export const customerDeviceIds = (
  sql: SqlClient.SqlClient,
  workspaceId: Statement.Fragment,
  customerId: Statement.Fragment
) =>
  sql`SELECT devices.id FROM customer_sites JOIN devices USING (site_id)
      WHERE customer_sites.customer_id = ${customerId} AND devices.workspace_id = ${workspaceId}
    UNION SELECT id FROM devices WHERE customer_id = ${customerId} AND workspace_id = ${workspaceId}`

/** The mode that is forced on devices, as their records show it; for common table expressions of statements that change modes. */
export const forcedModeColumn = (sql: SqlClient.SqlClient) => ({
  /** Shows a mode. `modes` has the columns device_id, mode, until and source of one row per device. */
  show: (modes: Statement.Fragment) =>
    sql`UPDATE devices d SET forced_mode = jsonb_build_object('mode', shown.mode, 'until', shown.until,
        'then', 'restore', 'source', shown.source)
      FROM ${modes} WHERE d.id = shown.device_id`,
  /** Shows another end of modes; `late` has the columns device_id and until. */
  end: (late: Statement.Fragment) =>
    sql`UPDATE devices d SET forced_mode = jsonb_set(d.forced_mode, '{until}',
        to_jsonb(to_char(late.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      FROM ${late} WHERE d.id = late.device_id AND d.forced_mode IS NOT NULL`,
  /** Shows no mode any more; `ended` has the column device_id. */
  clear: (ended: Statement.Fragment) =>
    sql`UPDATE devices d SET forced_mode = NULL FROM ${ended} WHERE d.id = ended.device_id`
})
