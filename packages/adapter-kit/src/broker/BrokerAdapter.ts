import { Clock, Effect } from "effect"
import type { Account, AccountReport, DeviceObservation, DiscoveredDevice, LinkedDevice } from "../Account.ts"
import { AdapterError } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { confirmByState, confirmingFields, isAlreadySo } from "@edp/domain/commands/confirmByState"
import { isTopic } from "../decoding/messages.ts"
import type { AdapterInstance, CommandRequest, CommandResult, FormField } from "../ManufacturerAdapter.ts"
import { decodeSwitchSnapshot, switchSnapshot } from "./switchSnapshot.ts"
import { type BrokerAddress, brokerIdentity } from "./BrokerAddress.ts"
import type { BrokerDevice } from "./BrokerDevice.ts"
import type { BrokerDialect } from "./BrokerDialect.ts"
import { type FormValues, wrongValue } from "./brokerForm.ts"
import { type BrokerSession, monotonicMillis, openSession } from "./BrokerSession.ts"
import { endSetPoint, sendSetPoint, type SetPointTarget } from "./setPointCommands.ts"
import { isSetPointSnapshot, type SetPointModes } from "./SetPointModes.ts"
import type { FeedOptions, Sighting } from "./deviceFeed.ts"

/** The credentials that every account on a broker has. */
export interface OnBroker {
  readonly broker: BrokerAddress
}

export interface BrokerAdapter<Credentials extends OnBroker> {
  readonly fields: ReadonlyArray<FormField>
  readonly hasCommands: boolean
  readonly readForm: (values: FormValues) => Effect.Effect<Credentials, AdapterError>
  readonly dialect: (credentials: Credentials) => BrokerDialect
  /** Distinguishes the accounts of one broker and user. It is empty if there is only one. */
  readonly suffix: (credentials: Credentials) => string
  /** For dialects whose batteries have modes by a set-point. */
  readonly setPoints?: SetPointModes
}

/** Messages are collected for this many milliseconds before they are processed, so that a burst costs little. */
const COLLECT = 100
/** The longest pause of an idle session, in milliseconds. */
const LONGEST_PAUSE = 60_000
/** Seconds within which a device that is awake reports a new setting. */
const REPORT_WITHIN = 5

/** For this many milliseconds after a message whose effect the device has not reported, the next message is always sent. */
const EFFECT_WITHIN = 15 * 60_000

type RequestedSetting = Pick<CommandRequest, "type" | "input">

/** A device before a message is sent to it: its state, and the number of messages so far. */
interface Before {
  readonly state: object | null
  readonly heard: number
}

const fields = ({ state }: { readonly state: object | null }) => (state ?? {}) as Readonly<Record<string, unknown>>

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
  /** When a message was sent whose effect the device has not reported yet, by the platform's id of the device. */
  const unconfirmed = new Map<string, number>()

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
    isUnreachable: seen.isUnreachable,
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
      if (session.refreshAt() <= (yield* monotonicMillis)) yield* session.refresh
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
        const untilNext = nextAt - (yield* Clock.currentTimeMillis)
        const pause = Math.min(untilNext, session.refreshAt() - (yield* monotonicMillis), LONGEST_PAUSE)
        yield* Effect.raceFirst(session.moreThan(messages), Effect.sleep(Math.max(0, pause)))
        yield* Effect.sleep(COLLECT)
      }
    }
  })

  /**
   * Whether the messages since the command confirm a setting. A setting that the device had before is no proof, unless the device
   * reports it again.
   */
  const isConfirmed = (
    { feed }: BrokerSession,
    device: BrokerDevice,
    { input, type }: RequestedSetting,
    before: Before
  ) => {
    const fresh = feed.readAfter(before.heard)
    if (device.isSwitchedOn(feed.read) !== undefined) {
      return device.isSwitchedOn(fresh) === (input["operatingMode"] === "start-charging")
    }
    const [state, reported] = [fields(device.observe(feed.read)), fields(device.observe(fresh))]
    const earlier = fields(before)
    // A field that was not known before may come from a retained message that arrives late.
    const hasChanged = (field: string) => field in earlier && state[field] !== earlier[field]
    const isReported = (field: string) => reported[field] !== undefined && reported[field] !== "unknown"
    const isReportedNow = confirmingFields.some((field) => isReported(field) || hasChanged(field))
    return isReportedNow && confirmByState(type, input, state, before.state) === "met"
  }

  /** Waits until the device reports a setting. Returns false if it does not in time: most sleeping devices do so later. */
  const untilConfirmed = (session: BrokerSession, device: BrokerDevice, asked: RequestedSetting, before: Before) =>
    Effect.gen(function* () {
      for (;;) {
        const messages = session.messages()
        if (isConfirmed(session, device, asked, before)) return true
        yield* session.moreThan(messages)
      }
    }).pipe(
      Effect.raceFirst(session.broker.ended),
      Effect.timeoutOrElse({ duration: `${REPORT_WITHIN} seconds`, orElse: () => Effect.succeed(false) }),
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

  /** Whether the device has exactly this setting, its messages are current, and no other setting is on its way. */
  const isAlreadySet = (
    { feed: { isLive, read } }: BrokerSession,
    device: BrokerDevice,
    { device: { id }, input, type }: RequestedSetting & Pick<CommandRequest, "device">,
    now: number
  ) => {
    if (!isLive(device.id, now) || now - (unconfirmed.get(id) ?? -Infinity) < EFFECT_WITHIN) return false
    const isOn = device.isSwitchedOn(read)
    if (type !== "charger:set-operating-mode") {
      return isAlreadySo(type, input, device.observe(read).state)
    }
    // An outlet may be on while nothing charges from it.
    return isOn !== undefined && isOn === (input["operatingMode"] === "start-charging")
  }

  const send = Effect.fnUntraced(function* (
    session: BrokerSession,
    broker: BrokerAddress,
    request: RequestedSetting & Pick<CommandRequest, "device">,
    forced?: Pick<CommandRequest, "saveSnapshot" | "snapshot">
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const device = yield* findDevice(session, broker, request.device)
    const plan = device.plan(request.type, request.input)
    if ("refused" in plan) {
      return yield* AdapterError.of("refused", plan.refused, { commandReason: "unsupported_value" })
    }
    if (!plan.messages.every(({ topic }) => isTopic(topic))) {
      return yield* AdapterError.of("contract", "The device names an invalid topic for commands")
    }
    const now = yield* Clock.currentTimeMillis
    const asked = { ...request, input: plan.input ?? request.input }
    if (isAlreadySet(session, device, asked, now)) {
      return { status: "completed", reason: "already_so", output: null, upstream: null }
    }
    if (forced?.snapshot === null)
      yield* forced.saveSnapshot(yield* switchSnapshot(device.isSwitchedOn(session.feed.read)))
    unconfirmed.set(request.device.id, now)
    const before = { state: device.observe(session.feed.read).state, heard: session.feed.heard() }
    yield* Effect.forEach(plan.messages, session.broker.publish, { discard: true })
    const isDone = yield* untilConfirmed(session, device, asked, before)
    if (isDone) unconfirmed.delete(request.device.id)
    return {
      status: isDone ? "completed" : "accepted",
      reason: null,
      output: null,
      upstream: null,
      ...(plan.input !== undefined && { sentInput: plan.input })
    }
  })

  /** The battery of an account with its modes; undefined for another device. */
  const battery = (account: Account<Credentials>, linked: LinkedDevice) => {
    const { setPoints } = adapter
    if (setPoints === undefined || linked.type !== "battery") return undefined
    const find = (session: BrokerSession) => findDevice(session, account.credentials.broker, linked)
    const use: SetPointTarget["use"] = (then) =>
      withSession(account, (session) => Effect.flatMap(find(session), ({ setPoint }) => then(session, setPoint)))
    return { modes: setPoints, externalId: account.externalId, id: linked.manufacturerDeviceId, use }
  }

  return {
    authorization: {
      kind: "form",
      fields: adapter.fields,
      connect: Effect.fnUntraced(function* (values) {
        const credentials = yield* adapter.readForm(values)
        const { described, version } = yield* open(credentials).pipe(
          Effect.map((session) => ({ described: session.described(), version: session.broker.version })),
          Effect.scoped,
          // A refusal by the broker is for the person to correct.
          Effect.mapError((error) =>
            error.failure === "grant_lost" || error.failure === "refused"
              ? AdapterError.of("misconfigured", error.message, { upstream: error.upstream })
              : error
          )
        )
        const { devices, problems } = described
        if (devices.length === 0) {
          return yield* wrongValue(["The broker responds, but no device was found", ...problems.slice(0, 3)].join(". "))
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
      sendCommand: (account: Account<Credentials>, request: CommandRequest) => {
        const target = battery(account, request.device)
        return target !== undefined && request.type === "battery:set-operating-mode"
          ? sendSetPoint(target, request)
          : withSession(account, (session) =>
              send(
                session,
                account.credentials.broker,
                request,
                isForcedMode(request.type, request.input, request.revertAfter) ? request : undefined
              )
            )
      },
      restore: (account: Account<Credentials>, { device, snapshot }: Pick<CommandRequest, "device" | "snapshot">) => {
        const target = battery(account, device)
        if (target !== undefined && isSetPointSnapshot(snapshot)) return endSetPoint(target)
        return Effect.flatMap(decodeSwitchSnapshot(snapshot), (input) =>
          withSession(account, (session) =>
            send(session, account.credentials.broker, { device, type: "charger:set-operating-mode", input })
          )
        )
      },
      confirms: ({ input, type }: RequestedSetting, { state }: DeviceObservation, before: object | null) =>
        confirmByState(type, input, state, before)
    })
  }
}
