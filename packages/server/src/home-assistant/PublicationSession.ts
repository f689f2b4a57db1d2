import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Clock, Effect, Latch, type Scope } from "effect"
import { Devices } from "../devices/Devices.ts"
import { Events } from "../events/Events.ts"
import { type BrokerAddress, MqttBrokers } from "../platform/device-networks/MqttBrokers.ts"
import { monotonicMillis } from "../platform/jobs/monotonic.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { makeTopics } from "./mapping/topics.ts"
import { publicationLimits as limits } from "./publicationLimits.ts"
import { isSamePlace, type PublicationRow } from "./publicationRow.ts"
import { makePublishedEntities } from "./PublishedEntities.ts"
import { PublishedDevicesRepository } from "./PublishedDevicesRepository.ts"
import { ReceivedCommands } from "./ReceivedCommands.ts"

/** The retained message of a connection that holds. */
const ONLINE = "online"
const OFFLINE = "offline"

/** An event gets its sequence within this time of its timestamp, in milliseconds. */
const SLACK = 300_000

interface Waiting {
  readonly since: number
  readonly messages: Record<string, string>
}

export interface SessionOptions {
  readonly row: PublicationRow
  readonly address: BrokerAddress
  /** The publication while this process holds it; undefined if it is not to publish any longer. */
  readonly current: Effect.Effect<PublicationRow | undefined, DatabaseUnavailable>
  /** The publication, whoever holds it; undefined once it was deleted. */
  readonly stored: Effect.Effect<PublicationRow | undefined, DatabaseUnavailable>
  readonly onPublished: (figures: {
    readonly devices: number
    readonly leftOut: number
    readonly fromHomeAssistant: number
  }) => Effect.Effect<unknown, DatabaseUnavailable>
}

/** Makes connections of publications, which publish devices and take commands for as long as they hold. */
export const makePublicationSessions = Effect.gen(function* () {
  const brokers = yield* MqttBrokers
  const devices = yield* Devices
  const { settled } = yield* Events
  const published = yield* PublishedDevicesRepository
  const commands = yield* ReceivedCommands
  // The publications of a process share one look at the events of all workspaces.
  const settledLately = yield* Effect.cachedWithTTL(settled, "250 millis")

  /** Holds a connection until the publication changes or the connection fails. */
  return Effect.fnUntraced(function* ({
    address,
    current,
    onPublished,
    row,
    stored
  }: SessionOptions): Effect.fn.Return<void, AdapterError | DatabaseUnavailable, Scope.Scope> {
    const topics = makeTopics(row.id, row.discoveryPrefix)
    const clock = yield* Clock.Clock
    const arrived = yield* Latch.make()
    const retained = new Map<string, string>()
    const waiting = new Map<string, Waiting>()
    let lastRetainedAt: number | undefined
    let isListing = true
    let isStatusLost = false
    let isHomeAssistantNew = false

    const receive = (topic: string, payload: string, isRetained: boolean) => {
      if (topic === topics.status) isStatusLost ||= !isListing && payload !== ONLINE
      else if (topic === topics.birth) isHomeAssistantNew ||= !isRetained && payload === ONLINE
      else if (isListing) {
        const deviceId = topics.configuredDevice(topic)
        if (deviceId === undefined || payload === "") return
        retained.set(deviceId, payload)
        lastRetainedAt = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        return
      } else {
        const commanded = topics.commanded(topic)
        // A message that the broker has kept was meant for another time.
        if (commanded === undefined || isRetained || payload.length > limits.messageLength) return
        const { deviceId, key } = commanded
        const known = waiting.get(deviceId)
        if (known === undefined && waiting.size >= limits.waitingDevices) return
        const since = known?.since ?? Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        waiting.set(deviceId, { since, messages: { ...known?.messages, [key]: payload } })
      }
      arrived.openUnsafe()
    }

    const broker = yield* brokers.open(address, receive, {
      clientId: `edp-${row.id}`,
      will: { topic: topics.status, payload: OFFLINE, retain: true }
    })
    const announce = broker.publish({ topic: topics.status, payload: ONLINE, retain: true })

    const listRetained = Effect.gen(function* () {
      yield* broker.subscribe([topics.filters.configs])
      const begun = yield* monotonicMillis
      for (let now = begun; ; now = yield* monotonicMillis) {
        const until = Math.min((lastRetainedAt ?? begun) + limits.quietMs, begun + limits.retainedMs)
        if (now >= until) break
        yield* Effect.sleep(until - now)
      }
      yield* broker.unsubscribe([topics.filters.configs])
      isListing = false
    })

    const work = Effect.gen(function* () {
      yield* listRetained
      const { takesCommands } = row
      const entities = makePublishedEntities({ broker, topics, takesCommands, devices, retained })
      retained.clear()

      /** Leaves the broker as it should be once the connection has ended. */
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          const now = yield* stored
          if (now !== undefined && isSamePlace(now, row)) {
            return yield* broker.publish({ topic: topics.status, payload: OFFLINE, retain: true })
          }
          yield* entities.remove(entities.ids())
          yield* broker.publish({ topic: topics.status, payload: "", retain: true })
          yield* broker.leave
        }).pipe(Effect.ignore)
      )

      const note = (count: number, leftOut: number) =>
        Effect.flatMap(published.countFromHomeAssistant(row), (fromHomeAssistant) =>
          onPublished({ devices: count, leftOut: Math.max(0, leftOut), fromHomeAssistant })
        )

      /** Compares all devices with what is published. */
      const compareAll = Effect.gen(function* () {
        const gone = new Set(entities.ids())
        let after = ""
        let devicesFound = 0
        while (devicesFound < limits.devices) {
          const most = Math.min(limits.devicesTogether, limits.devices - devicesFound)
          const page = yield* published.page(row, after, most)
          yield* entities.update(page)
          for (const { id } of page) gone.delete(id)
          devicesFound += page.length
          if (page.length < most) break
          after = page.at(-1)!.id
        }
        yield* entities.remove(gone)
        const all = devicesFound < limits.devices ? devicesFound : yield* published.count(row)
        yield* note(devicesFound, all - devicesFound)
      })

      /** Publishes devices anew, and removes those that the publication no longer has. */
      const update = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const before = entities.count()
        for (let at = 0; at < ids.length; at += limits.devicesTogether) {
          const some = ids.slice(at, at + limits.devicesTogether)
          const found = yield* published.among(row, some)
          const room = limits.devices - entities.count()
          const isNew = ({ id }: { readonly id: string }) => !entities.has(id)
          const fresh = found.filter(isNew).slice(0, Math.max(0, room))
          yield* entities.update([...found.filter((one) => !isNew(one)), ...fresh])
          const present = new Set(found.map(({ id }) => id))
          yield* entities.remove(some.filter((id) => entities.has(id) && !present.has(id)))
        }
        const leftOut = entities.count() < limits.devices ? 0 : (yield* published.count(row)) - entities.count()
        if (entities.count() !== before) yield* note(entities.count(), leftOut)
      })

      let position = yield* settled
      let lookedAt = yield* Clock.currentTimeMillis

      const changedDevices = Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const upTo = yield* settledLately
        const changed = new Set(entities.overdue(startedAt))
        while (position < upTo) {
          const since = new Date(Math.min(lookedAt, startedAt) - SLACK)
          const rows = yield* published.changes(row.workspaceId, position, upTo, since, limits.eventsTogether)
          for (const { deviceId } of rows) if (deviceId !== null) changed.add(deviceId)
          position = rows.length < limits.eventsTogether ? upTo : rows.at(-1)!.sequence
        }
        lookedAt = startedAt
        return [...changed]
      })

      const takeCommands = Effect.gen(function* () {
        const now = yield* monotonicMillis
        const due = [...waiting].filter(([, { since }]) => now - since >= limits.gatherMs)
        for (const [id] of due) waiting.delete(id)
        const known = new Map(due.filter(([id]) => entities.has(id)))
        if (known.size === 0) return
        for (const device of yield* devices.load([...known.keys()])) {
          yield* commands.issue(row, device, known.get(device.id)!.messages)
        }
      })

      yield* broker.subscribe([topics.status, topics.birth, ...(takesCommands ? [topics.filters.commands] : [])])
      yield* announce
      yield* compareAll
      let comparedAt = yield* monotonicMillis

      while (true) {
        yield* arrived.close
        if ((yield* current)?.version !== row.version) return
        if (isStatusLost) {
          isStatusLost = false
          yield* announce
        }
        yield* takeCommands
        const now = yield* monotonicMillis
        if (isHomeAssistantNew || now - comparedAt > limits.compareSeconds * 1000) {
          if (isHomeAssistantNew) {
            isHomeAssistantNew = false
            entities.forgetSent()
            yield* announce
          }
          yield* compareAll
          comparedAt = now
        }
        const changed = yield* changedDevices.pipe(Effect.withTracerEnabled(false))
        if (changed.length > 0) yield* update(changed)
        yield* waiting.size > 0 ? Effect.sleep(limits.gatherMs) : Effect.timeoutOption(arrived.await, limits.lookMs)
      }
    })

    yield* Effect.raceFirst(work, broker.ended)
  })
})

export type PublicationSessions = Effect.Success<typeof makePublicationSessions>
