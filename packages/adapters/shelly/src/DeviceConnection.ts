import { randomUUID } from "node:crypto"
import { Cause, Clock, Deferred, Effect, Fiber, Latch } from "effect"
import type { WebSocket } from "ws"
import type { AccountReport, DeviceObservation } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { type DeviceInfo, listDevices, measuredComponents, noInfo, readDeviceInfo } from "./components.ts"
import { readCredentials, type ShellyCredentials } from "./deviceAddress.ts"
import { makeDeviceCalls } from "./deviceCalls.ts"
import { closeCodes } from "@edp/adapter-kit/inbound/closeCodes"
import { makeDeviceSocket } from "./deviceSocket.ts"
import { type DeviceStatus, mergeStatus, readStatus, replaceComponent } from "./deviceStatus.ts"
import type { DeviceStore } from "./deviceStore.ts"
import type { DeviceTimes } from "./deviceTimes.ts"
import { type Fields, type Frame, writeNoSuchMethod } from "./frames.ts"
import { makeReportPacing } from "./reportPacing.ts"

/** Attempts to take a device over from another connection that writes its record at the same time. */
const TAKE_OVER_ATTEMPTS = 10
/** Milliseconds for which an earlier connection of the device may finish. */
const HAND_OVER_WITHIN = 5_000

export interface ConnectedAccount {
  /** The id in the device's address: the account's external id. */
  readonly key: string
  readonly accountId: string
  readonly pending: boolean
  /** The credentials with which it was let in. */
  readonly credentials: ShellyCredentials
}

export interface ConnectionServices {
  readonly host: AdapterHost
  readonly store: DeviceStore
  readonly times: DeviceTimes
  readonly clock: Clock.Clock
  /** Told once the device has said who it is, and may have the address. Returns the end of the connection that it replaces. */
  readonly admit: (connection: DeviceConnection) => Effect.Effect<void>
  /** Told of a device that uses the address of another one. */
  readonly refuse: (device: string) => Effect.Effect<void>
}

export interface DeviceConnection {
  /** Handles the socket until it is closed. */
  readonly run: Effect.Effect<void>
  readonly ended: Effect.Effect<void>
  readonly call: (method: string, params?: Fields) => Effect.Effect<Fields, AdapterError>
  /** Asks for the status of a component, which is reported as well. */
  readonly readComponent: (key: string, method: string, id: number) => Effect.Effect<Fields, AdapterError>
  readonly leave: (code: number, reason: string) => void
  readonly terminate: () => void
  /** The ids of its devices, once the connection has ended and no other one took its place. */
  readonly lost: () => ReadonlyArray<string>
}

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Limits the rate of a device's messages: returns the milliseconds to wait before more are taken. */
const pacing = ({ burst, messagesPerSecond }: DeviceTimes) => {
  let left = burst
  let countedAt: number | undefined
  return (count: number, running: number): number => {
    left = Math.min(burst, left + ((running - (countedAt ?? running)) * messagesPerSecond) / 1000) - count
    countedAt = running
    return left >= 0 ? 0 : Math.ceil((-left * 1000) / messagesPerSecond)
  }
}

const isSameLogin = (one: ShellyCredentials, other: ShellyCredentials | null) =>
  other !== null && one.salt === other.salt && one.hash === other.hash

const observationsOnly = (observations: ReadonlyArray<DeviceObservation>): AccountReport => ({
  observations,
  alerts: [],
  devices: null,
  activity: "normal"
})

/**
 * One connection of a device. Notifications are overlaid over the status that is known as they arrive; what is due of it is reported in
 * turn. A device that says nothing is asked, so that every reading is one that it has given.
 */
export const makeDeviceConnection = (
  webSocket: WebSocket,
  account: ConnectedAccount,
  { admit, clock, host, refuse, store, times }: ConnectionServices
): DeviceConnection => {
  const { credentials, key } = account
  const holder = { instance: store.instance, connection: randomUUID() }
  const ended = Deferred.makeUnsafe<void>()
  const known = Latch.makeUnsafe(false)
  const complete = Latch.makeUnsafe(false)
  const readings = makeReportPacing(times)
  const delay = pacing(times)

  let { accountId, pending } = account
  let source: string | undefined
  let info: DeviceInfo = noInfo
  let status: DeviceStatus = new Map()
  /** Milliseconds since 1970: when the device showed this status. */
  let arrivedAt = 0
  let hasNews = false
  let isComplete = false
  let mustList = false
  let listed = ""
  let version = 0
  let isHolder = false
  let pingDue = 0
  let pollDue = 0
  let checkDue = 0
  let readingsDue = Number.POSITIVE_INFINITY

  const take = (frame: Frame) => {
    if (frame._tag === "Malformed") return
    if (source === undefined) {
      source = frame.source
      known.openUnsafe()
    }
    // One device speaks on a connection.
    if (frame.source !== source) return
    switch (frame._tag) {
      case "Notification":
        if (frame.method === "NotifyFullStatus") takeWhole(frame.params)
        else if (frame.method === "NotifyStatus") {
          status = mergeStatus(status, frame.params)
          noteNews()
        }
        return
      case "Request":
        return socket.send(writeNoSuchMethod(frame.id, frame.source))
      default:
        return calls.settle(frame)
    }
  }

  const noteNews = () => {
    arrivedAt = clock.currentTimeMillisUnsafe()
    hasNews = true
  }

  const takeWhole = (report: Fields) => {
    status = readStatus(report)
    noteNews()
    mustList = true
    isComplete = true
    complete.openUnsafe()
  }

  const socket = makeDeviceSocket(webSocket, { take, end: () => calls.end() })
  const calls = makeDeviceCalls({ send: (text) => socket.send(text) }, times.response)

  const components = () => (source === undefined ? [] : measuredComponents(source, status, credentials.chargers))

  const report = (said: AccountReport) => host.report(accountId, said)

  /** Reports the devices if they differ from those that were reported, and what is due of their readings. */
  const reportDue = Effect.fnUntraced(function* (running: number) {
    hasNews = false
    const measured = components()
    const due = readings.due(measured, status, arrivedAt, running)
    readingsDue = due.nextAt
    let devices: AccountReport["devices"] = null
    if (mustList && source !== undefined) {
      const list = listDevices(source, info, measured)
      const text = JSON.stringify(list)
      if (text !== listed) devices = list
      listed = text
      mustList = false
    }
    if (due.observations.length === 0 && devices === null) return
    yield* report({ ...observationsOnly(due.observations), devices })
  })

  const save = (by: typeof holder | null) =>
    Effect.map(store.save(key, version, { holder: by, deviceId: source! }), (written) => {
      if (written) version += 1
      else isHolder = false
      return written
    })

  const replaced = () => {
    isHolder = false
    socket.leave(closeCodes.policyViolation, "The device has another connection")
  }

  const closed = Effect.gen(function* () {
    while (!socket.isClosed()) {
      socket.wake.closeUnsafe()
      yield* socket.wake.await
    }
  })

  /** Waits for a latch, until a time has passed or the socket is closed. */
  const awaitLatch = (latch: Latch.Latch, withinMs: number) =>
    Effect.timeoutOption(Effect.raceFirst(latch.await, closed), withinMs)

  /** Takes the device over from whichever connection had it. Returns whether it did. */
  const takeOver = Effect.fnUntraced(function* (device: string) {
    for (let attempt = 0; attempt < TAKE_OVER_ATTEMPTS; attempt++) {
      const loaded = yield* store.load(key)
      if (loaded.record !== null && loaded.record.deviceId !== device) {
        yield* refuse(device)
        socket.leave(closeCodes.policyViolation, "The address belongs to another device")
        return false
      }
      if (attempt === 0) {
        // The one that it replaces writes the record once more.
        yield* Effect.timeoutOption(admit(connection), HAND_OVER_WITHIN)
        continue
      }
      version = loaded.version
      isHolder = true
      if (yield* save(holder)) return true
    }
    replaced()
    return false
  })

  /** Finds out which device it is, and what it is made of. */
  const begin = Effect.gen(function* () {
    // The response names the device, also one that does not announce itself.
    const asked = yield* Effect.forkChild(Effect.option(calls.call("Shelly.GetDeviceInfo")))
    yield* awaitLatch(known, times.identify)
    if (source === undefined) return socket.leave(closeCodes.policyViolation, "The device does not say who it is")
    if (!(yield* takeOver(source))) return
    yield* store.beat(yield* Clock.currentTimeMillis)
    const said = yield* Fiber.join(asked)
    if (said._tag === "Some") info = readDeviceInfo(said.value)
    yield* awaitLatch(complete, times.announce)
    if (!isComplete) takeWhole(yield* calls.call("Shelly.GetStatus"))
    const running = yield* monotonicMillis
    pingDue = running + times.ping
    pollDue = running + times.poll
    checkDue = running + (pending ? times.checkPending : times.check)
    mustList = true
    yield* reportDue(running)
  })

  /** Whether the device may go on, and who it belongs to. */
  const check = Effect.fnUntraced(function* (running: number) {
    const found = yield* host.findAccount(key)
    if (found === undefined || !isSameLogin(credentials, readCredentials(found.credentials)))
      return socket.leave(closeCodes.policyViolation, "The device's account has ended")
    if ((yield* store.load(key)).version !== version) return replaced()
    const isLinked = (pending && !found.pending) || found.id !== accountId
    accountId = found.id
    pending = found.pending
    checkDue = running + (pending ? times.checkPending : times.check)
    if (!isLinked) return
    readings.forget()
    listed = ""
    mustList = true
    yield* reportDue(running)
  })

  /** Asks for the whole status. A device that does not respond dials again. */
  const poll = calls.call("Shelly.GetStatus").pipe(
    Effect.map((result) => {
      takeWhole(result)
      socket.wake.openUnsafe()
    }),
    Effect.catch(() => Effect.sync(() => socket.leave(closeCodes.goingAway, "No response")))
  )

  const awaitTurn = (running: number) =>
    Effect.suspend(() => {
      if (hasNews || socket.isClosed()) return Effect.void
      socket.wake.closeUnsafe()
      const due = Math.min(pingDue, pollDue, checkDue, readingsDue)
      return Effect.asVoid(Effect.timeoutOption(socket.wake.await, Math.max(0, due - running)))
    })

  /** Reads on after as many messages as a device may send. */
  const pace = Effect.gen(function* () {
    while (!socket.isClosed()) {
      if (!socket.hasTaken()) {
        socket.wake.closeUnsafe()
        yield* socket.wake.await
      }
      const wait = delay(socket.turn(), yield* monotonicMillis)
      if (wait > 0) yield* Effect.sleep(wait)
      socket.resume()
    }
  })

  const serve = Effect.gen(function* () {
    yield* Effect.forkChild(pace)
    yield* begin
    while (!socket.isClosed()) {
      yield* awaitTurn(yield* monotonicMillis)
      const running = yield* monotonicMillis
      if (hasNews || running >= readingsDue) yield* reportDue(running)
      if (socket.isClosed()) return
      if (running >= pingDue) {
        pingDue = running + times.ping
        socket.ping()
      }
      if (running >= pollDue) {
        pollDue = running + times.poll
        yield* Effect.forkChild(poll)
      }
      if (running >= checkDue) yield* check(running)
    }
  })

  /** Gives the device back. Requests that wait have failed. */
  const release = Effect.gen(function* () {
    calls.end()
    if (isHolder) yield* save(null)
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("The record of a device could not be released", cause)),
    Effect.ensuring(Effect.sync(() => Deferred.doneUnsafe(ended, Effect.void)))
  )

  const connection: DeviceConnection = {
    run: serve.pipe(
      Effect.catch(({ message }) =>
        Effect.andThen(
          Effect.logDebug(`A device does not say what it is: ${message}`),
          Effect.sync(() => socket.leave(closeCodes.goingAway, "No response"))
        )
      ),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logWarning("The connection of a device ends, and the device dials again", cause)
      ),
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => socket.leave(closeCodes.internalError, "Dial again")),
          release
        )
      ),
      Effect.annotateLogs({ account: accountId })
    ),
    ended: Deferred.await(ended),
    call: calls.call,
    readComponent: (component, method, id) =>
      Effect.map(calls.call(method, { id }), (result) => {
        status = replaceComponent(status, component, result)
        noteNews()
        socket.wake.openUnsafe()
        return result
      }),
    leave: socket.leave,
    terminate: socket.terminate,
    lost: () => (isHolder ? components().map(({ manufacturerDeviceId }) => manufacturerDeviceId) : [])
  }
  return connection
}
