import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import {
  DeviceNotAssociated,
  DeviceNotFound,
  DeviceNotOemDirect,
  ManufacturerNotAllowed
} from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DeviceReference } from "../../devices/directDeviceTable.ts"
import { batched } from "../../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { decodeRows } from "../../platform/sql/rows.ts"
import { selectList } from "../../platform/sql/selectList.ts"
import { query } from "../../platform/sql/transaction.ts"

/** The fields of a device that telemetry needs. */
export const DirectDevice = Schema.Struct({
  id: Schema.String,
  type: DeviceType,
  manufacturer: Schema.String,
  manufacturerDeviceId: Schema.String,
  direct: Schema.Boolean,
  /** Null once the device was removed. */
  workspaceId: Schema.NullOr(Schema.String),
  originWorkspaceId: Schema.String
})
export type DirectDevice = typeof DirectDevice.Type

export type Refusal = DeviceNotFound | ManufacturerNotAllowed | DeviceNotOemDirect | DeviceNotAssociated

/**
 * The device if the caller may push its telemetry, else the error of the first failed check. A removed device belongs to
 * no workspace, so any key of its manufacturer may know of it; a device of another workspace does not exist for the caller.
 */
export const pushable = (
  caller: Pick<CurrentKey["Service"], "workspaceId" | "manufacturerScope">,
  device: DirectDevice | undefined
): Exit.Exit<DirectDevice, Refusal> => {
  if (device === undefined) return Exit.fail(new DeviceNotFound({}))
  const { workspaceId, originWorkspaceId, manufacturer } = device
  if (workspaceId !== null && workspaceId !== caller.workspaceId) return Exit.fail(new DeviceNotFound({}))
  if (caller.manufacturerScope?.includes(manufacturer) !== true) {
    return Exit.fail(originWorkspaceId === caller.workspaceId ? new ManufacturerNotAllowed({}) : new DeviceNotFound({}))
  }
  if (!device.direct) return Exit.fail(new DeviceNotOemDirect({}))
  return workspaceId === null ? Exit.fail(new DeviceNotAssociated({})) : Exit.succeed(device)
}

/** About 5 MB. */
const MAX_RECENT = 20_000

export interface DeviceLookup {
  readonly ids: ReadonlyArray<string>
  readonly references: ReadonlyArray<DeviceReference>
}

export interface FoundDevices {
  readonly byId: (id: string) => DirectDevice | undefined
  readonly byReference: (reference: DeviceReference) => DirectDevice | undefined
}

// Neither ids nor slugs contain a space.
const makeKey = (workspaceId: string, manufacturer: string, manufacturerDeviceId: string) =>
  `${workspaceId} ${manufacturer} ${manufacturerDeviceId}`

const referenceKey = (reference: DeviceReference) =>
  makeKey(reference.workspaceId, reference.manufacturer, reference.manufacturerDeviceId)

const gather = (lookups: ReadonlyArray<DeviceLookup>) => {
  const ids = new Set<string>()
  const references = new Map<string, DeviceReference>()
  for (const lookup of lookups) {
    for (const id of lookup.ids) ids.add(id)
    for (const reference of lookup.references) references.set(referenceKey(reference), reference)
  }
  return { ids: [...ids], references: [...references.values()] }
}

const keyed = (devices: ReadonlyArray<DirectDevice>) =>
  new Map(
    devices.map((device) => [
      makeKey(device.originWorkspaceId, device.manufacturer, device.manufacturerDeviceId),
      device
    ])
  )

const foundDevices = (devices: ReadonlyArray<DirectDevice>): FoundDevices => {
  const byId = new Map(devices.map((device) => [device.id, device]))
  let byReference: ReadonlyMap<string, DirectDevice> | undefined
  return {
    byId: (id) => byId.get(id),
    // Most pushes name their device by id, so this map is built on first use.
    byReference: (reference) => (byReference ??= keyed(devices)).get(referenceKey(reference))
  }
}

/** Reads the devices of ids and of references, in one statement. */
const makeRead = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(selectList(DirectDevice, { id: "devices.id" }))
  const byIds = (ids: ReadonlyArray<string>) => sql`SELECT ${columns} FROM devices WHERE id = ANY(${ids}::text[])`
  const byReferences = (references: ReadonlyArray<DeviceReference>) => sql`SELECT ${columns} FROM devices
    JOIN unnest(${references.map((each) => each.workspaceId)}::text[],
      ${references.map((each) => each.manufacturer)}::text[],
      ${references.map((each) => each.manufacturerDeviceId)}::text[]) AS wanted (workspace, maker, device)
    ON origin_workspace_id = workspace AND manufacturer = maker AND manufacturer_device_id = device`
  return (ids: ReadonlyArray<string>, references: ReadonlyArray<DeviceReference>) =>
    query(
      references.length === 0
        ? decodeRows(DirectDevice)(sql`${byIds(ids)}`)
        : decodeRows(DirectDevice)(sql`${byIds(ids)} UNION ${byReferences(references)}`)
    )
}

/** Looks up the devices of pushes. Concurrent look-ups share a statement. */
export class DirectDevices extends Context.Service<
  DirectDevices,
  {
    readonly find: (lookup: DeviceLookup) => Effect.Effect<FoundDevices, DatabaseUnavailable>
    /**
     * A device as it was last found. It may have been removed, have come back with another type, or be direct no longer; the
     * statement that stores readings checks all of it, so that a change by another instance holds at once.
     */
    readonly recent: (id: string) => DirectDevice | undefined
  }
>()("@edp/server/DirectDevices") {
  static readonly layer = Layer.effect(
    DirectDevices,
    Effect.gen(function* () {
      const read = makeRead(yield* SqlClient.SqlClient)
      let recent = new Map<string, DirectDevice>()
      const remember = (device: DirectDevice) => {
        if (recent.size >= MAX_RECENT) recent = new Map()
        recent.set(device.id, device)
      }
      const find = yield* batched(
        (lookups: ReadonlyArray<DeviceLookup>) => {
          const { ids, references } = gather(lookups)
          return read(ids, references).pipe(
            Effect.map((devices) => {
              for (const id of ids) recent.delete(id)
              devices.forEach(remember)
              const found = Exit.succeed(foundDevices(devices))
              return () => found
            }),
            Effect.withSpan("DirectDevices.find", { attributes: { devices: ids.length + references.length } })
          )
        },
        { maxBatch: 1000, weight: ({ ids, references }) => ids.length + references.length }
      )
      return { find, recent: (id) => recent.get(id) }
    })
  )
}
