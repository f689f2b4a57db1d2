import { Effect, Schema } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import {
  commandAlreadyDone,
  commandDone,
  nothingToRestore,
  type RestoreRequest
} from "@edp/adapter-kit/modbus/ModbusDriver"
import { readTotals } from "./ensemble.ts"
import type { EnvoyGateway } from "./EnvoyGateway.ts"
import { type ModeInput, planMode, roundReserve } from "./planStorage.ts"
import { pages } from "./SiteReader.ts"
import { areSettings, readTariff, StorageSettings, storageSettings, withSettings } from "./tariff.ts"

/** Pauses before the settings are read back. */
const CHECKS = ["0 seconds", "2 seconds", "5 seconds"] as const

const unmet = (message: string) => AdapterError.of("refused", message, { commandReason: "precondition_unmet" })

const readSettings = Effect.fnUntraced(function* ({ read }: EnvoyGateway) {
  const tariff = readTariff(yield* read(pages.tariff))
  const settings = storageSettings(tariff)
  if (tariff === undefined || settings === undefined) {
    return yield* unmet("The gateway does not show the settings of the batteries")
  }
  return { tariff, settings }
})
type Shown = Effect.Success<ReturnType<typeof readSettings>>

/** Writes the whole tariff with the wanted settings in it, in one call, and waits until the gateway shows them. */
const writeSettings = Effect.fnUntraced(function* (gateway: EnvoyGateway, { tariff }: Shown, wanted: StorageSettings) {
  yield* gateway.write(pages.tariff, withSettings(tariff, wanted))
  for (const pause of CHECKS) {
    yield* Effect.sleep(pause)
    if (areSettings((yield* readSettings(gateway)).settings, wanted)) return
  }
  return yield* AdapterError.of("refused", "The gateway took the settings but does not show them", {
    commandReason: "contradicted_by_state"
  })
})

const decodeSnapshot = (snapshot: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(StorageSettings)(snapshot), () =>
    AdapterError.of("contract", "The saved settings are not those of an Enphase gateway", { commandReason: "refused" })
  )

/** Writes the settings from before a mode back, with a reserve that was set meanwhile. */
export const restoreStorage = Effect.fn("Enphase.restore")(function* (
  gateway: EnvoyGateway,
  { snapshot, takenSince }: Omit<RestoreRequest, "device">
): Effect.fn.Return<CommandResult, AdapterError> {
  const saved = yield* decodeSnapshot(snapshot)
  const taken = takenSince.find(({ type }) => type === "battery:set-reserve")?.input["chargePercentage"]
  const wanted = typeof taken === "number" ? { ...saved, reserve: roundReserve(taken) } : saved
  const shown = yield* readSettings(gateway)
  if (areSettings(shown.settings, wanted)) return commandAlreadyDone
  yield* writeSettings(gateway, shown, wanted)
  return commandDone
})

const setReserve = Effect.fnUntraced(function* (gateway: EnvoyGateway, { input }: CommandRequest) {
  const asked = input["chargePercentage"] as number
  const reserve = roundReserve(asked)
  const shown = yield* readSettings(gateway)
  const wanted = { ...shown.settings, reserve }
  if (areSettings(shown.settings, wanted)) return commandAlreadyDone
  yield* writeSettings(gateway, shown, wanted)
  return reserve === asked ? commandDone : { ...commandDone, sentInput: { chargePercentage: reserve } }
})

const setMode = Effect.fnUntraced(function* (gateway: EnvoyGateway, request: CommandRequest) {
  const { input, saveSnapshot, snapshot } = request
  if (input["operatingMode"] === "reset") {
    return snapshot === null ? yield* nothingToRestore : yield* restoreStorage(gateway, request)
  }
  const stored = snapshot === null ? null : yield* decodeSnapshot(snapshot)
  const totals = readTotals(yield* gateway.read(pages.totals))
  if (totals?.chargePercentage === undefined) return yield* unmet("The state of charge is not known")
  const shown = yield* readSettings(gateway)
  const before = stored ?? shown.settings
  const plan = planMode(input as unknown as ModeInput, before, totals.chargePercentage)
  if ("refused" in plan) return yield* AdapterError.of("refused", plan.refused, { commandReason: plan.reason })
  if (areSettings(shown.settings, plan.wanted)) return commandAlreadyDone
  if (stored === null) yield* saveSnapshot(shown.settings)
  yield* writeSettings(gateway, shown, plan.wanted)
  // The cloud of a battery that Enphase has planned may write its own settings again: then the power of the battery decides.
  return before.optimized === true ? ({ ...commandDone, status: "accepted" } as const) : commandDone
})

/** Sends a command to the batteries of a gateway. */
export const sendStorageCommand = Effect.fn("Enphase.sendCommand")(function* (
  gateway: EnvoyGateway,
  request: CommandRequest
): Effect.fn.Return<CommandResult, AdapterError> {
  const { device, type } = request
  if (device.type === "battery" && device.manufacturerDeviceId.endsWith("/battery")) {
    if (type === "battery:set-reserve") return yield* setReserve(gateway, request)
    if (type === "battery:set-operating-mode") return yield* setMode(gateway, request)
  }
  return yield* AdapterError.of("refused", `The device does not support ${type}`, {
    commandReason: "unsupported_value"
  })
})
