import { randomUUID } from "node:crypto"
import { Cause, Clock, Deferred, Effect } from "effect"
import type { WebSocket } from "ws"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { currentReadings, deviceId, emit } from "./connectors.ts"
import { type OcppVersion, writeFrame } from "./frames.ts"
import { outcome } from "./outgoing.ts"
import {
  type CommandOutcome,
  type Incoming,
  newSession,
  noEffects,
  type Session,
  type StationSettings,
  type Step
} from "./Session.ts"
import { isWorthStoring, type SessionStore } from "./sessionStore.ts"
import { openAlerts } from "./stationAlerts.ts"
import { closeCodes } from "@edp/adapter-kit/inbound/closeCodes"
import { makeStationInbox, type StationEvent } from "./stationInbox.ts"
import { isSamePassword, type StoredPassword, storedPassword } from "./stationLogin.ts"
import { stationDevices, stationReport, unseenReadings } from "./stationReports.ts"
import type { StationTimes } from "./stationTimes.ts"
import { step } from "./step.ts"

/** Events that are handled together: one write and one report. */
const BATCH = 32
/** Attempts to take a session over from another connection that writes it at the same time. */
const TAKE_OVER_ATTEMPTS = 10
const tick = { _tag: "Tick" } as const
/** Milliseconds for which an earlier connection of the station may finish. */
const HAND_OVER_WITHIN = 5_000

export interface ConnectedStation {
  readonly stationId: string
  readonly version: OcppVersion
  readonly accountId: string
  readonly pending: boolean
  /** The password with which it has logged in. */
  readonly password: StoredPassword
  readonly settings: StationSettings
}

export interface StationConnection {
  /** Handles the socket until it is closed. */
  readonly run: Effect.Effect<void>
  /** Done when the session was released. */
  readonly ended: Effect.Effect<void>
  /** The session as it is now; undefined until it was loaded. */
  readonly session: () => Session | undefined
  readonly offer: (event: StationEvent) => void
  readonly leave: (code: number, reason: string) => void
  readonly terminate: () => void
}

export interface StationServices {
  readonly host: AdapterHost
  readonly store: SessionStore
  readonly times: StationTimes
}

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Limits the rate of a station's messages: returns the milliseconds to wait before more are taken. */
const pacing = ({ burst, messagesPerSecond }: StationTimes) => {
  let left = burst
  let countedAt: number | undefined
  return (count: number, now: number): number => {
    left = Math.min(burst, left + ((now - (countedAt ?? now)) * messagesPerSecond) / 1000) - count
    countedAt = now
    return left >= 0 ? 0 : Math.ceil((-left * 1000) / messagesPerSecond)
  }
}

/**
 * One connection of a station: takes its messages in turn, reports, stores the session, and responds, in this order. So what the
 * station has a response to is stored, and what it repeats after a crash is recognised by the session.
 */
export const makeStationConnection = (
  socket: WebSocket,
  station: ConnectedStation,
  { host, store, times }: StationServices,
  previous: Effect.Effect<void>
): StationConnection => {
  const { settings, stationId } = station
  const holder = { instance: store.instance, connection: randomUUID() }
  const inbox = makeStationInbox(socket)
  const ended = Deferred.makeUnsafe<void>()
  const waiting = new Map<string, Deferred.Deferred<CommandOutcome>>()
  const reportedAt = new Map<string, number>()
  const delay = pacing(times)
  const silence = times.silentHeartbeats * settings.heartbeatInterval * 1000

  let session: Session | undefined
  let version = 0
  let { accountId, pending } = station
  let isReplaced = false
  let heardAt = 0
  // How long the connection has been doing something goes by the monotonic clock: the system's clock may be set meanwhile.
  let heardSince = 0
  let pingDue = 0
  let checkDue = 0
  /** When the devices are to be reported: shortly after the newest one. */
  let devicesDue = Number.POSITIVE_INFINITY

  /** A device that was reported while the clock was ahead counts as not reported. */
  const forgetFuture = (now: number) => {
    for (const [id, at] of reportedAt) if (at > now) reportedAt.delete(id)
  }

  const report = (current: Session, said: Parameters<typeof stationReport>[1]) => {
    for (const { manufacturerDeviceId: id, observedAt } of said.readings ?? [])
      reportedAt.set(id, Math.max(observedAt, reportedAt.get(id) ?? 0))
    return host.report(accountId, stationReport(current, said))
  }

  const reportAll = (current: Session, now: number, said: { readonly alerts: boolean }) => {
    devicesDue = Number.POSITIVE_INFINITY
    if (current.connectors.length === 0) return Effect.void
    return report(current, {
      devices: stationDevices(current),
      readings: currentReadings(current, now),
      alerts: said.alerts
        ? current.connectors.flatMap((one) => openAlerts(one, deviceId(current, one.number), now))
        : []
    })
  }

  /** Whether the session was written. Otherwise another connection of the station has it. */
  const save = (next: Session, by: typeof holder | null) =>
    Effect.map(store.save(stationId, version, by, next), (written) => {
      if (written) version += 1
      else isReplaced = true
      return written
    })

  const replaced = () => {
    isReplaced = true
    inbox.leave(closeCodes.policyViolation, "The station has another connection")
  }

  /** Takes the session over from whichever connection had it. */
  const begin = Effect.gen(function* () {
    yield* Effect.timeoutOption(previous, HAND_OVER_WITHIN)
    const now = yield* Clock.currentTimeMillis
    const running = yield* monotonicMillis
    heardAt = now
    heardSince = running
    pingDue = running + times.ping
    checkDue = running + (pending ? times.checkPending : times.check)
    yield* store.beat(now)
    for (let attempt = 0; attempt < TAKE_OVER_ATTEMPTS; attempt++) {
      const loaded = yield* store.load(stationId)
      const known = { ...(loaded.session ?? newSession(station.version, settings)), settings }
      const { requests, session: connected } = step(known, { _tag: "Connected", version: station.version }, now)
      version = loaded.version
      if (yield* save(connected, holder)) {
        isReplaced = false
        session = connected
        inbox.send(requests.map(writeFrame))
        return yield* reportAll(connected, now, { alerts: false })
      }
    }
    replaced()
  })

  /** A command that was delivered with an earlier call is not sent again. */
  const incoming = (event: StationEvent | typeof tick, current: Session): Incoming => {
    if (event._tag !== "Command") return event
    const { result, ...command } = event
    const { id } = command
    const isAsked = [current.pending, ...current.queue].some((request) => request?.commandId === id)
    if (!isAsked && current.commands.some((command) => command.id === id)) {
      Deferred.doneUnsafe(result, Effect.succeed(outcome(id, "delivered")))
      return tick
    }
    waiting.set(id, result)
    return command
  }

  const settle = (outcomes: ReadonlyArray<CommandOutcome>) => {
    for (const result of outcomes) {
      const waiter = waiting.get(result.commandId)
      if (waiter !== undefined) Deferred.doneUnsafe(waiter, Effect.succeed(result))
      waiting.delete(result.commandId)
    }
  }

  const handle = Effect.fnUntraced(function* (
    before: Session,
    events: ReadonlyArray<StationEvent>,
    now: number,
    running: number
  ) {
    forgetFuture(now)
    if (events.some(({ _tag }) => _tag === "Message")) {
      heardAt = now
      heardSince = running
    }
    const frames: Array<string> = []
    const taken = [...events, tick].reduce<Step>(
      (done, event) => {
        const { replies, requests, ...next } = step(done.session, incoming(event, done.session), now)
        frames.push(...[...replies, ...requests].map(writeFrame))
        return emit({ ...done, session: next.session }, { ...next, replies: [], requests: [] })
      },
      { ...noEffects, session: before }
    )
    const { alerts, devices, outcomes, session: after } = taken
    const readings = unseenReadings(after, taken.readings, reportedAt, now)
    // A person who links the station waits for all of its connectors; devices that are added later are stored at once.
    const added = devices.length > 0 && !pending ? stationDevices(after) : null
    if (devices.length > 0 && pending) devicesDue = running + times.announce
    if (readings.length > 0 || alerts.length > 0 || added !== null)
      yield* report(after, { readings, alerts, devices: added })
    if (isWorthStoring(before, after) && !(yield* save(after, holder))) return replaced()
    session = after
    inbox.send(frames)
    settle(outcomes)
  })

  /** Whether the station may go on, and who it belongs to. */
  const check = Effect.fnUntraced(function* (current: Session, now: number, running: number) {
    const account = yield* host.findAccount(stationId)
    const password = storedPassword(account?.credentials)
    if (account === undefined || password === null || !isSamePassword(password, station.password))
      return inbox.leave(closeCodes.policyViolation, "The station's account has ended")
    const loaded = yield* store.load(stationId)
    if (loaded.version !== version) return replaced()
    const isLinked = (pending && !account.pending) || account.id !== accountId
    accountId = account.id
    pending = account.pending
    checkDue = running + (pending ? times.checkPending : times.check)
    if (isLinked) yield* reportAll(current, now, { alerts: true })
  })

  const keepUp = Effect.fnUntraced(function* (current: Session, now: number, running: number) {
    if (running >= pingDue) {
      if (running - heardSince > silence) return inbox.leave(closeCodes.goingAway, "No message for too long")
      pingDue = running + times.ping
      inbox.ping()
      const quiet = currentReadings(current, heardAt).filter(
        ({ manufacturerDeviceId: id, observedAt }) =>
          observedAt > (reportedAt.get(id) ?? 0) && now - (reportedAt.get(id) ?? 0) > times.refresh
      )
      if (quiet.length > 0) yield* report(current, { readings: quiet })
    }
    if (running >= devicesDue) yield* reportAll(current, now, { alerts: false })
    if (running >= checkDue) yield* check(current, now, running)
  })

  const untilDue = ({ pending: request }: Session, now: number, running: number) => {
    const sentAt = Math.min(request?.sentAt ?? now, now)
    const expires = request === null ? Number.POSITIVE_INFINITY : sentAt + settings.respondWithin + 1 - now
    return Math.max(0, Math.min(pingDue - running, checkDue - running, devicesDue - running, expires))
  }

  const serve = Effect.gen(function* () {
    yield* begin
    while (!inbox.isAtEnd()) {
      const before = session
      if (before === undefined) return
      const events = yield* inbox.take(BATCH, untilDue(before, yield* Clock.currentTimeMillis, yield* monotonicMillis))
      const now = yield* Clock.currentTimeMillis
      const running = yield* monotonicMillis
      yield* handle(before, events, now, running)
      if (!inbox.isAtEnd()) yield* keepUp(session ?? before, now, running)
      const wait = delay(events.length, running)
      if (wait > 0) yield* Effect.sleep(wait)
    }
  })

  /** Gives the session back. Commands that were not delivered have failed. */
  const release = Effect.gen(function* () {
    if (session !== undefined && !isReplaced) {
      const now = yield* Clock.currentTimeMillis
      yield* save(step(session, { _tag: "Disconnected" }, now).session, null)
    }
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("The session of a station could not be released", cause)),
    Effect.ensuring(
      Effect.sync(() => {
        settle([...waiting.keys()].map((id) => outcome(id, "failed", "unreachable")))
        Deferred.doneUnsafe(ended, Effect.void)
      })
    )
  )

  return {
    run: serve.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logWarning("The connection of a station ends, and the station dials again", cause)
      ),
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => inbox.leave(closeCodes.internalError, "Dial again")),
          release
        )
      ),
      Effect.annotateLogs({ station: stationId })
    ),
    ended: Deferred.await(ended),
    session: () => session,
    offer: inbox.offer,
    leave: inbox.leave,
    terminate: () => socket.terminate()
  }
}
