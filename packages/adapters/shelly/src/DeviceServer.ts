import type { IncomingMessage } from "node:http"
import { Clock, Effect, FiberSet } from "effect"
import { type WebSocket, WebSocketServer } from "ws"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost, FoundAccount } from "@edp/adapter-kit/AdapterHost"
import { type InboundListener, InboundRefused } from "@edp/adapter-kit/ManufacturerAdapter"
import { DEVICE_PATH, isSecret, parsePath, readCredentials, type ShellyCredentials } from "./deviceAddress.ts"
import { type DeviceConnection, makeDeviceConnection } from "./DeviceConnection.ts"
import { closeCodes } from "@edp/adapter-kit/inbound/closeCodes"
import { makeDeviceStore } from "./deviceStore.ts"
import type { DeviceTimes } from "./deviceTimes.ts"
import { MAX_FRAME_BYTES } from "./frames.ts"

const BEAT_EVERY = "20 seconds"
/** The subprotocol that some devices offer. */
const SUBPROTOCOL = "json-rpc"
/** Accounts whose second device was logged. */
const MAX_WARNED = 1_000

const unauthenticated = new InboundRefused({ reason: "unauthenticated" })
const busy = new InboundRefused({ reason: "busy" })

/** Holds the connections of the devices that have dialled this instance. */
export const makeDeviceServer = Effect.fnUntraced(function* (
  host: AdapterHost,
  { maxConnections }: { readonly maxConnections: number },
  times: DeviceTimes
) {
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const clock = yield* Clock.Clock
  const store = makeDeviceStore(host.records, host.instance)
  /** Every open connection. */
  const open = new Set<DeviceConnection>()
  /** By the id in the address: those that have not said yet which device they are, and those that have. */
  const arriving = new Map<string, DeviceConnection>()
  const connections = new Map<string, DeviceConnection>()
  const warned = new Set<string>()
  let isClosing = false

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A compressed message could be a bomb, and the messages are small.
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false)
  })

  /** The newer connection of a device wins: the older one is often dead without our knowing. */
  const admit = (key: string) => (connection: DeviceConnection) =>
    Effect.suspend(() => {
      if (arriving.get(key) === connection) arriving.delete(key)
      const previous = connections.get(key)
      connections.set(key, connection)
      previous?.leave(closeCodes.policyViolation, "The device has another connection")
      return previous?.ended ?? Effect.void
    })

  const refuse = (accountId: string) => (device: string) =>
    Effect.suspend(() => {
      if (warned.has(accountId) || warned.size >= MAX_WARNED) return Effect.void
      warned.add(accountId)
      return Effect.logWarning(`${device} dials with the address of another device, and is refused`)
    }).pipe(Effect.annotateLogs({ account: accountId }))

  /** Reports the devices of a connection as unreachable unless they are connected again in time. */
  const reportLost = Effect.fnUntraced(function* (key: string, connection: DeviceConnection) {
    const lost = connection.lost()
    if (lost.length === 0 || isClosing) return
    yield* Effect.sleep(times.lostAfter)
    const { record } = yield* store.load(key)
    if (record === null || record.holder !== null) return
    const account = yield* host.findAccount(key)
    if (account === undefined || account.pending) return
    const observedAt = yield* Clock.currentTimeMillis
    yield* host.report(account.id, {
      observations: lost.map((manufacturerDeviceId) => ({
        manufacturerDeviceId,
        observedAt,
        state: null,
        asleep: false,
        isUnreachable: true,
        coordinates: null,
        staticState: null,
        commands: null,
        interventions: null,
        problems: []
      })),
      alerts: [],
      devices: null,
      activity: "normal"
    })
  })

  const connect = (socket: WebSocket, key: string, account: FoundAccount, credentials: ShellyCredentials) => {
    arriving.get(key)?.leave(closeCodes.policyViolation, "The device has another connection")
    const connection = makeDeviceConnection(
      socket,
      { key, accountId: account.id, pending: account.pending, credentials },
      { host, store, times, clock, admit: admit(key), refuse: refuse(account.id) }
    )
    arriving.set(key, connection)
    open.add(connection)
    const forget = Effect.sync(() => {
      open.delete(connection)
      if (arriving.get(key) === connection) arriving.delete(key)
      if (connections.get(key) === connection) connections.delete(key)
    })
    run(
      connection.run.pipe(
        Effect.ensuring(forget),
        Effect.andThen(reportLost(key, connection)),
        Effect.catchCause((cause) => Effect.logWarning("A device could not be reported as unreachable", cause))
      )
    )
  }

  const authenticate = (request: IncomingMessage) =>
    Effect.gen(function* () {
      const address = parsePath(request.url ?? "")
      const account = address === null ? undefined : yield* host.findAccount(address.id)
      const credentials = readCredentials(account?.credentials)
      const isKnown = isSecret(address?.secret ?? "", credentials)
      if (!isKnown || address === null || account === undefined || credentials === null) return yield* unauthenticated
      const replaces = arriving.has(address.id) || connections.has(address.id)
      if (isClosing || (open.size >= maxConnections && !replaces)) return yield* busy
      return (socket: Parameters<WebSocketServer["handleUpgrade"]>[1], head: Buffer) =>
        sockets.handleUpgrade(request, socket, head, (opened) => {
          if (isClosing) opened.on("error", () => {}).close(closeCodes.serviceRestart, "Dial again")
          else connect(opened, address.id, account, credentials)
        })
    })

  const close = Effect.gen(function* () {
    isClosing = true
    const all = [...open]
    for (const connection of all) connection.leave(closeCodes.serviceRestart, "Dial again")
    yield* Effect.forEach(all, ({ ended }) => ended, { discard: true, concurrency: "unbounded" }).pipe(
      Effect.timeoutOption(times.farewell)
    )
    for (const connection of all) connection.terminate()
    yield* store.leave
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Devices could not be asked to reconnect", cause)))

  const beat = Effect.gen(function* () {
    if (connections.size > 0) yield* store.beat(yield* Clock.currentTimeMillis)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The instance could not report that it lives", cause)))

  yield* Effect.addFinalizer(() => close)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(BEAT_EVERY), beat)))
  yield* store.forgetInstances(yield* Clock.currentTimeMillis)

  const inbound: InboundListener = { path: DEVICE_PATH, authenticate, close }
  return {
    inbound,
    times,
    /** The connection of an account's device; fails if this instance does not hold it. */
    locate: Effect.fnUntraced(function* (key: string) {
      const connection = connections.get(key)
      if (connection !== undefined) return connection
      const { record } = yield* store.load(key)
      const holder = record?.holder ?? null
      const elsewhere = yield* store.otherInstance(holder, yield* Clock.currentTimeMillis)
      return yield* elsewhere === undefined
        ? AdapterError.of("unreachable", "The device is not connected")
        : AdapterError.of("elsewhere", "Another instance holds the device's connection", { holder: elsewhere })
    }),
    /** Ends the connection of a device whose account has ended, on whichever instance it is. */
    disconnect: (key: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        for (const connection of [arriving.get(key), connections.get(key)])
          connection?.leave(closeCodes.policyViolation, "The device's account has ended")
        return store.remove(key)
      })
  }
})
export type DeviceServer = Effect.Success<ReturnType<typeof makeDeviceServer>>
