import { Clock, Effect, type Scope } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { makeArrivals } from "@edp/adapter-kit/broker/arrivals"
import { isObject } from "@edp/adapter-kit/decoding/jsonPath"
import { parseUnit, type Unit } from "@edp/adapter-kit/decoding/units"
import { deviceEntities, describeInstance, type InstanceDevice } from "./describeDevices.ts"
import { applyEvent, type Entities, type Entity, readStates } from "./entities.ts"
import { type HomeAssistantSession, type InstanceAddress, openSession } from "./HomeAssistantSession.ts"
import { readDeviceRegistry, readEnergyPreferences, readEntityRegistry } from "./registries.ts"

/** A connected instance with its devices and the newest states of their entities. */
export interface Instance {
  readonly session: HomeAssistantSession
  readonly name: string
  /** The unit of all temperatures of climates and water heaters. */
  readonly unit: Unit
  readonly devices: () => ReadonlyArray<InstanceDevice>
  readonly entities: Entities
  /** Whether a registry has changed since the devices were described. */
  readonly isOutdated: () => boolean
  /** Describes the devices anew and follows the states of their entities. */
  readonly refresh: Effect.Effect<void, AdapterError>
  /** Number of events so far. */
  readonly events: () => number
  /** Waits until there were more events than a number. */
  readonly moreThan: (events: number) => Effect.Effect<void>
}

const registryEvents = ["entity_registry_updated", "device_registry_updated"]

/** Connects to an instance: its devices are described, and the states of their entities arrive. */
export const openInstance = Effect.fnUntraced(function* (
  host: Pick<AdapterHost, "contained" | "dial">,
  address: InstanceAddress,
  batteryCapacity: number | null
): Effect.fn.Return<Instance, AdapterError, Scope.Scope> {
  const session = yield* openSession(host, address)
  const clock = yield* Clock.Clock
  const config = yield* session.call("get_config")
  const units = isObject(config) && isObject(config["unit_system"]) ? config["unit_system"] : {}
  const unit = typeof units["temperature"] === "string" ? parseUnit(units["temperature"]) : undefined
  if (!isObject(config) || unit === undefined) {
    return yield* AdapterError.of("contract", "Home Assistant does not say in which unit it has temperatures")
  }
  const entities = new Map<string, Entity>()
  const events = makeArrivals()
  let devices: ReadonlyArray<InstanceDevice> = []
  let isOutdated = false
  let subscription: { readonly id: number; readonly key: string } | undefined

  const onEvent = (change: () => void) => {
    change()
    events.add()
  }

  const refresh = Effect.gen(function* () {
    isOutdated = false
    const registered = readEntityRegistry(yield* session.call("config/entity_registry/list"))
    const known = readDeviceRegistry(yield* session.call("config/device_registry/list"))
    // An instance whose energy dashboard is not set up has no preferences.
    const preferences = yield* session
      .call("energy/get_prefs")
      .pipe(
        Effect.catchTag("AdapterError", (error) =>
          ["not_found", "unknown_command"].includes(error.upstream?.errorCode ?? "")
            ? Effect.succeed(null)
            : Effect.fail(error)
        )
      )
    const states = readStates(yield* session.call("get_states"))
    devices = describeInstance({
      entities: registered,
      devices: known,
      sources: readEnergyPreferences(preferences),
      states,
      batteryCapacity
    })
    const ids = [...new Set(devices.flatMap(deviceEntities))].toSorted()
    const key = ids.join(" ")
    if (key === subscription?.key) return
    if (subscription !== undefined) yield* session.unsubscribe(subscription.id)
    entities.clear()
    for (const id of ids) {
      const state = states.get(id)
      if (state !== undefined) entities.set(id, state)
    }
    subscription = undefined
    // Without ids the instance would send all of its entities.
    if (ids.length === 0) return
    const id = yield* session.subscribe("subscribe_entities", { entity_ids: ids }, (event) =>
      onEvent(() => applyEvent(entities, event, clock.currentTimeMillisUnsafe()))
    )
    subscription = { id, key }
  })

  yield* Effect.forEach(
    registryEvents,
    (type) =>
      session.subscribe("subscribe_events", { event_type: type }, () => onEvent(() => void (isOutdated = true))),
    { discard: true }
  )
  yield* refresh
  return {
    session,
    name: typeof config["location_name"] === "string" ? config["location_name"] : "Home Assistant",
    unit,
    devices: () => devices,
    entities,
    isOutdated: () => isOutdated,
    refresh,
    events: events.count,
    moreThan: events.moreThan
  }
})
