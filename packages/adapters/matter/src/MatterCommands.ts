import { Clock, Effect, Schema } from "effect"
import { confirmByState, confirmingFields, isAlreadySo } from "@edp/domain/commands/confirmByState"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import type { MatterDevice } from "./describeNode.ts"
import type { Endpoints } from "./endpoints.ts"
import type { MatterController } from "./MatterController.ts"
import { isReachable, observeDevice } from "./observeDevice.ts"
import { type ChargingSetting, chargingSetting, planCalls, planCharging, wantedCharging } from "./planCalls.ts"

/** Seconds within which a node reports a new setting. */
const SHOWS_WITHIN = 5
/** For this many milliseconds after a call whose effect no state has shown, the next call is always made. */
const EFFECT_WITHIN = 15 * 60_000

/** The setting of a station from before a forced mode. */
const ChargingSnapshot = Schema.Struct({
  isEnabled: Schema.Boolean,
  until: Schema.NullOr(Schema.Number),
  minimum: Schema.NullOr(Schema.Number),
  maximum: Schema.NullOr(Schema.Number)
})

interface Found {
  readonly device: MatterDevice
  readonly endpoints: Endpoints
}

const alreadySo: CommandResult = { status: "completed", reason: "already_so", output: null, upstream: null }

const refuse = (message: string) =>
  Effect.fail(AdapterError.of("refused", message, { commandReason: "unsupported_value" }))

const isSame = (one: ChargingSetting, other: ChargingSetting) =>
  one.isEnabled === other.isEnabled &&
  (!one.isEnabled || (one.until === other.until && one.maximum === other.maximum && one.minimum === other.minimum))

/**
 * Sends commands to the devices of nodes.
 *
 * @param lookUp A device of a node by its id, with the newest attributes.
 */
export const makeCommands = <Credentials>(
  lookUp: (controller: MatterController, credentials: Credentials, id: string) => Found | undefined
) => {
  /** When a call was made whose effect no state has shown yet, by the platform's id of the device. */
  const unconfirmed = new Map<string, number>()

  const find = Effect.fnUntraced(function* (controller: MatterController, credentials: Credentials, id: string) {
    const found = lookUp(controller, credentials, id)
    if (found === undefined) return yield* AdapterError.of("unreachable", "The node does not have the device any more")
    if (!isReachable(found.device, found.endpoints)) {
      return yield* AdapterError.of("unreachable", "The bridge of the device does not reach it")
    }
    return found
  })

  /** Makes the calls, and waits until the attributes show their effect. */
  const carryOut = Effect.fnUntraced(function* (
    controller: MatterController,
    deviceId: string,
    calls: Parameters<MatterController["call"]>[0][],
    isShown: () => boolean
  ) {
    unconfirmed.set(deviceId, yield* Clock.currentTimeMillis)
    yield* Effect.forEach(calls, controller.call, { discard: true })
    const isDone = yield* Effect.gen(function* () {
      for (;;) {
        const count = controller.arrivals.count()
        if (isShown()) return true
        yield* controller.arrivals.moreThan(count)
      }
    }).pipe(Effect.timeoutOrElse({ duration: `${SHOWS_WITHIN} seconds`, orElse: () => Effect.succeed(false) }))
    if (isDone) unconfirmed.delete(deviceId)
    return isDone
  })

  const isPending = (deviceId: string) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => Math.abs(now - (unconfirmed.get(deviceId) ?? -Infinity)) < EFFECT_WITHIN
    )

  const result = (isDone: boolean): CommandResult => ({
    status: isDone ? "completed" : "accepted",
    reason: null,
    output: null,
    upstream: null
  })

  const charge = Effect.fnUntraced(function* (
    controller: MatterController,
    credentials: Credentials,
    deviceId: string,
    platformId: string,
    wanted: ChargingSetting,
    before: ChargingSetting | undefined
  ) {
    const { device } = yield* find(controller, credentials, deviceId)
    const isDone = yield* carryOut(controller, platformId, [...planCharging(device, wanted)], () => {
      const found = lookUp(controller, credentials, deviceId)
      const now = found === undefined ? undefined : chargingSetting(found.device, found.endpoints)
      return now !== undefined && now.isEnabled === wanted.isEnabled && (before === undefined || !isSame(now, before))
    })
    return result(isDone)
  })

  const sendToCharger = Effect.fnUntraced(function* (
    controller: MatterController,
    credentials: Credentials,
    { device: linked, input, revertAfter }: CommandRequest,
    { device, endpoints }: Found,
    forced: Pick<CommandRequest, "saveSnapshot" | "snapshot"> | undefined
  ) {
    const before = chargingSetting(device, endpoints)
    if (before === undefined) {
      return yield* AdapterError.of("refused", "The station is in a fault or a diagnosis, and takes no command", {
        commandReason: "precondition_unmet"
      })
    }
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    // The station's own timer ends the charge. It can't return to another charge, so it is set only where none was enabled.
    const saved = forced?.snapshot ?? null
    const wasEnabled = Schema.is(ChargingSnapshot)(saved) ? saved.isEnabled : before.isEnabled
    const until = forced !== undefined && revertAfter !== null && !wasEnabled ? now + revertAfter : null
    const wanted = wantedCharging(device, endpoints, input, until)
    if (typeof wanted === "string") return yield* refuse(wanted)
    if (!(yield* isPending(linked.id)) && isSame(before, wanted)) return alreadySo
    if (forced?.snapshot === null) yield* forced.saveSnapshot(before)
    return yield* charge(controller, credentials, linked.manufacturerDeviceId, linked.id, wanted, before)
  })

  const send = Effect.fnUntraced(function* (
    controller: MatterController,
    credentials: Credentials,
    request: CommandRequest,
    forced?: Pick<CommandRequest, "saveSnapshot" | "snapshot">
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const { device: linked, input, type } = request
    const found = yield* find(controller, credentials, linked.manufacturerDeviceId)
    if (type === "charger:set-operating-mode" && found.device.type === "charger") {
      return yield* sendToCharger(controller, credentials, request, found, forced)
    }
    const plan = planCalls(found.device, found.endpoints, type, input)
    if ("refused" in plan) return yield* refuse(plan.refused)
    const asked = plan.input ?? input
    const stateNow = () => {
      const present = lookUp(controller, credentials, linked.manufacturerDeviceId)
      return (present === undefined ? {} : observeDevice(present.device, present.endpoints).state) as Readonly<
        Record<string, unknown>
      >
    }
    const before = stateNow()
    if (!(yield* isPending(linked.id)) && isAlreadySo(type, asked, before)) return alreadySo
    const isDone = yield* carryOut(controller, linked.id, [...plan.calls], () => {
      const state = stateNow()
      return (
        confirmingFields.some((field) => state[field] !== before[field]) &&
        confirmByState(type, asked, state, before) === "met"
      )
    })
    return { ...result(isDone), ...(plan.input !== undefined && { sentInput: plan.input }) }
  })

  const restore = Effect.fnUntraced(function* (
    controller: MatterController,
    credentials: Credentials,
    { device: linked, snapshot }: Pick<CommandRequest, "device" | "snapshot">
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const saved = yield* Effect.mapError(Schema.decodeUnknownEffect(ChargingSnapshot)(snapshot), () =>
      AdapterError.of("contract", "The saved settings are not those of a charging station", {
        commandReason: "refused"
      })
    )
    const { device, endpoints } = yield* find(controller, credentials, linked.manufacturerDeviceId)
    const now = (yield* Clock.currentTimeMillis) / 1000
    // A charge that its own timer would have ended by now stays ended.
    const isOver = saved.isEnabled && saved.until !== null && saved.until <= now
    const wanted = isOver ? { ...saved, isEnabled: false } : saved
    const before = chargingSetting(device, endpoints)
    if (before !== undefined && !(yield* isPending(linked.id)) && isSame(before, wanted)) return alreadySo
    return yield* charge(controller, credentials, linked.manufacturerDeviceId, linked.id, wanted, before)
  })

  return { send, restore }
}
