import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { queryCount, queryRows } from "../platform/sql/rows.ts"
import type { PublicationRow } from "./publicationRow.ts"

export const PublishedDevice = Schema.Struct({
  id: Schema.String,
  manufacturerName: Schema.String,
  /** Until then the device is online, unless it reports again; null if it has never reported. */
  onlineUntil: Schema.NullOr(Schema.Date)
})
export type PublishedDevice = typeof PublishedDevice.Type

const ChangeRow = Schema.Struct({ sequence: Schema.Finite, deviceId: Schema.NullOr(Schema.String) })

type Selection = Pick<PublicationRow, "workspaceId" | "tag">

/** The devices that a publication has, and the changes of the workspace's devices. */
export const PublishedDevicesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const chosen = ({ tag, workspaceId }: Selection) =>
    sql.and([
      sql`d.workspace_id = ${workspaceId}`,
      ...(tag === null
        ? []
        : [
            sql`d.id IN (SELECT device_id FROM device_tags WHERE device_tags.workspace_id = ${workspaceId} AND tag = ${tag})`
          ])
    ])
  /** It can't be known whether the Home Assistant at a broker is the one that has the device already, where it would appear twice. */
  const isFromHomeAssistant = sql`d.manufacturer = 'home-assistant'`
  /** Devices that were read from a publication are not published again: each would become another device, without end. */
  const selected = (selection: Selection) =>
    sql.and([
      chosen(selection),
      sql`NOT (d.manufacturer = 'mqtt' AND starts_with(d.manufacturer_device_id, 'edp_'))`,
      sql`NOT ${isFromHomeAssistant}`
    ])

  const columns = sql.literal(`d.id, m.name AS "manufacturerName", s.at + m.online_window AS "onlineUntil"`)
  const joins = sql`JOIN manufacturers m ON m.slug = d.manufacturer LEFT JOIN device_states s ON s.device_id = d.id`

  return {
    /** In the order of their ids. */
    page: (selection: Selection, after: string, limit: number) =>
      queryRows(PublishedDevice)(sql`SELECT ${columns} FROM devices d ${joins}
        WHERE ${selected(selection)} AND d.id > ${after} ORDER BY d.id LIMIT ${limit}`),
    count: (selection: Selection) =>
      queryCount(sql`SELECT count(*)::int AS n FROM devices d WHERE ${selected(selection)}`),
    /** Those that are left out because they come from a Home Assistant. */
    countFromHomeAssistant: (selection: Selection) =>
      queryCount(sql`SELECT count(*)::int AS n FROM devices d WHERE ${chosen(selection)} AND ${isFromHomeAssistant}`),
    /** Those among some devices that the publication has. */
    among: (selection: Selection, ids: ReadonlyArray<string>) =>
      queryRows(PublishedDevice)(sql`SELECT ${columns} FROM devices d ${joins}
        WHERE d.id = ANY(${ids}::text[]) AND ${selected(selection)} ORDER BY d.id`),
    /** The devices of events after a sequence. Planned for these values: only then are the partitions of other days skipped. */
    changes: (workspaceId: string, above: number, upTo: number, since: Date, limit: number) =>
      queryRows(ChangeRow)(
        sql`SELECT sequence::float8 AS sequence, coalesce(device_id, payload ->> 'deviceId') AS "deviceId" FROM events
          WHERE workspace_id = ${workspaceId} AND sequence > ${above}::bigint AND sequence <= ${upTo}::bigint
            AND created_at >= ${since}
          ORDER BY events.sequence ${sql.literal(`LIMIT ${limit}`)}`.unprepared
      )
  }
})
