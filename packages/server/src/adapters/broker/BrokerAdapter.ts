import { Clock, Effect, Schema } from "effect"
import type { Account, AccountReport, DeviceObservation, DiscoveredDevice, LinkedDevice } from "../Account.ts"
import { AdapterError } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import { isTopic } from "../decoding/messages.ts"
import type { AdapterInstance, CommandRequest, CommandResult, FormField } from "../ManufacturerAdapter.ts"
import { type BrokerAddress, brokerIdentity } from "./BrokerAddress.ts"
import type { BrokerDevice } from "./BrokerDevice.ts"
import type { BrokerDialect } from "./BrokerDialect.ts"
import { type FormValues, wrongValue } from "./brokerForm.ts"
import { type BrokerSession, openSession } from "./BrokerSession.ts"
import type { FeedOptions, Sighting } from "./deviceFeed.ts"

/** Credentials of an account on a broker: at least the broker. */
export interface OnBroker {
  readonly broker: BrokerAddress
}

export interface BrokerAdapter<Credentials extends OnBroker> {
  readonly fields: ReadonlyArray<FormField>
  readonly hasCommands: boolean
  readonly readForm: (values: FormValues) => Effect.Effect<Credentials, AdapterError>
  readonly dialect: (credentials: Credentials) => BrokerDialect
  /** Tells apart the accounts of one broker and user; empty if they have one. */
  readonly suffix: (credentials: Credentials) => string
}

/** Milliseconds in which messages gather before they are looked at, so that a flood of them costs little. */
const GATHER = 100
/** Longest pause of a session in which nothing happens. */
const LONGEST_PAUSE = 60_000
/** Seconds in which a device that is awake shows a new setting. */
const ECHO_WITHIN = 5

/** Milliseconds after a message to a device that has not shown its effect, in which another one is sent in any case. */
const EFFECT_WITHIN = 15 * 60_000

type Asked = Pick<CommandRequest, "type" | "input">

const OutletSnapshot = Schema.Struct({ operatingMode: Schema.Literals(["start-charging", "stop-charging"]) })
type OutletSnapshot = typeof OutletSnapshot.Type

const decodeSnapshot = (snapshot: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(OutletSnapshot)(snapshot), () =>
    AdapterError.of("contract", "The saved settings are not those of an outlet", { commandReason: "refused" })
  )

const TEXT_LIMIT = 255
const plainText = (text: string) => text.replaceAll(/\p{C}/gu, "").trim().slice(0, TEXT_LIMIT)

const manufacturerDeviceId = ({ host, port }: BrokerAddress, { id }: BrokerDevice) =>
  `${id}@${host.toLowerCase()}:${port}`

/**
 * The capabilities that accounts on MQTT brokers have in common: the form that names the broker, the devices that are described
 * there, the connection on which they report, and commands by messages.
 */
export const brokerInstance = <Credentials extends OnBroker>(
  host: AdapterHost,
  options: FeedOptions,
  adapter: BrokerAdapter<Credentials>
): AdapterInstance<Credentials> => {
  /** The sessions of this process by account, so that a command needs no connection of its own. */
  const live = new Map<string, BrokerSession>()
  /** The times of messages whose effect their devices have not shown, by the platform's ids of the devices. */
  const unseen = new Map<string, number>()

  const open = (credentials: Credentials) =>
    openSession(host, credentials.broker, adapter.dialect(credentials), options)

  const withSession = <A>(
    account: Account<Credentials>,
    use: (session: BrokerSession) => Effect.Effect<A, AdapterError>
  ): Effect.Effect<A, AdapterError> =>
    Effect.suspend(() => {
      const session = live.get(account.id)
      return session === undefined ? Effect.scoped(Effect.flatMap(open(account.credentials), use)) : use(session)
    })

  const discovered = (broker: BrokerAddress, device: BrokerDevice): DiscoveredDevice => ({
    manufacturerDeviceId: manufacturerDeviceId(broker, device),
    type: device.type,
    name: plainText(device.name) || device.id,
    model: plainText(device.model) || "Unknown",
    serialNumber: device.serialNumber === null ? null : plainText(device.serialNumber) || null,
    rawType: null,
    rawModel: plainText([device.manufacturerName, device.model].filter((one) => one !== null).join(" ")) || null,
    modelYear: null,
    staticState: null,
    commands: device.commands,
    incompatible: null
  })

  const observation = (broker: BrokerAddress, { device, ...seen }: Sighting): DeviceObservation => ({
    manufacturerDeviceId: manufacturerDeviceId(broker, device),
    observedAt: seen.observedAt,
    state: seen.state,
    asleep: false,
    coordinates: null,
    staticState: seen.staticState,
    commands: device.commands,
    interventions: [],
    problems: seen.problems
  })

  const follow = Effect.fnUntraced(function* (
    { broker }: Credentials,
    session: BrokerSession,
    report: (report: AccountReport) => Effect.Effect<void>
  ) {
    let reported = "[]"
    for (;;) {
      const messages = session.messages()
      if (session.refreshAt() <= (yield* Clock.currentTimeMillis)) yield* session.refresh
      const { nextAt, sightings } = session.feed.due(yield* Clock.currentTimeMillis)
      const devices = session.described().devices.map((device) => discovered(broker, device))
      const isChanged = JSON.stringify(devices) !== reported
      reported = JSON.stringify(devices)
      if (isChanged || sightings.length > 0) {
        yield* report({
          observations: sightings.map((sighting) => observation(broker, sighting)),
          alerts: [],
          devices: isChanged ? devices : null,
          activity: "normal"
        })
      } else {
        const pause = Math.min(Math.min(nextAt, session.refreshAt()) - (yield* Clock.currentTimeMillis), LONGEST_PAUSE)
        yield* Effect.raceFirst(session.moreThan(messages), Effect.sleep(Math.max(0, pause)))
        yield* Effect.sleep(GATHER)
      }
    }
  })

  /** Waits until the device shows a setting. Returns false if it does not in time: most devices that sleep do so later. */
  const isShown = (session: BrokerSession, device: BrokerDevice, { input, type }: Asked) =>
    Effect.gen(function* () {
      for (;;) {
        const messages = session.messages()
        const { read } = session.feed
        const isOn = device.isSwitchedOn(read)
        const isMet =
          isOn === undefined
            ? confirmByState(type, input, device.observe(read).state) === "met"
            : isOn === (input["operatingMode"] === "start-charging")
        if (isMet) return true
        yield* session.moreThan(messages)
      }
    }).pipe(
      Effect.raceFirst(session.broker.ended),
      Effect.timeoutOrElse({ duration: `${ECHO_WITHIN} seconds`, orElse: () => Effect.succeed(false) }),
      // The message is delivered, whatever happens to the connection afterwards.
      Effect.catch(() => Effect.succeed(false))
    )

  const findDevice = Effect.fnUntraced(function* (
    session: BrokerSession,
    broker: BrokerAddress,
    { manufacturerDeviceId: id }: LinkedDevice
  ) {
    const device = session.described().devices.find((one) => manufacturerDeviceId(broker, one) === id)
    if (device === undefined) {
      return yield* AdapterError.of("unreachable", "The broker does not describe the device any more")
    }
    if (device.isReachable(session.feed.read) === false) {
      return yield* AdapterError.of("unreachable", "The device says that it is not reachable")
    }
    return device
  })

  /** Whether the device shows a setting exactly, its messages are its present state, and no other setting is on its way. */
  const isSo = (
    { feed: { isLive, read } }: BrokerSession,
    device: BrokerDevice,
    { device: { id }, input, type }: Asked & Pick<CommandRequest, "device">,
    now: number
  ) => {
    if (!isLive(device.id, now) || now - (unseen.get(id) ?? -Infinity) < EFFECT_WITHIN) return false
    const isOn = device.isSwitchedOn(read)
    if (type !== "charger:set-operating-mode") {
      return confirmByState(type, input, device.observe(read).state, "exact") === "met"
    }
    // An outlet from which nothing charges may be on.
    return isOn !== undefined && isOn === (input["operatingMode"] === "start-charging")
  }

  /** The settings from before a forced mode: whether the outlet was on. */
  const readSnapshot = Effect.fnUntraced(function* ({ feed: { read } }: BrokerSession, device: BrokerDevice) {
    const isOn = device.isSwitchedOn(read)
    if (isOn === undefined) {
      return yield* AdapterError.of(
        "refused",
        "The device does not tell whether it is on, so it could not be restored",
        {
          commandReason: "precondition_unmet"
        }
      )
    }
    return { operatingMode: isOn ? "start-charging" : "stop-charging" } satisfies OutletSnapshot
  })

  const send = Effect.fnUntraced(function* (
    session: BrokerSession,
    broker: BrokerAddress,
    request: Asked & Pick<CommandRequest, "device">,
    forced?: Pick<CommandRequest, "saveSnapshot" | "snapshot">
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const device = yield* findDevice(session, broker, request.device)
    const plan = device.plan(request.type, request.input)
    if ("refused" in plan) {
      return yield* AdapterError.of("refused", plan.refused, { commandReason: "unsupported_value" })
    }
    if (!plan.messages.every(({ topic }) => isTopic(topic))) {
      return yield* AdapterError.of("contract", "The device names a topic for commands that is none")
    }
    const now = yield* Clock.currentTimeMillis
    if (isSo(session, device, request, now)) {
      return { status: "completed", reason: "already_so", output: null, upstream: null }
    }
    if (forced?.snapshot === null) yield* forced.saveSnapshot(yield* readSnapshot(session, device))
    unseen.set(request.device.id, now)
    yield* Effect.forEach(plan.messages, session.broker.publish, { discard: true })
    const isDone = yield* isShown(session, device, request)
    if (isDone) unseen.delete(request.device.id)
    return { status: isDone ? "completed" : "accepted", reason: null, output: null, upstream: null }
  })

  return {
    authorization: {
      kind: "form",
      fields: adapter.fields,
      connect: Effect.fnUntraced(function* (values) {
        const credentials = yield* adapter.readForm(values)
        const { described, version } = yield* open(credentials).pipe(
          Effect.map((session) => ({ described: session.described(), version: session.broker.version })),
          Effect.scoped,
          // Whatever fails here is for the person to correct.
          Effect.mapError(({ message, upstream }) => AdapterError.of("misconfigured", message, { upstream }))
        )
        const { devices, problems } = described
        if (devices.length === 0) {
          return yield* wrongValue(["The broker answers, but no device was found", ...problems.slice(0, 3)].join(". "))
        }
        const identity = `${brokerIdentity(credentials.broker)}${adapter.suffix(credentials)}`
        return {
          externalId: identity,
          name: `${identity} (${devices.length} ${devices.length === 1 ? "device" : "devices"})`,
          credentials: { ...credentials, broker: { ...credentials.broker, version } },
          expiresAt: null
        }
      })
    },
    discoverDevices: (account) =>
      withSession(account, (session) =>
        Effect.succeed(session.described().devices.map((device) => discovered(account.credentials.broker, device)))
      ),
    subscribe: (account, report) =>
      Effect.gen(function* () {
        const session = yield* open(account.credentials)
        yield* Effect.acquireRelease(
          Effect.sync(() => live.set(account.id, session)),
          () => Effect.sync(() => live.get(account.id) === session && live.delete(account.id))
        )
        return yield* Effect.raceFirst(follow(account.credentials, session, report), session.broker.ended)
      }).pipe(Effect.scoped),
    ...(adapter.hasCommands && {
      sendCommand: (account: Account<Credentials>, request: CommandRequest) =>
        withSession(account, (session) =>
          send(
            session,
            account.credentials.broker,
            request,
            isForcedMode(request.type, request.input, request.revertAfter) ? request : undefined
          )
        ),
      restore: (account: Account<Credentials>, device: LinkedDevice, snapshot: unknown) =>
        Effect.flatMap(decodeSnapshot(snapshot), (input) =>
          withSession(account, (session) =>
            send(session, account.credentials.broker, { device, type: "charger:set-operating-mode", input })
          )
        ),
      confirms: ({ input, type }: Pick<CommandRequest, "type" | "input">, { state }: DeviceObservation) =>
        confirmByState(type, input, state)
    })
  }
}
