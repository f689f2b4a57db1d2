import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { Device } from "@edp/domain/devices/Device"
import { Effect } from "effect"
import type { Devices } from "../devices/Devices.ts"
import type { Broker } from "../platform/device-networks/MqttBrokers.ts"
import { VERSION } from "../platform/observability/Traces.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { deviceComponents, deviceConfig, readPlatforms, removedComponents } from "./mapping/deviceConfig.ts"
import { availabilityPayload, statePayload } from "./mapping/statePayload.ts"
import type { Topics } from "./mapping/topics.ts"
import { publicationLimits } from "./publicationLimits.ts"
import type { PublishedDevice } from "./PublishedDevicesRepository.ts"

/** The messages of a device that the broker has. Undefined: it is to be sent. */
interface Entry {
  config: string | undefined
  state: string | undefined
  availability: string | undefined
  /** The platforms of the entities by their keys. */
  platforms: ReadonlyMap<string, string>
  /** Milliseconds since 1970 until which the device is online without another reading. */
  onlineUntil: number
}

export interface EntitiesOptions {
  readonly broker: Broker
  readonly topics: Topics
  readonly takesCommands: boolean
  readonly devices: Devices["Service"]
  /** The configurations that the broker had before, by the ids of their devices. */
  readonly retained: ReadonlyMap<string, string>
}

/** The entities of a publication as the broker has them: only what differs is sent. */
export const makePublishedEntities = ({ broker, devices, retained, takesCommands, topics }: EntitiesOptions) => {
  const entries = new Map(
    [...retained].map(([id, config]): [string, Entry] => [
      id,
      { config, state: undefined, availability: undefined, platforms: readPlatforms(config), onlineUntil: Infinity }
    ])
  )
  const retain = (topic: string, payload: string) => broker.publish({ topic, payload, retain: true })

  const publish = Effect.fnUntraced(function* (device: Device, { manufacturerName, onlineUntil }: PublishedDevice) {
    const { id } = device
    const known = entries.get(id)
    const entry = known ?? {
      config: undefined,
      state: undefined,
      availability: undefined,
      platforms: new Map<string, string>(),
      onlineUntil: Infinity
    }
    if (known === undefined) entries.set(id, entry)
    const source = {
      device,
      manufacturerName,
      topics,
      takesCommands,
      known: new Set(entry.platforms.keys()),
      version: VERSION
    }
    const components = deviceComponents(source)
    const config = deviceConfig(source, components)
    if (config !== entry.config) {
      const removed = removedComponents(entry.platforms, components)
      if (Object.keys(removed).length > 0) {
        yield* retain(topics.config(id), deviceConfig(source, { ...components, ...removed }))
      }
      yield* retain(topics.config(id), config)
      entry.config = config
      entry.platforms = new Map(Object.entries(components).map(([key, { platform }]) => [key, platform]))
    }
    const availability = availabilityPayload(device)
    if (availability !== entry.availability) {
      yield* retain(topics.availability(id), availability)
      entry.availability = availability
    }
    const state = statePayload(device)
    if (state !== entry.state) {
      yield* retain(topics.state(id), state)
      entry.state = state
    }
    entry.onlineUntil = availability === "online" ? (onlineUntil?.getTime() ?? Infinity) : Infinity
  })

  const remove = Effect.fnUntraced(function* (id: string) {
    // Without its configuration first, Home Assistant would show the device as unavailable.
    for (const topic of [topics.config(id), topics.state(id), topics.availability(id)]) yield* retain(topic, "")
    entries.delete(id)
  })

  const removeAll = (ids: Iterable<string>) =>
    Effect.forEach([...ids], remove, { concurrency: publicationLimits.messagesTogether, discard: true })

  return {
    has: (id: string) => entries.has(id),
    count: () => entries.size,
    ids: (): ReadonlyArray<string> => [...entries.keys()],
    /** Lets everything be sent again, such as to a Home Assistant that has just started. */
    forgetSent: () => {
      for (const entry of entries.values()) {
        entry.config = undefined
        entry.state = undefined
        entry.availability = undefined
      }
    },
    /** The devices that have gone offline without an event. */
    overdue: (now: number): ReadonlyArray<string> =>
      [...entries].filter(([, { onlineUntil }]) => onlineUntil < now).map(([id]) => id),
    /** Sends what has changed of some devices. */
    update: Effect.fnUntraced(function* (
      found: ReadonlyArray<PublishedDevice>
    ): Effect.fn.Return<void, AdapterError | DatabaseUnavailable> {
      if (found.length === 0) return
      const byId = new Map(found.map((one) => [one.id, one]))
      yield* Effect.forEach(yield* devices.load([...byId.keys()]), (device) => publish(device, byId.get(device.id)!), {
        concurrency: publicationLimits.messagesTogether,
        discard: true
      })
    }),
    /** Removes devices from Home Assistant. */
    remove: removeAll
  }
}

export type PublishedEntities = ReturnType<typeof makePublishedEntities>
