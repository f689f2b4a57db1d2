import type { StreamChange, StreamCounts } from "@edp/domain/dashboard/StreamMessage"
import type { EventType } from "@edp/domain/events/EventType"
import { Clock, Duration, Effect, Option, type Scope, Semaphore, Stream } from "effect"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import type { Alerts } from "../../alerts/Alerts.ts"
import type { Events } from "../../events/Events.ts"
import { VERSION } from "../../platform/observability/Traces.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { StreamRepository } from "./StreamRepository.ts"
import { changeMessage, snapshotMessage, toDeviceState, toStreamEvent } from "./streamMessages.ts"
import { endReader, send, type StreamReader } from "./streamReader.ts"
import { type DeviceStateRow, toDeviceCounts } from "./streamRows.ts"

/** Pause between polls for new events. A device has at most one message in this time. */
const PAUSE_MS = 1000
/** Events of one statement. */
const PAGE = 500
/** Events after which a snapshot is cheaper than resuming; those of readings count as well. */
const MOST_MISSED = 50_000
/** The sequence may run this far ahead of a feed that could not look; then its streams begin anew. */
const FARTHEST_BEHIND = 1_000_000
/** An event gets its sequence within this time of its timestamp, in milliseconds. */
const SLACK = 300_000
/** Counts are at most this old, unless counting takes long: it takes a twentieth of the time at most. */
const COUNT_EVERY_MS = 5000
const COUNTING_SHARE = 20
/** Pause between polls for statuses that change without a reading, in milliseconds. */
const RECHECK_EVERY_MS = 30_000
/** Events besides readings that come with a new online status of their device. */
const statusEvents: ReadonlySet<EventType> = new Set([
  "DEVICE_CONNECTED",
  "DEVICE_DISCONNECTED",
  "ALERT_CREATED",
  "ALERT_UPDATED"
])

/** The services that the feeds of all workspaces share. */
export interface FeedSources {
  readonly repository: Effect.Success<typeof StreamRepository>
  readonly alerts: Alerts["Service"]
  readonly settled: Events["Service"]["settled"]
  /** The same, at most a quarter of a second late. */
  readonly settledLately: Events["Service"]["settled"]
}

/** The changes of one workspace for all of its streams in this process. */
export interface WorkspaceFeed {
  /** Sends changes from now on, until the scope closes. Returns the messages that come first. */
  readonly join: (
    reader: StreamReader,
    lastEventId: number | undefined
  ) => Effect.Effect<Stream.Stream<Uint8Array, DatabaseUnavailable>, DatabaseUnavailable, Scope.Scope>
}

/** Polls for changes every second for as long as the scope lives, whatever the number of streams. */
export const makeWorkspaceFeed = Effect.fnUntraced(function* (workspaceId: string, sources: FeedSources) {
  const { alerts, repository, settled, settledLately } = sources
  const readers = new Set<StreamReader>()
  /** How many readers each device has. */
  const watched = new Map<string, number>()
  /** The newest known state of the watched devices. */
  const known = new Map<string, DeviceStateRow>()
  const counting = yield* Semaphore.make(1)
  let position = yield* settled
  let lookedAt = yield* Clock.currentTimeMillis
  let recheckAt = lookedAt + RECHECK_EVERY_MS
  let counts: StreamCounts | undefined
  let countAt = 0

  const sendAll = (change: StreamChange, sequence: number) => {
    const message = changeMessage(sequence, change)
    for (const reader of readers) if (sequence > reader.after) send(reader, message)
  }

  const count = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (counts !== undefined && now < countAt) return counts
    const [took, found] = yield* Effect.timed(
      Effect.all([repository.deviceCounts(workspaceId, new Date(now)), alerts.countOpen(workspaceId)])
    )
    countAt = now + Math.max(COUNT_EVERY_MS, Duration.toMillis(took) * COUNTING_SHARE)
    counts = { devices: toDeviceCounts(found[0]), openAlerts: found[1], countedAt: new Date(now).toISOString() }
    return counts
  }).pipe(counting.withPermits(1))

  const markChanged = (deviceId: string) => {
    for (const reader of readers) if (reader.devices.has(deviceId)) reader.changed.add(deviceId)
  }

  const lookForEvents = Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const upTo = yield* settledLately
    if (upTo - position > FARTHEST_BEHIND) {
      position = upTo
      readers.forEach(endReader)
    }
    const since = new Date(Math.min(lookedAt, startedAt) - SLACK)
    while (position < upTo) {
      const window = { workspaceId, above: position, upTo, since, devices: [...watched.keys()], limit: PAGE }
      const rows = yield* repository.events(window)
      for (const row of rows) {
        if (row.deviceId !== null && (row.isReading || statusEvents.has(row.type))) markChanged(row.deviceId)
        if (!row.isReading) sendAll(toStreamEvent(row), row.sequence)
      }
      position = rows.length < PAGE ? upTo : rows.at(-1)!.sequence
    }
    lookedAt = startedAt
  })

  const load = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    if (ids.length === 0) return []
    const rows = yield* repository.deviceStates(workspaceId, ids, new Date(yield* Clock.currentTimeMillis))
    for (const id of ids) known.delete(id)
    for (const row of rows) if (watched.has(row.id)) known.set(row.id, row)
    return rows
  })

  /** A device goes offline, and may fall asleep, without an event. */
  const lookForStatuses = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const { id, onlineUntil } of known.values()) {
      if (onlineUntil !== null && onlineUntil.getTime() < now) markChanged(id)
    }
    if (now < recheckAt) return
    recheckAt = now + RECHECK_EVERY_MS
    const before = new Map(known)
    for (const row of yield* load([...watched.keys()])) {
      if (before.get(row.id)?.onlineStatus !== row.onlineStatus) markChanged(row.id)
    }
  })

  const sendDevices = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const due = [...readers].filter(({ changed, devicesSentAt }) => changed.size > 0 && now - devicesSentAt >= PAUSE_MS)
    if (due.length === 0) return
    const rows = yield* load([...new Set(due.flatMap(({ changed }) => [...changed]))])
    const messages = new Map(
      rows.map((row) => [row.id, changeMessage(position, { kind: "device", ...toDeviceState(row) })])
    )
    for (const reader of due) {
      for (const id of reader.changed) {
        const message = messages.get(id)
        if (message !== undefined) send(reader, message)
      }
      reader.changed.clear()
      reader.devicesSentAt = now
    }
  })

  const sendCounts = Effect.gen(function* () {
    // Each stream begins with the counts.
    if (counts === undefined || (yield* Clock.currentTimeMillis) < countAt) return
    const before = JSON.stringify({ ...counts, countedAt: "" })
    const now = yield* count
    if (JSON.stringify({ ...now, countedAt: "" }) === before) return
    const message = changeMessage(position, { kind: "counts", counts: now })
    for (const reader of readers) send(reader, message)
  })

  yield* Effect.all([lookForEvents, lookForStatuses, sendDevices, sendCounts], { discard: true }).pipe(
    Effect.withTracerEnabled(false),
    Effect.catchCause((cause) =>
      logFailure("changes for the dashboard", "Changes for the dashboard could not be read; they are read again", cause)
    ),
    Effect.andThen(Effect.sleep(PAUSE_MS)),
    Effect.forever,
    Effect.forkScoped
  )

  const canResume = Effect.fnUntraced(function* (lastEventId: number) {
    const upTo = yield* settled
    if (lastEventId >= upTo) return lastEventId === upTo
    const oldest = yield* repository.oldest
    if (oldest === undefined || lastEventId + 1 < oldest) return false
    return !(yield* repository.hasMoreThan(workspaceId, lastEventId, MOST_MISSED))
  })

  const readStates = Effect.fnUntraced(function* (reader: StreamReader) {
    const rows = yield* load([...reader.devices])
    reader.devicesSentAt = yield* Clock.currentTimeMillis
    return rows.map(toDeviceState)
  })

  const snapshot = Effect.fnUntraced(function* (reader: StreamReader, sequence: number) {
    const counted = yield* count
    const devices = yield* readStates(reader)
    const serverTime = new Date(yield* Clock.currentTimeMillis).toISOString()
    return snapshotMessage({ sequence, serverTime, version: VERSION, counts: counted, devices })
  })

  /** The events after the last one that the client has, up to those that the feed sends; then the counts and the newest states. */
  const missed = (reader: StreamReader, lastEventId: number, upTo: number) => {
    const events = Stream.paginate(lastEventId, (above) =>
      Effect.map(
        repository.events({ workspaceId, above, upTo, since: undefined, devices: [], limit: PAGE }),
        (rows) =>
          [
            rows.map((row) => changeMessage(row.sequence, toStreamEvent(row))),
            rows.length < PAGE || reader.isEnded ? Option.none() : Option.some(rows.at(-1)!.sequence)
          ] as const
      )
    )
    const sequence = Math.max(lastEventId, upTo)
    const present = Effect.gen(function* () {
      const counted = changeMessage(sequence, { kind: "counts", counts: yield* count })
      const devices = yield* readStates(reader)
      return [counted, ...devices.map((device) => changeMessage(sequence, { kind: "device", ...device }))]
    })
    return Stream.concat(lastEventId < upTo ? events : Stream.empty, Stream.fromArrayEffect(present))
  }

  const add = (reader: StreamReader) => {
    readers.add(reader)
    for (const id of reader.devices) watched.set(id, (watched.get(id) ?? 0) + 1)
  }

  const remove = (reader: StreamReader) => {
    readers.delete(reader)
    for (const id of reader.devices) {
      const left = watched.get(id)! - 1
      if (left > 0) watched.set(id, left)
      else {
        watched.delete(id)
        known.delete(id)
      }
    }
  }

  return {
    join: Effect.fnUntraced(function* (reader, lastEventId) {
      const resumes = lastEventId !== undefined && (yield* canResume(lastEventId))
      // From here on the feed sends all events after `upTo`.
      const upTo = yield* Effect.acquireRelease(
        Effect.sync(() => {
          add(reader)
          reader.after = Math.max(position, resumes ? lastEventId : 0)
          return position
        }),
        () => Effect.sync(() => remove(reader))
      )
      return resumes ? missed(reader, lastEventId, upTo) : Stream.fromEffect(snapshot(reader, upTo))
    })
  } satisfies WorkspaceFeed as WorkspaceFeed
})
