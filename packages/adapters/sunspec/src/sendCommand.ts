import { Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import {
  beginForcedMode,
  endForcedMode,
  holdsAlready,
  type SettingRegisters,
  writeVerified
} from "@edp/adapter-kit/modbus/forcedMode"
import {
  commandAlreadyDone,
  commandDone,
  type DriverAccount,
  nothingToRestore,
  type OpenUnit,
  type RestoreRequest
} from "@edp/adapter-kit/modbus/ModbusDriver"
import { type BatteryModeInput, forcedSettings, planOperatingMode, planReserve } from "./commands.ts"
import { readMemory, type SunSpecConfig, type SunSpecUnit } from "./SunSpecConfig.ts"
import { deviceId, readUnit } from "./units.ts"
import type { FoundModel } from "./walk.ts"
import { isRefused, type PlanResult, type WritePlan } from "./writePlan.ts"

const accepted = (result: PlanResult): Effect.Effect<WritePlan, AdapterError> =>
  isRefused(result)
    ? Effect.fail(AdapterError.of("refused", result.message, { commandReason: result.refused }))
    : Effect.succeed(result)

/** Ids and lengths of models at their addresses: a snapshot holds for registers that are still the same. */
const landmarks = (models: ReadonlyArray<FoundModel>, settings: ReadonlyArray<SettingRegisters>) =>
  models
    .filter(({ address, length }) =>
      settings.some((place) => place.address > address && place.address <= address + length + 1)
    )
    .map(({ address, id, length }) => ({ address, words: [id, length] }))

/** The map of a unit, if the device is still the linked one. */
const readMap = (open: OpenUnit, { config, memory }: DriverAccount<SunSpecConfig>, unit: SunSpecUnit) =>
  Effect.map(readUnit(open, config, unit, readMemory(memory).models[String(unit.unitId)]), ({ map }) => map)

/** Writes the settings from before a forced mode back. The first unit indicates whether the device is still the linked one. */
export const restore = Effect.fnUntraced(function* (
  open: OpenUnit,
  account: DriverAccount<SunSpecConfig>,
  { snapshot, takenSince }: RestoreRequest
) {
  const { units } = account.config
  yield* readMap(open, account, units[0]!)
  const reserve = takenSince.find(({ type }) => type === "battery:set-reserve")
  yield* endForcedMode(
    open,
    snapshot,
    Effect.fnUntraced(function* (unitId) {
      const unit = units.find((one) => one.unitId === unitId)
      if (reserve === undefined || unit === undefined) return []
      const { models } = yield* readMap(open, account, unit)
      return (yield* accepted(planReserve(models, Number(reserve.input["chargePercentage"])))).writes
    })
  )
  return commandDone
})

/** Executes a command of a battery by its registers, and completes it when they hold what was written. */
export const sendCommand = Effect.fnUntraced(function* (
  open: OpenUnit,
  account: DriverAccount<SunSpecConfig>,
  request: CommandRequest
): Effect.fn.Return<CommandResult, AdapterError> {
  const { config, externalId } = account
  const unit = config.units.find((one) => deviceId(externalId, one, "battery") === request.device.manufacturerDeviceId)
  if (unit === undefined)
    return yield* AdapterError.of("refused", "The device takes no commands by SunSpec", {
      commandReason: "unsupported_value"
    })
  const { input, revertAfter, snapshot, type } = request
  if (type === "battery:set-operating-mode" && input["operatingMode"] === "reset") {
    return snapshot === null ? yield* nothingToRestore : yield* restore(open, account, request)
  }
  const { models } = yield* readMap(open, account, unit)
  const target = open(unit.unitId)
  if (type === "battery:set-reserve") {
    const { writes } = yield* accepted(planReserve(models, Number(input["chargePercentage"])))
    if (yield* holdsAlready(target, writes)) return commandAlreadyDone
    yield* writeVerified(target, writes)
    return commandDone
  }
  if (type === "battery:set-operating-mode") {
    const mode = { ...(input as unknown as BatteryModeInput), ...(revertAfter === null ? {} : { revertAfter }) }
    const plan = yield* accepted(planOperatingMode(models, mode))
    const settings = forcedSettings(models)
    yield* beginForcedMode(
      target,
      { unitId: unit.unitId, landmarks: landmarks(models, settings), settings, writes: plan.writes },
      request
    )
    return commandDone
  }
  return yield* AdapterError.of("refused", `SunSpec does not support ${type}`, { commandReason: "unsupported_value" })
})
