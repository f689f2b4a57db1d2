import { randomBytes } from "node:crypto"
import { Deferred, Effect, Redacted, type Scope } from "effect"
import type { MqttClient } from "mqtt"
import { AdapterError } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import type { Publication } from "../decoding/messages.ts"
import type { BrokerAddress } from "./BrokerAddress.ts"
import { connectionFailure, isWrongVersion, publishFailure, subscribeFailure } from "./brokerFailures.ts"
import { limitPackets, MESSAGE_LIMIT } from "./packetLimit.ts"
import { secureSocket } from "../http/secureSocket.ts"

/** A connection to a broker. It ends with its scope, and is not opened again by itself. */
export interface Broker {
  readonly subscribe: (filters: ReadonlyArray<string>) => Effect.Effect<void, AdapterError>
  readonly unsubscribe: (filters: ReadonlyArray<string>) => Effect.Effect<void, AdapterError>
  /** Ends when the broker has taken the message. */
  readonly publish: (message: Publication) => Effect.Effect<void, AdapterError>
  /** Ends the connection by the rules of the protocol: the broker does not publish the will. */
  readonly leave: Effect.Effect<void>
  /** Fails when the connection ends. */
  readonly ended: Effect.Effect<never, AdapterError>
  /** The version of the protocol that the broker took. */
  readonly version: BrokerAddress["version"]
}

export interface BrokerOptions {
  /** The id of the client. A broker ends the former connection of the same one. Random by default. */
  readonly clientId?: string
  /** The message that the broker publishes when the connection ends. */
  readonly will?: Publication
}

export type OnMessage = (topic: string, payload: string, isRetained: boolean) => void

/** Time limits in seconds: of the whole login, and of one response. */
const LOGIN_LIMIT = 15
const RESPONSE_LIMIT = 10
/** Seconds after which a silent connection is asked for a response; without one for half as long again it ends. */
const KEEPALIVE = 30
/** Filters of one request. Some brokers take few at a time. */
const FILTERS_PER_REQUEST = 50

const tooSlow = (seconds: number) =>
  Effect.fail(AdapterError.of("unreachable", `The broker did not respond within ${seconds} seconds`))

const stray = () => Effect.fail(AdapterError.of("contract", "The broker's messages made the client fail"))

/** It takes about 14 MB of memory, so it is loaded with the first connection. */
const library = Effect.promise(() => import("mqtt"))

type Opened = MqttClient | "wrong_version"

const open = Effect.fnUntraced(function* (
  host: Pick<AdapterHost, "contained" | "dial">,
  address: BrokerAddress,
  onMessage: OnMessage,
  { clientId = `edp-${randomBytes(8).toString("hex")}`, will }: BrokerOptions
) {
  const { MqttClient } = yield* library
  const dialled = yield* Effect.acquireRelease(
    host.dial(address.host, address.port),
    (socket) => Effect.sync(() => socket.destroy()),
    { interruptible: true }
  )
  // The socket may fail while nobody else listens.
  dialled.on("error", () => {})
  const socket = address.tls ? yield* secureSocket(dialled, address) : dialled
  const closed = yield* Deferred.make<never, AdapterError>()
  /** The calls under way at this connection. */
  const owner = {}
  const client = yield* host.contained<Opened, AdapterError>(
    owner,
    (resume) => {
      const made = new MqttClient(() => limitPackets(socket), {
        protocolId: "MQTT",
        protocolVersion: address.version,
        clientId,
        clean: true,
        keepalive: KEEPALIVE,
        connectTimeout: LOGIN_LIMIT * 1000,
        // Whoever holds the connection decides when it is opened again.
        reconnectPeriod: 0,
        resubscribe: false,
        queueQoSZero: false,
        subscribeBatchSize: FILTERS_PER_REQUEST,
        ...(will !== undefined && {
          will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: will.retain === true }
        }),
        ...(address.version === 5 && { properties: { maximumPacketSize: MESSAGE_LIMIT } }),
        ...(address.username !== null && { username: address.username }),
        ...(address.password !== null && { password: Redacted.value(address.password) })
      })
      let last: Error | undefined
      made.on("error", (error) => {
        last ??= error
        resume(isWrongVersion(error) ? Effect.succeed("wrong_version") : Effect.fail(connectionFailure(error)))
        made.end(true)
      })
      made.on("disconnect", ({ reasonCode }) => {
        last ??= Object.assign(new Error("The broker ended the connection"), { code: reasonCode ?? 0 })
      })
      made.on("close", () => {
        const failure = connectionFailure(last ?? new Error("The connection ended"))
        Deferred.doneUnsafe(closed, Effect.fail(failure))
        resume(Effect.fail(failure))
      })
      made.on("message", (topic, payload, { retain }) => onMessage(topic, payload.toString("utf8"), retain))
      made.once("connect", () => resume(Effect.succeed(made)))
      return Effect.sync(() => void made.end(true))
    },
    stray
  )
  if (client === "wrong_version") return client
  yield* Effect.addFinalizer(() => Effect.sync(() => client.end(true)))

  const answered = (call: (done: (failure?: AdapterError) => void) => void) =>
    host
      .contained<void, AdapterError>(
        owner,
        (resume) => call((failure) => resume(failure === undefined ? Effect.void : Effect.fail(failure))),
        stray
      )
      .pipe(
        Effect.raceFirst(Deferred.await(closed)),
        Effect.timeoutOrElse({ duration: `${RESPONSE_LIMIT} seconds`, orElse: () => tooSlow(RESPONSE_LIMIT) })
      )

  return {
    version: address.version,
    ended: Effect.raceFirst(
      Deferred.await(closed),
      host.contained<never, AdapterError>(owner, () => undefined, stray)
    ),
    leave: Effect.ignore(answered((done) => void client.end(false, {}, () => done()))),
    subscribe: (filters) =>
      filters.length === 0
        ? Effect.void
        : answered((done) =>
            // Without acknowledgements: messages over the limit can be left out.
            client.subscribe([...filters], { qos: 0 }, (error) =>
              done(error === null ? undefined : subscribeFailure(error))
            )
          ),
    unsubscribe: (filters) =>
      filters.length === 0
        ? Effect.void
        : answered((done) =>
            client.unsubscribe([...filters], (error) => done(error ? connectionFailure(error) : undefined))
          ),
    publish: ({ payload, retain = false, topic }) =>
      answered((done) =>
        client.publish(topic, payload, { qos: 1, retain }, (error) => done(error ? publishFailure(error) : undefined))
      )
  } satisfies Broker
})

/**
 * Opens a connection to a broker: MQTT 5, or MQTT 3.1.1 where the broker does not take it. `onMessage` gets every message of the
 * subscriptions, while it runs nothing else does.
 */
export const openBroker = (
  host: Pick<AdapterHost, "contained" | "dial">,
  address: BrokerAddress,
  onMessage: OnMessage,
  options: BrokerOptions = {}
): Effect.Effect<Broker, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const broker = yield* open(host, address, onMessage, options)
    if (broker !== "wrong_version") return broker
    const older = yield* open(host, { ...address, version: 4 }, onMessage, options)
    return older === "wrong_version"
      ? yield* AdapterError.of("contract", "The broker speaks neither MQTT 5 nor MQTT 3.1.1")
      : older
  }).pipe(Effect.timeoutOrElse({ duration: `${LOGIN_LIMIT} seconds`, orElse: () => tooSlow(LOGIN_LIMIT) }))
