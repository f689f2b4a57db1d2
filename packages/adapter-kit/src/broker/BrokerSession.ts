import { Clock, Effect, Schedule, type Scope } from "effect"
import type { AdapterError } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import { makeArrivals } from "./arrivals.ts"
import type { BrokerAddress } from "./BrokerAddress.ts"
import type { BrokerDialect, DescribedDevices } from "./BrokerDialect.ts"
import { makeDescriptionStore } from "./descriptionStore.ts"
import { type DeviceFeed, type FeedOptions, makeDeviceFeed } from "./deviceFeed.ts"
import { type Broker, openBroker } from "./openBroker.ts"

/** A connection to a broker with the devices that it describes and the newest messages of theirs. */
export interface BrokerSession {
  readonly broker: Broker
  readonly feed: DeviceFeed
  /** The devices as they were described when they were last read. */
  readonly described: () => DescribedDevices
  /** The time at which changed descriptions are to be read, in milliseconds of the monotonic clock; Infinity if none changed. */
  readonly refreshAt: () => number
  /** Reads the descriptions and subscribes to the topics of their devices. */
  readonly refresh: Effect.Effect<void, AdapterError>
  /** Number of messages so far. */
  readonly messages: () => number
  /** Waits until there were more messages than a number. */
  readonly moreThan: (messages: number) => Effect.Effect<void>
}

/** Milliseconds without a new description after which all retained ones are there, and the longest wait for that. */
const QUIET = 700
const DISCOVERY_LIMIT = 10_000
/** Milliseconds in which the retained messages of devices arrive. */
const STATES_ARRIVE = 300
/** Devices of one account. */
const DEVICE_LIMIT = 200
const ID_LIMIT = 120

/** Milliseconds of the monotonic clock, since the system's clock may be set while the session lasts. */
export const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

const limited = ({ devices, problems }: DescribedDevices, isFull: boolean): DescribedDevices => {
  const known = new Map(devices.map((device) => [device.id, device]))
  const usable = [...known.values()].filter(({ id }) => id.length <= ID_LIMIT && !/\p{C}/u.test(id))
  return {
    devices: usable.slice(0, DEVICE_LIMIT),
    problems: [
      ...problems,
      ...(usable.length < known.size ? ["Devices whose identifier is too long or unprintable are left out"] : []),
      ...(usable.length > DEVICE_LIMIT ? [`Only ${DEVICE_LIMIT} devices are read`] : []),
      ...(isFull ? ["The broker has more descriptions than are read"] : [])
    ]
  }
}

/** Opens a session: the retained descriptions have arrived, within a bounded time, and so have the states of their devices. */
export const openSession = Effect.fnUntraced(function* (
  host: Pick<AdapterHost, "contained" | "dial">,
  address: BrokerAddress,
  dialect: BrokerDialect,
  options: FeedOptions
): Effect.fn.Return<BrokerSession, AdapterError, Scope.Scope> {
  const clock = yield* Clock.Clock
  const feed = makeDeviceFeed(options)
  const descriptions = makeDescriptionStore()
  const messages = makeArrivals()
  /** Arrival of the first and the newest description that were not read yet, by the monotonic clock. */
  let changed: { readonly first: number; readonly newest: number } | undefined
  let described: DescribedDevices = { devices: [], problems: [] }
  let topics = new Set<string>()

  const broker = yield* openBroker(host, address, (topic, payload, isRetained) => {
    const now = clock.currentTimeMillisUnsafe()
    if (dialect.isDescription(topic)) {
      if (!descriptions.put(topic, payload)) return
      const running = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      changed = { first: changed?.first ?? running, newest: running }
    } else if (!feed.accept(topic, payload, isRetained, now)) return
    messages.add()
  })

  const { keepAlive } = dialect
  const wake = keepAlive === undefined ? Effect.void : broker.publish(keepAlive.wake)

  const refresh = Effect.gen(function* () {
    changed = undefined
    described = limited(dialect.describe(descriptions.all), descriptions.isFull())
    const wanted = new Set(feed.setDevices(described.devices))
    const former = topics
    topics = wanted
    yield* broker.unsubscribe([...former].filter((topic) => !wanted.has(topic)))
    const added = [...wanted].filter((topic) => !former.has(topic))
    yield* broker.subscribe(added)
    if (added.length > 0) yield* wake
  })

  yield* broker.subscribe(dialect.filters)
  yield* wake
  if (dialect.filters.length > 0) {
    const startedAt = yield* monotonicMillis
    for (let now = startedAt; ; now = yield* monotonicMillis) {
      const until = Math.min(Math.max(startedAt, changed?.newest ?? 0) + QUIET, startedAt + DISCOVERY_LIMIT)
      if (now >= until) break
      yield* Effect.raceFirst(Effect.sleep(until - now), broker.ended)
    }
  }
  yield* refresh
  yield* Effect.raceFirst(Effect.sleep(STATES_ARRIVE), broker.ended)
  if (keepAlive !== undefined) {
    // A message that the broker does not take is tried again at the next time. The end of the connection is noticed elsewhere.
    yield* Effect.ignore(broker.publish(keepAlive.stay)).pipe(
      Effect.repeat(Schedule.spaced(`${keepAlive.everySeconds} seconds`)),
      Effect.delay(`${keepAlive.everySeconds} seconds`),
      Effect.forkScoped
    )
  }

  return {
    broker,
    feed,
    described: () => described,
    refreshAt: () =>
      changed === undefined ? Infinity : Math.min(changed.newest + QUIET, changed.first + DISCOVERY_LIMIT),
    refresh,
    messages: messages.count,
    moreThan: messages.moreThan
  }
})
