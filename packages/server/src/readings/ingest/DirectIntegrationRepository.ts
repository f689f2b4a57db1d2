import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ModelFields, findModel } from "../../device-models/deviceModelTable.ts"
import { type DeviceReference, directDeviceTable } from "../../devices/directDeviceTable.ts"
import { siteTable } from "../../sites/siteTable.ts"
import { query } from "../../platform/sql/transaction.ts"
import type { Provisioned } from "./provisioned.ts"
import { decodeRows, JsonColumn } from "../../platform/sql/rows.ts"

/** A device to store: the request's fields and those of its model. */
export interface ProvisionedDevice extends DeviceReference {
  readonly id: string
  readonly model: ModelFields
  readonly sent: Provisioned
  readonly at: Date
}

export const ExistingDevice = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.NullOr(Schema.String),
  last: JsonColumn<Provisioned>()
})
export type ExistingDevice = typeof ExistingDevice.Type

const directFields = ({ at, id, model, sent }: ProvisionedDevice) => ({
  ...sent,
  at,
  id,
  model,
  staticState: sent.staticState === null ? null : JSON.stringify(sent.staticState),
  provisioned: JSON.stringify(sent)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = directDeviceTable(sql)

  return {
    model: (id: string) => query(findModel(sql, id)),
    /** Locks the site, so that it is not deleted before the device refers to it. */
    lockSite: siteTable(sql).lockSite,
    /** Returns no row if the manufacturer's device exists already. */
    insert: (device: ProvisionedDevice) => table.insert(device, directFields(device)),
    /** A device from an account link was never provisioned: its present fields are compared. */
    existing: (reference: DeviceReference) =>
      decodeRows(ExistingDevice)(sql`SELECT id, workspace_id AS "workspaceId", coalesce(provisioned, jsonb_build_object(
            'deviceModelId', device_model_id, 'siteId', site_id, 'serialNumber', serial_number, 'name', name,
            'referenceId', reference_id, 'tags', to_jsonb(tags), 'staticState', static_state)) AS last
        FROM devices WHERE origin_workspace_id = ${reference.workspaceId} AND manufacturer = ${reference.manufacturer}
          AND manufacturer_device_id = ${reference.manufacturerDeviceId}`),
    /** Returns no row if the device belongs to a workspace already or no longer exists. */
    associate: (device: ProvisionedDevice) => table.associate(directFields(device))
  }
})

export class DirectIntegrationRepository extends Context.Service<
  DirectIntegrationRepository,
  Effect.Success<typeof make>
>()("@edp/server/DirectIntegrationRepository") {
  static readonly layer = Layer.effect(DirectIntegrationRepository, make)
}
