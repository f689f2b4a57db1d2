import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { SqlClient } from "effect/sql"
import { IdRow, decodeRows } from "../platform/sql/rows.ts"

/** A device that a request provisions, with the fields of its model. */
export interface DirectDeviceFields {
  readonly id: string
  readonly at: Date
  readonly siteId: string | null
  readonly name: string
  readonly serialNumber: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  /** JSON, null if it has none. */
  readonly staticState: string | null
  /** The request's fields as JSON, with which a repeated request is compared. */
  readonly provisioned: string
  readonly model: {
    readonly id: string
    readonly name: string
    readonly type: DeviceType
    readonly commands: ReadonlyArray<string>
  }
}

/** A manufacturer's name for its device, unique in the workspace in which the device was provisioned. */
export interface DeviceReference {
  readonly workspaceId: string
  readonly manufacturer: string
  readonly manufacturerDeviceId: string
}

/** Writes to devices that send their readings themselves. */
export const directDeviceTable = (sql: SqlClient.SqlClient) => ({
  /** Returns no row if the manufacturer's device exists already. */
  insert: ({ manufacturer, manufacturerDeviceId, workspaceId }: DeviceReference, device: DirectDeviceFields) =>
    decodeRows(IdRow)(sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
        manufacturer_device_id, serial_number, reference_id, device_model_id, model, type, static_state, commands, tags,
        direct, provisioned, connected_at, created_at, updated_at)
      VALUES (${device.id}, ${workspaceId}, ${workspaceId}, ${device.siteId}, ${device.name}, ${manufacturer},
        ${manufacturerDeviceId}, ${device.serialNumber}, ${device.referenceId}, ${device.model.id}, ${device.model.name},
        ${device.model.type}, ${device.staticState}::jsonb, ${device.model.commands}::text[], ${device.tags}::text[], true,
        ${device.provisioned}::jsonb, ${device.at}, ${device.at}, ${device.at})
      ON CONFLICT ON CONSTRAINT devices_manufacturer_key DO NOTHING RETURNING id`),
  /** Brings a removed device back. Returns no row if it belongs to a workspace already or no longer exists. */
  associate: (device: DirectDeviceFields) =>
    decodeRows(IdRow)(sql`UPDATE devices SET workspace_id = origin_workspace_id, site_id = ${device.siteId},
        name = ${device.name}, serial_number = ${device.serialNumber}, reference_id = ${device.referenceId},
        device_model_id = ${device.model.id}, model = ${device.model.name}, type = ${device.model.type},
        static_state = ${device.staticState}::jsonb, commands = ${device.model.commands}::text[],
        tags = ${device.tags}::text[], direct = true, provisioned = ${device.provisioned}::jsonb,
        connected_at = ${device.at}, disconnected_at = null, updated_at = ${device.at}
      WHERE id = ${device.id} AND workspace_id IS NULL RETURNING id`)
})
