import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import type { DeviceReference, DirectDevice } from "./directDevice.ts"
import type { Provisioned } from "./provisioned.ts"

export interface ModelRow {
  readonly id: string
  readonly manufacturer: string
  readonly name: string
  readonly type: DeviceType
  readonly staticState: Readonly<Record<string, unknown>> | null
  readonly commands: ReadonlyArray<string>
}

/** A device to store: the request's fields and those of its model. */
export interface ProvisionedDevice extends DeviceReference {
  readonly id: string
  readonly model: ModelRow
  readonly sent: Provisioned
  readonly at: Date
}

export interface ExistingDevice {
  readonly id: string
  readonly workspaceId: string | null
  readonly last: Provisioned
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`devices.id, type, manufacturer, manufacturer_device_id AS "manufacturerDeviceId", direct,
    workspace_id AS "workspaceId", origin_workspace_id AS "originWorkspaceId"`)
  const byIds = (ids: ReadonlyArray<string>) => sql`SELECT ${columns} FROM devices WHERE id = ANY(${ids}::text[])`
  const byReferences = (references: ReadonlyArray<DeviceReference>) => sql`SELECT ${columns} FROM devices
    JOIN unnest(${references.map((each) => each.workspaceId)}::text[],
      ${references.map((each) => each.manufacturer)}::text[],
      ${references.map((each) => each.manufacturerDeviceId)}::text[]) AS wanted (workspace, maker, device)
    ON origin_workspace_id = workspace AND manufacturer = maker AND manufacturer_device_id = device`
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

  return {
    /** The devices of the ids and of the references, in one statement. */
    devices: (ids: ReadonlyArray<string>, references: ReadonlyArray<DeviceReference>) =>
      query(
        references.length === 0
          ? sql<DirectDevice>`${byIds(ids)}`
          : sql<DirectDevice>`${byIds(ids)} UNION ${byReferences(references)}`
      ),
    model: (id: string) =>
      query(sql<ModelRow>`SELECT id, manufacturer, name, type, static_state AS "staticState", commands
        FROM device_models WHERE id = ${id}`),
    /** Locks the site, so that it is not deleted before the device refers to it. */
    lockSite: (workspaceId: string, id: string) =>
      sql`SELECT FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} FOR KEY SHARE`,
    /** Returns no row if the manufacturer's device exists already. */
    insert: ({ id, workspaceId, manufacturer, manufacturerDeviceId, model, sent, at }: ProvisionedDevice) =>
      sql<{
        readonly id: string
      }>`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
          manufacturer_device_id, serial_number, reference_id, device_model_id, model, type, static_state, commands, tags,
          direct, provisioned, connected_at, created_at, updated_at)
        VALUES (${id}, ${workspaceId}, ${workspaceId}, ${sent.siteId}, ${sent.name}, ${manufacturer},
          ${manufacturerDeviceId}, ${sent.serialNumber}, ${sent.referenceId}, ${model.id}, ${model.name}, ${model.type},
          ${json(sent.staticState)}::jsonb, ${model.commands}::text[], ${sent.tags}::text[], true, ${json(sent)}::jsonb,
          ${at}, ${at}, ${at})
        ON CONFLICT ON CONSTRAINT devices_manufacturer_key DO NOTHING RETURNING id`,
    /** A device from an account link was never provisioned: its present fields are compared. */
    existing: (reference: DeviceReference) =>
      sql<ExistingDevice>`SELECT id, workspace_id AS "workspaceId", coalesce(provisioned, jsonb_build_object(
            'deviceModelId', device_model_id, 'siteId', site_id, 'serialNumber', serial_number, 'name', name,
            'referenceId', reference_id, 'tags', to_jsonb(tags), 'staticState', static_state)) AS last
        FROM devices WHERE origin_workspace_id = ${reference.workspaceId} AND manufacturer = ${reference.manufacturer}
          AND manufacturer_device_id = ${reference.manufacturerDeviceId}`,
    /** Returns no row if the device belongs to a workspace already or no longer exists. */
    associate: ({ id, model, sent, at }: ProvisionedDevice) =>
      sql<{ readonly id: string }>`UPDATE devices SET workspace_id = origin_workspace_id, site_id = ${sent.siteId},
          name = ${sent.name}, serial_number = ${sent.serialNumber}, reference_id = ${sent.referenceId},
          device_model_id = ${model.id}, model = ${model.name}, type = ${model.type},
          static_state = ${json(sent.staticState)}::jsonb, commands = ${model.commands}::text[],
          tags = ${sent.tags}::text[], direct = true, provisioned = ${json(sent)}::jsonb, connected_at = ${at},
          disconnected_at = null, updated_at = ${at}
        WHERE id = ${id} AND workspace_id IS NULL RETURNING id`
  }
})

export class DirectIntegrationRepository extends Context.Service<
  DirectIntegrationRepository,
  Effect.Success<typeof make>
>()("@edp/server/DirectIntegrationRepository") {
  static readonly layer = Layer.effect(DirectIntegrationRepository, make)
}
