import { Effect, Schema } from "effect"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import {
  commandAlreadyDone,
  commandDone,
  nothingToRestore,
  type RestoreRequest
} from "@edp/adapter-kit/modbus/ModbusDriver"
import type { HttpSession } from "./HttpSession.ts"
import {
  isSame,
  planCommand,
  planRestore,
  type PlannedStep,
  type SentSetting,
  settingPlaces,
  valueOfPlace
} from "./httpExchange.ts"
import type { HttpDevice, HttpTemplate } from "./HttpTemplate.ts"

const Value = Schema.Union([Schema.Finite, Schema.String, Schema.Boolean])

/** The settings from before a forced mode, by the places that show them. */
const Snapshot = Schema.Struct({ command: Schema.String, settings: Schema.Record(Schema.String, Value) })
type Snapshot = typeof Snapshot.Type

const accepted: CommandResult = { ...commandDone, status: "accepted" }

/** The device of a template that a command is for, and how it is reached. */
interface Target {
  readonly template: HttpTemplate
  readonly device: HttpDevice
  readonly session: HttpSession
}

/** Reads the places where settings are shown. */
const readSettings = Effect.fnUntraced(function* ({ device, session, template }: Target, slug: CommandSlug) {
  const places = settingPlaces(device, slug, template)
  const requests = new Set([...places.keys()].map((key) => key.slice(0, key.indexOf(" "))))
  const read = yield* session.readAll(requests)
  return new Map([...places].map(([key, place]) => [key, valueOfPlace(place, template, read)]))
})

const sendSteps = ({ session }: Target, steps: ReadonlyArray<PlannedStep>) =>
  Effect.forEach(steps, ({ request }) => session.send(request), { discard: true })

const areSo = (settings: ReadonlyArray<SentSetting>, shown: ReadonlyMap<string, unknown>) =>
  settings.every(({ key, value }) => isSame(shown.get(key), value))

/** Sends the requests; the command is complete if the device shows all of its settings afterwards. */
const sendAndConfirm = Effect.fnUntraced(function* (
  target: Target,
  slug: CommandSlug,
  steps: ReadonlyArray<PlannedStep>
) {
  yield* sendSteps(target, steps)
  const settings = steps.flatMap((step) => step.settings)
  if (!steps.every(({ isShown }) => isShown)) return accepted
  // A device that is busy with the command is read again by the platform.
  const shown = yield* Effect.option(readSettings(target, slug))
  return shown._tag === "Some" && areSo(settings, shown.value) ? commandDone : accepted
})

const decodeSnapshot = (snapshot: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(Snapshot)(snapshot), () =>
    AdapterError.of("contract", "The saved settings are not those of such a device", { commandReason: "refused" })
  )

/** Sets what a mode changed back, but for the settings of later commands, which stay as these left them. */
export const restoreSettings = Effect.fnUntraced(function* (target: Target, request: Omit<RestoreRequest, "device">) {
  const { command, settings } = yield* decodeSnapshot(request.snapshot)
  const slug = command as CommandSlug
  const saved: Record<string, Snapshot["settings"][string]> = { ...settings }
  for (const { input, type } of request.takenSince) {
    const plan = planCommand(target.device, type, input, target.template)
    if ("refused" in plan) continue
    for (const { key, value } of plan.steps.flatMap((step) => step.settings)) {
      if (Object.hasOwn(saved, key)) saved[key] = value
    }
  }
  return yield* sendAndConfirm(target, slug, planRestore(target.device, slug, saved, target.template))
})

/** Saves what the mode may change, before anything is sent. */
const saveSettings = Effect.fnUntraced(function* (
  slug: CommandSlug,
  shown: ReadonlyMap<string, unknown>,
  saveSnapshot: CommandRequest["saveSnapshot"]
) {
  const settings: Record<string, Snapshot["settings"][string]> = {}
  for (const [key, value] of shown) {
    if (!Schema.is(Value)(value)) {
      return yield* AdapterError.of("refused", `The device does not show the setting ${key}, so it can't be restored`, {
        commandReason: "precondition_unmet"
      })
    }
    settings[key] = value
  }
  yield* saveSnapshot({ command: slug, settings } satisfies Snapshot)
})

/** Sends a command to a device of a template. */
export const sendHttpCommand = Effect.fnUntraced(function* (
  target: Target,
  request: CommandRequest
): Effect.fn.Return<CommandResult, AdapterError> {
  const { input, revertAfter, snapshot, type } = request
  if (type === "battery:set-operating-mode" && input["operatingMode"] === "reset") {
    return snapshot === null ? yield* nothingToRestore : yield* restoreSettings(target, request)
  }
  const plan = planCommand(target.device, type, input, target.template)
  if ("refused" in plan) return yield* AdapterError.of("refused", plan.refused, { commandReason: "unsupported_value" })
  const settings = plan.steps.flatMap((step) => step.settings)
  const places = settingPlaces(target.device, type, target.template)
  const shown = places.size === 0 ? undefined : yield* readSettings(target, type)
  if (shown !== undefined && plan.steps.every((step) => step.isShown) && areSo(settings, shown)) {
    return commandAlreadyDone
  }
  if (isForcedMode(type, input, revertAfter) && snapshot === null) {
    yield* saveSettings(type, shown ?? new Map(), request.saveSnapshot)
  }
  return yield* sendAndConfirm(target, type, plan.steps)
})
