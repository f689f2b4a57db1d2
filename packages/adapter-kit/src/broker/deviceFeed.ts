import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { Schema } from "effect"
import type { ReadTopic } from "../decoding/messages.ts"
import type { BrokerDevice } from "./BrokerDevice.ts"

/** A device as its messages show it. */
export interface Sighting {
  readonly device: BrokerDevice
  /** Milliseconds since 1970: the arrival of the newest message, because most devices send no time. */
  readonly observedAt: number
  /** Null: the device is not reachable, or the fields that a reading needs have not all arrived. */
  readonly state: object | null
  /** Null if fields that the contract needs are not known. */
  readonly staticState: object | null
  /** The device, or its bridge, says that it is not reachable. */
  readonly isUnreachable: boolean
  readonly problems: ReadonlyArray<string>
}

export interface FeedOptions {
  /** Milliseconds between two sightings of a device, however often it publishes. */
  readonly reportEvery: number
  /** Milliseconds after which a state that did not change is reported again, so that the device counts as online. */
  readonly repeatAfter: number
}

interface Watched {
  device: BrokerDevice
  isReachable: boolean | undefined
  /** Arrival of the newest message that no sighting has shown yet; undefined if there is none. */
  arrivedAt: number | undefined
  /** Arrival of the newest message that was not retained. */
  heardAt: number
  lastSeenAt: number
  lastReportAt: number
  lastReport: string
}

/** Milliseconds for which a state holds that a device has published without saying whether it is reachable. */
const HOLDS_FOR = 5 * 60_000

/** Bytes of the largest payload of a state. */
const PAYLOAD_LIMIT = 65_536

const ownTopics = ({ availabilityTopics, topics }: BrokerDevice) => [...topics, ...availabilityTopics]

/**
 * Makes sightings of devices from their messages. It holds the newest payload of each topic of its devices and nothing else, so
 * its memory depends on the number of devices alone. A retained payload completes a state, and is a sighting only if the device
 * says that it is reachable: nobody knows how old it is.
 */
export const makeDeviceFeed = ({ repeatAfter, reportEvery }: FeedOptions) => {
  const watched = new Map<string, Watched>()
  const payloads = new Map<string, string>()
  const byTopic = new Map<string, Array<Watched>>()
  /** The number of the newest message of each topic that was not retained. */
  const heard = new Map<string, number>()
  let count = 0
  const read: ReadTopic = (topic) => payloads.get(topic)

  /** Times from while the clock was ahead become the present. */
  const resetFutureTimes = (one: Watched, now: number) => {
    one.lastReportAt = Math.min(one.lastReportAt, now)
    one.lastSeenAt = Math.min(one.lastSeenAt, now)
    one.heardAt = Math.min(one.heardAt, now)
    if (one.arrivedAt !== undefined) one.arrivedAt = Math.min(one.arrivedAt, now)
  }

  /** The sighting that is due, or the time at which one will be. */
  const next = (one: Watched, now: number): Sighting | number => {
    if (Math.max(one.lastReportAt, one.lastSeenAt, one.heardAt, one.arrivedAt ?? 0) > now) resetFutureTimes(one, now)
    const isReachable = one.device.isReachable(read)
    if (isReachable === true && one.isReachable !== true) one.arrivedAt = now
    if (isReachable === false && one.isReachable !== false) one.arrivedAt = now
    one.isReachable = isReachable
    // It says that it is reachable, so its state holds.
    if (isReachable === true && now - one.lastReportAt >= repeatAfter) one.arrivedAt ??= now
    if (one.arrivedAt === undefined) return isReachable === true ? one.lastReportAt + repeatAfter : Infinity
    if (now < one.lastReportAt + reportEvery) return one.lastReportAt + reportEvery
    const { missing, problems, state, staticState } = one.device.observe(read)
    const shown = isReachable === false || missing.length > 0 ? null : state
    // Before its first complete state there is nothing to tell, except that it is not reachable.
    if (shown === null && isReachable !== false && problems.length === 0) {
      one.arrivedAt = undefined
      return Infinity
    }
    const report = JSON.stringify([shown, staticState, problems, isReachable === false])
    if (report === one.lastReport && now < one.lastReportAt + repeatAfter) return one.lastReportAt + repeatAfter
    const observedAt = Math.max(one.arrivedAt, one.lastSeenAt)
    one.arrivedAt = undefined
    one.lastSeenAt = observedAt
    one.lastReportAt = now
    one.lastReport = report
    return {
      device: one.device,
      observedAt,
      state: shown,
      isUnreachable: isReachable === false,
      staticState: Schema.is(staticStateSchemas[one.device.type])(staticState) ? staticState : null,
      problems: [...one.device.problems, ...problems]
    }
  }

  return {
    read,
    /** The number of messages so far that were not retained. */
    heard: (): number => count,
    /** Reads what was published after that number of messages, and nothing older. */
    readAfter:
      (number: number): ReadTopic =>
      (topic) =>
        (heard.get(topic) ?? 0) > number ? payloads.get(topic) : undefined,
    device: (id: string): BrokerDevice | undefined => watched.get(id)?.device,

    /** Whether the newest messages of a device show its present state: retained ones alone may be of any age. */
    isLive: (id: string, now: number): boolean => {
      const one = watched.get(id)
      const isReachable = one?.device.isReachable(read)
      return isReachable ?? (one !== undefined && now - one.heardAt <= HOLDS_FOR)
    },

    /** Replaces the devices. Those that remain keep their messages. Returns the topics to subscribe to. */
    setDevices: (devices: ReadonlyArray<BrokerDevice>): ReadonlyArray<string> => {
      const ids = new Set(devices.map(({ id }) => id))
      for (const id of watched.keys()) if (!ids.has(id)) watched.delete(id)
      byTopic.clear()
      for (const device of devices) {
        const one = watched.get(device.id) ?? {
          device,
          isReachable: undefined,
          arrivedAt: undefined,
          heardAt: -Infinity,
          lastSeenAt: 0,
          lastReportAt: -Infinity,
          lastReport: ""
        }
        one.device = device
        watched.set(device.id, one)
        for (const topic of ownTopics(device)) byTopic.set(topic, [...(byTopic.get(topic) ?? []), one])
      }
      for (const topic of payloads.keys()) if (!byTopic.has(topic)) payloads.delete(topic)
      for (const topic of heard.keys()) if (!byTopic.has(topic)) heard.delete(topic)
      return [...byTopic.keys()]
    },

    /** Takes a message. Returns whether it concerns a device. */
    accept: (topic: string, payload: string, isRetained: boolean, now: number): boolean => {
      const concerned = byTopic.get(topic)
      if (concerned === undefined || payload.length > PAYLOAD_LIMIT) return false
      if (payload === "") payloads.delete(topic)
      else payloads.set(topic, payload)
      if (!isRetained) {
        heard.set(topic, (count += 1))
        for (const one of concerned) {
          one.heardAt = now
          if (one.device.topics.includes(topic)) one.arrivedAt = now
        }
      }
      return true
    },

    /** The sightings that are due, and the time of the next ones. */
    due: (now: number): { readonly sightings: ReadonlyArray<Sighting>; readonly nextAt: number } => {
      const all = [...watched.values()].map((one) => next(one, now))
      return {
        sightings: all.filter((one) => typeof one === "object"),
        nextAt: all.reduce<number>((least, one) => (typeof one === "number" ? Math.min(least, one) : least), Infinity)
      }
    }
  }
}
export type DeviceFeed = ReturnType<typeof makeDeviceFeed>
