import { Context, Effect, Exit, Layer } from "effect"
import { batched } from "../../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { DeviceReference, DirectDevice } from "./pushableDevice.ts"
import { DirectIntegrationRepository } from "./DirectIntegrationRepository.ts"

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
      const repository = yield* DirectIntegrationRepository
      let recent = new Map<string, DirectDevice>()
      const remember = (device: DirectDevice) => {
        if (recent.size >= MAX_RECENT) recent = new Map()
        recent.set(device.id, device)
      }
      const find = yield* batched(
        (lookups: ReadonlyArray<DeviceLookup>) => {
          const { ids, references } = gather(lookups)
          return repository.devices(ids, references).pipe(
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
