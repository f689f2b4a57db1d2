import type { IncomingMessage } from "node:http"
import { Clock, Deferred, Effect, FiberSet } from "effect"
import { type WebSocket, WebSocketServer } from "ws"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost, FoundAccount } from "@edp/adapter-kit/AdapterHost"
import { type InboundListener, InboundRefused } from "@edp/adapter-kit/ManufacturerAdapter"
import { chosenSubprotocol, defaultLimits, type OcppVersion, subprotocols } from "./frames.ts"
import { STATION_PATH } from "./invitation.ts"
import type { CommandOutcome, NewCommand, Session, StationSettings } from "./Session.ts"
import { makeSessionStore } from "./sessionStore.ts"
import { makeStationConnection, type StationConnection } from "./StationConnection.ts"
import { closeCodes } from "@edp/adapter-kit/inbound/closeCodes"
import { mayConnect, stationIdFromPath, type StoredPassword, storedPassword } from "./stationLogin.ts"
import type { StationTimes } from "./stationTimes.ts"

export interface CentralSystemSettings {
  /** Connections of this instance. */
  readonly maxConnections: number
  /** Seconds. */
  readonly heartbeatInterval: number
  readonly meterInterval: number
}

/** The token of transactions that the platform starts. */
const REMOTE_TOKEN = "EDP"
const BEAT_EVERY = "20 seconds"

const unauthenticated = new InboundRefused({ reason: "unauthenticated" })
const busy = new InboundRefused({ reason: "busy" })

/** A command for a connector of a station. */
export interface StationCommand extends NewCommand {
  readonly stationId: string
}

/** The central system: holds the connections of the stations that have dialled this instance. */
export const makeCentralSystem = Effect.fnUntraced(function* (
  host: AdapterHost,
  settings: CentralSystemSettings,
  times: StationTimes
) {
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const store = makeSessionStore(host.records, host.instance)
  const connections = new Map<string, StationConnection>()
  let isClosing = false

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A compressed message could be a bomb, and the messages are small.
    perMessageDeflate: false,
    maxPayload: defaultLimits.maxBytes,
    handleProtocols: (offered) => chosenSubprotocol([...offered])?.name ?? false
  })

  const stationSettings = (stationId: string): StationSettings => ({
    stationId,
    registered: true,
    respondWithin: times.response,
    heartbeatInterval: settings.heartbeatInterval,
    meterInterval: settings.meterInterval,
    remoteToken: REMOTE_TOKEN,
    acceptedTokens: null
  })

  /** The newer connection of a station wins: the older one is often dead without our knowing. */
  const connect = (
    socket: WebSocket,
    version: OcppVersion,
    stationId: string,
    account: FoundAccount,
    password: StoredPassword
  ) => {
    const previous = connections.get(stationId)
    previous?.leave(closeCodes.policyViolation, "The station has another connection")
    const connection = makeStationConnection(
      socket,
      {
        stationId,
        version,
        accountId: account.id,
        pending: account.pending,
        password,
        settings: stationSettings(stationId)
      },
      { host, store, times },
      previous?.ended ?? Effect.void
    )
    connections.set(stationId, connection)
    const forget = Effect.sync(() => {
      if (connections.get(stationId) === connection) connections.delete(stationId)
    })
    run(Effect.ensuring(connection.run, forget))
  }

  const authenticate = (request: IncomingMessage) =>
    Effect.gen(function* () {
      const stationId = stationIdFromPath(STATION_PATH, request.url ?? "")
      const account = stationId === null ? undefined : yield* host.findAccount(stationId)
      const password = storedPassword(account?.credentials)
      const isKnown = mayConnect(stationId ?? "", request.headers.authorization, password)
      if (!isKnown || stationId === null || account === undefined || password === null) return yield* unauthenticated
      if (isClosing || (connections.size >= settings.maxConnections && !connections.has(stationId))) return yield* busy
      return (socket: Parameters<WebSocketServer["handleUpgrade"]>[1], head: Buffer) =>
        sockets.handleUpgrade(request, socket, head, (opened) => {
          const chosen = subprotocols.find(({ name }) => name === opened.protocol)
          if (isClosing) opened.close(closeCodes.serviceRestart, "Dial again")
          else if (chosen !== undefined) connect(opened, chosen.version, stationId, account, password)
          // The standard wants the handshake to be completed without a subprotocol, and the socket to be closed then.
          else opened.on("error", () => {}).close(closeCodes.protocolError, "Offer ocpp2.0.1 or ocpp1.6")
        })
    })

  const close = Effect.gen(function* () {
    isClosing = true
    const open = [...connections.values()]
    for (const connection of open) connection.leave(closeCodes.serviceRestart, "Dial again")
    yield* Effect.forEach(open, ({ ended }) => ended, { discard: true, concurrency: "unbounded" }).pipe(
      Effect.timeoutOption(times.farewell)
    )
    for (const connection of open) connection.terminate()
    yield* store.leave
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Stations could not be asked to reconnect", cause)))

  const beat = Effect.gen(function* () {
    if (connections.size > 0) yield* store.beat(yield* Clock.currentTimeMillis)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The instance could not report that it lives", cause)))

  yield* Effect.addFinalizer(() => close)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(BEAT_EVERY), beat)))
  yield* store.forgetInstances(yield* Clock.currentTimeMillis)

  /** The connection of a station; fails if this instance does not hold it. */
  const locate = Effect.fnUntraced(function* (stationId: string) {
    const connection = connections.get(stationId)
    if (connection !== undefined) return connection
    const { holder } = yield* store.load(stationId)
    const elsewhere = yield* store.otherInstance(holder, yield* Clock.currentTimeMillis)
    return yield* elsewhere === undefined
      ? AdapterError.of("unreachable", "The station is not connected")
      : AdapterError.of("elsewhere", "Another instance holds the station's connection", { holder: elsewhere })
  })

  const inbound: InboundListener = { path: STATION_PATH, authenticate, close }
  return {
    inbound,
    /** Milliseconds since 1970. */
    now: Clock.currentTimeMillis,
    /** The session of a station that is connected to this instance; undefined while it is loaded. */
    session: (stationId: string): Effect.Effect<Session | undefined, AdapterError> =>
      Effect.map(locate(stationId), ({ session }) => session()),
    /** Sends a command and waits for the station's response. */
    command: ({ stationId, ...command }: StationCommand): Effect.Effect<CommandOutcome, AdapterError> =>
      Effect.gen(function* () {
        const connection = yield* locate(stationId)
        const result = yield* Deferred.make<CommandOutcome>()
        connection.offer({ _tag: "Command", ...command, result })
        return yield* Effect.raceFirst(
          Deferred.await(result),
          Effect.andThen(connection.ended, AdapterError.of("unreachable", "The station's connection has ended"))
        ).pipe(
          Effect.timeoutOrElse({
            // Another request may have to end first.
            duration: 2 * times.response + 10_000,
            orElse: () => Effect.fail(AdapterError.of("unreachable", "The station does not respond"))
          }),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (exit._tag === "Failure") connection.offer({ _tag: "Withdraw", id: command.id })
            })
          )
        )
      }),
    /** Ends the connection of a station whose account has ended, on whichever instance it is. */
    disconnect: (stationId: string): Effect.Effect<void> =>
      Effect.gen(function* () {
        connections.get(stationId)?.leave(closeCodes.policyViolation, "The station's account has ended")
        const { holder, session, version } = yield* store.load(stationId)
        if (holder !== null && session !== null) yield* store.save(stationId, version, null, session)
      })
  }
})
export type CentralSystem = Effect.Success<ReturnType<typeof makeCentralSystem>>
