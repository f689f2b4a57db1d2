import { Effect } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { CommandRequest, CommandResult } from "../ManufacturerAdapter.ts"
import { beginForcedMode, endForcedMode, holdsAlready, writeVerified } from "../modbus/forcedMode.ts"
import { commandAlreadyDone, commandDone, type DriverAccount, type OpenUnit } from "../modbus/ModbusDriver.ts"
import { type BatteryModeInput, planOperatingMode, planReserve } from "./commands.ts"
import { readMemory, type SunSpecConfig } from "./SunSpecConfig.ts"
import { deviceId, readUnit } from "./units.ts"
import type { FoundModel } from "./walk.ts"
import { isRefused, type PlanResult, type WritePlan } from "./writePlan.ts"

const accepted = (result: PlanResult): Effect.Effect<WritePlan, AdapterError> =>
  isRefused(result)
    ? Effect.fail(AdapterError.of("refused", result.message, { commandReason: result.refused }))
    : Effect.succeed(result)

/** Ids and lengths of models at their addresses: a snapshot holds for registers that are still the same. */
const landmarks = (models: ReadonlyArray<FoundModel>, { writes }: WritePlan) =>
  models
    .filter(({ address, length }) =>
      writes.some((write) => write.address > address && write.address <= address + length + 1)
    )
    .map(({ address, id, length }) => ({ address, words: [id, length] }))

/** Executes a command of a battery by its registers, and completes it when they hold what was written. */
export const sendCommand = Effect.fnUntraced(function* (
  open: OpenUnit,
  { config, externalId, memory }: DriverAccount<SunSpecConfig>,
  request: CommandRequest
): Effect.fn.Return<CommandResult, AdapterError> {
  const unit = config.units.find((one) => deviceId(externalId, one, "battery") === request.device.manufacturerDeviceId)
  if (unit === undefined) return yield* AdapterError.of("refused", "The device takes no commands by SunSpec")
  const { input, revertAfter, snapshot, type } = request
  if (type === "battery:set-operating-mode" && input["operatingMode"] === "reset") {
    if (snapshot === null) {
      return yield* AdapterError.of("refused", "There are no settings to return to", {
        commandReason: "precondition_unmet"
      })
    }
    yield* endForcedMode(open, snapshot)
    return commandDone
  }
  const { models } = (yield* readUnit(open, config, unit, readMemory(memory).places[String(unit.unitId)])).map
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
    yield* beginForcedMode(
      target,
      { unitId: unit.unitId, landmarks: landmarks(models, plan), writes: plan.writes },
      request
    )
    return commandDone
  }
  return yield* AdapterError.of("refused", `SunSpec has no command ${type}`)
})
