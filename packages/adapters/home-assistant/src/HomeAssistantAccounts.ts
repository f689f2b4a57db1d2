import { Clock, Effect, Schema } from "effect"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { confirmByState, confirmingFields, isAlreadySo } from "@edp/domain/commands/confirmByState"
import type { Account, AccountReport } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import type { AdapterInstance, CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { decodeSwitchSnapshot, switchSnapshot } from "@edp/adapter-kit/broker/switchSnapshot"
import { fields, readForm } from "./connectForm.ts"
import type { InstanceDevice } from "./describeDevices.ts"
import { InstanceAddress } from "./HomeAssistantSession.ts"
import { type Instance, openInstance } from "./Instance.ts"
import { isReachable, isSwitchedOn, observeDevice } from "./observeDevice.ts"
import { planCalls } from "./planCalls.ts"
import { discovered, makeReadings, manufacturerDeviceId, type ReportPace } from "./readings.ts"

export const Credentials = Schema.Struct({
  instance: InstanceAddress,
  batteryCapacity: Schema.NullOr(Schema.Number)
})
export type Credentials = typeof Credentials.Type

/** Events are collected for this many milliseconds before they are processed, so that a burst costs little. */
const COLLECT = 100
/** Milliseconds between two descriptions of the devices: not oftener, however often the registries change; and at least so often. */
const DESCRIBE_NOT_BEFORE = 5000
const DESCRIBE_EVERY = 3_600_000
/** The longest pause of an idle connection, in milliseconds. */
const LONGEST_PAUSE = 60_000
/** Seconds within which an entity shows a new setting. */
const SHOWS_WITHIN = 5
/** For this many milliseconds after a call whose effect no state has shown, the next call is always made. */
const EFFECT_WITHIN = 15 * 60_000

type Setting = Pick<CommandRequest, "type" | "input">

const identityFrom = ({ instance: { host, port } }: Credentials) => `${host.toLowerCase()}:${port}`

/** The accounts of Home Assistant instances: their form, their devices and readings, and the commands to them. */
export const makeAccounts = (host: AdapterHost, pace: ReportPace): AdapterInstance<Credentials> => {
  /** The connections that subscriptions hold, by account: commands use them. */
  const live = new Map<string, Instance>()
  /** When a service was called whose effect no state has shown yet, by the platform's id of the device. */
  const unconfirmed = new Map<string, number>()

  const open = ({ batteryCapacity, instance }: Credentials) => openInstance(host, instance, batteryCapacity)

  const withInstance = <A>(
    account: Account<Credentials>,
    use: (instance: Instance) => Effect.Effect<A, AdapterError>
  ): Effect.Effect<A, AdapterError> =>
    Effect.suspend(() => {
      const instance = live.get(account.id)
      return instance === undefined ? Effect.scoped(Effect.flatMap(open(account.credentials), use)) : use(instance)
    })

  const listDevices = (identity: string, instance: Instance) =>
    instance.devices().map((device) => discovered(identity, device, instance.entities))

  const follow = Effect.fnUntraced(function* (
    identity: string,
    instance: Instance,
    report: (report: AccountReport) => Effect.Effect<void>
  ) {
    const read = makeReadings(identity, pace)
    let described = yield* Clock.currentTimeMillis
    let reported = ""
    for (;;) {
      const events = instance.events()
      const now = yield* Clock.currentTimeMillis
      const age = Math.abs(now - described)
      if (age >= (instance.isOutdated() ? DESCRIBE_NOT_BEFORE : DESCRIBE_EVERY)) {
        yield* instance.refresh
        described = now
      }
      const { nextAt, observations } = read(instance, now)
      const devices = listDevices(identity, instance)
      const isChanged = JSON.stringify(devices) !== reported
      reported = JSON.stringify(devices)
      if (isChanged || observations.length > 0) {
        yield* report({ observations, alerts: [], devices: isChanged ? devices : null, activity: "normal" })
        continue
      }
      const describeIn = instance.isOutdated() ? DESCRIBE_NOT_BEFORE - age : DESCRIBE_EVERY - age
      yield* Effect.raceFirst(
        instance.moreThan(events),
        Effect.sleep(Math.max(0, Math.min(nextAt - now, describeIn, LONGEST_PAUSE)))
      )
      yield* Effect.sleep(COLLECT)
    }
  })

  const stateNow = ({ entities, unit }: Instance, device: InstanceDevice) =>
    observeDevice(device, entities, unit).state as Readonly<Record<string, unknown>>

  /** Whether the states show a setting, and did not show it before the call. */
  const isShown = (
    instance: Instance,
    device: InstanceDevice,
    { input, type }: Setting,
    before: { readonly state: Readonly<Record<string, unknown>>; readonly isOn: boolean | undefined }
  ) => {
    if (device.switch !== null) {
      const isOn = isSwitchedOn(device, instance.entities)
      return isOn !== before.isOn && isOn === (input["operatingMode"] === "start-charging")
    }
    const state = stateNow(instance, device)
    return (
      confirmingFields.some((field) => state[field] !== before.state[field]) &&
      confirmByState(type, input, state, before.state) === "met"
    )
  }

  const isAlreadySet = (instance: Instance, device: InstanceDevice, { input, type }: Setting) => {
    if (device.switch === null) return isAlreadySo(type, input, stateNow(instance, device))
    // A switch may be on while nothing charges.
    return isSwitchedOn(device, instance.entities) === (input["operatingMode"] === "start-charging")
  }

  const findDevice = Effect.fnUntraced(function* (identity: string, instance: Instance, id: string) {
    const device = instance.devices().find((one) => manufacturerDeviceId(identity, one) === id)
    if (device === undefined) {
      return yield* AdapterError.of("unreachable", "Home Assistant does not have the device any more")
    }
    if (!isReachable(device, instance.entities)) {
      return yield* AdapterError.of("unreachable", "The device is unavailable in Home Assistant")
    }
    return device
  })

  const send = Effect.fnUntraced(function* (
    instance: Instance,
    identity: string,
    request: Setting & Pick<CommandRequest, "device">,
    forced?: Pick<CommandRequest, "saveSnapshot" | "snapshot">
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const device = yield* findDevice(identity, instance, request.device.manufacturerDeviceId)
    const plan = planCalls(device, instance.entities, instance.unit, request.type, request.input)
    if ("refused" in plan) {
      return yield* AdapterError.of("refused", plan.refused, { commandReason: "unsupported_value" })
    }
    const now = yield* Clock.currentTimeMillis
    const asked = { type: request.type, input: plan.input ?? request.input }
    const isPending = Math.abs(now - (unconfirmed.get(request.device.id) ?? -Infinity)) < EFFECT_WITHIN
    if (!isPending && isAlreadySet(instance, device, asked)) {
      return { status: "completed", reason: "already_so", output: null, upstream: null }
    }
    const isOn = isSwitchedOn(device, instance.entities)
    if (forced?.snapshot === null) yield* forced.saveSnapshot(yield* switchSnapshot(isOn))
    const before = { state: stateNow(instance, device), isOn }
    unconfirmed.set(request.device.id, now)
    yield* Effect.forEach(plan.calls, (call) => instance.session.call("call_service", call), { discard: true })
    const isDone = yield* Effect.gen(function* () {
      for (;;) {
        const events = instance.events()
        if (isShown(instance, device, asked, before)) return true
        yield* instance.moreThan(events)
      }
    }).pipe(
      Effect.raceFirst(instance.session.ended),
      Effect.timeoutOrElse({ duration: `${SHOWS_WITHIN} seconds`, orElse: () => Effect.succeed(false) }),
      // The service was called, whatever happens to the connection afterwards.
      Effect.catch(() => Effect.succeed(false))
    )
    if (isDone) unconfirmed.delete(request.device.id)
    return {
      status: isDone ? "completed" : "accepted",
      reason: null,
      output: null,
      upstream: null,
      ...(plan.input !== undefined && { sentInput: plan.input })
    }
  })

  return {
    authorization: {
      kind: "form",
      fields,
      connect: Effect.fnUntraced(function* (values) {
        const credentials: Credentials = yield* readForm(values)
        const { devices, name } = yield* open(credentials).pipe(
          Effect.map((instance) => ({ devices: instance.devices(), name: instance.name })),
          Effect.scoped,
          // A refusal is for the person to correct.
          Effect.mapError((error) =>
            ["grant_lost", "refused", "scope_missing"].includes(error.failure)
              ? AdapterError.of("misconfigured", error.message, { upstream: error.upstream })
              : error
          )
        )
        if (devices.length === 0) {
          return yield* wrongValue(
            "Home Assistant responds, but its energy dashboard names nothing, and it has no thermostat, water heater or labelled charger"
          )
        }
        const identity = identityFrom(credentials)
        return {
          externalId: identity,
          name: `${name.replaceAll(/\p{C}/gu, "").slice(0, 100)} at ${identity}`,
          credentials,
          expiresAt: null
        }
      })
    },
    discoverDevices: (account) =>
      withInstance(account, (instance) => Effect.succeed(listDevices(identityFrom(account.credentials), instance))),
    subscribe: (account, report) =>
      Effect.gen(function* () {
        const instance = yield* open(account.credentials)
        yield* Effect.acquireRelease(
          Effect.sync(() => live.set(account.id, instance)),
          () => Effect.sync(() => live.get(account.id) === instance && live.delete(account.id))
        )
        return yield* Effect.raceFirst(
          follow(identityFrom(account.credentials), instance, report),
          instance.session.ended
        )
      }).pipe(Effect.scoped),
    sendCommand: (account, request) =>
      withInstance(account, (instance) =>
        send(
          instance,
          identityFrom(account.credentials),
          request,
          isForcedMode(request.type, request.input, request.revertAfter) ? request : undefined
        )
      ),
    restore: (account, { device, snapshot }) =>
      Effect.flatMap(decodeSwitchSnapshot(snapshot), (input) =>
        withInstance(account, (instance) =>
          send(instance, identityFrom(account.credentials), { device, type: "charger:set-operating-mode", input })
        )
      ),
    confirms: ({ input, type }, { state }, before) => confirmByState(type, input, state, before)
  }
}
