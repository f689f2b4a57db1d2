import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { modelValues } from "./modelValues.ts"
import type { SettingRegisters } from "@edp/adapter-kit/modbus/forcedMode"
import type { FoundModel } from "./walk.ts"
import {
  implementsPoint,
  planWrites,
  pointSetting,
  type PlanRefusal,
  type PlanResult,
  type RegisterWrite,
  writePoint
} from "./writePlan.ts"

export interface BatteryModeInput {
  readonly operatingMode: "charge" | "discharge" | "idle"
  /** Percent of charge that discharging keeps. */
  readonly minimumBatteryReserve?: number
  /** Percent of charge at which charging ends. */
  readonly maximumBatteryReserve?: number
  /** Whether charging may take energy from the grid. */
  readonly enableGridInteraction?: boolean
  /** W, only with charge and discharge; the greatest power without it. */
  readonly targetPowerW?: number
  /** Seconds after which the mode ends; without it the mode lasts until the settings are restored. */
  readonly revertAfter?: number
}

/** The longest time that an unsigned register of 16 bits holds, seconds. */
const MAX_SHORT_TIMER = 65_534
/** Both limits of `StorCtl_Mod`: bit 0 limits charging, bit 1 discharging. */
const BOTH_LIMITS = 3

const find = (models: ReadonlyArray<FoundModel>, id: number) => models.find((model) => model.id === id)

const unsupported = (message: string): PlanRefusal => ({ refused: "unsupported_value", message })

const storageControl = (models: ReadonlyArray<FoundModel>) => {
  const model = find(models, 124)
  return model !== undefined && ["StorCtl_Mod", "InWRte", "OutWRte"].every((point) => implementsPoint(model, point))
    ? model
    : undefined
}

const activePowerControl = (models: ReadonlyArray<FoundModel>) => {
  const model = find(models, 704)
  return model !== undefined && ["WSetEna", "WSet"].every((point) => implementsPoint(model, point)) ? model : undefined
}

const reservePoint = (models: ReadonlyArray<FoundModel>) => {
  const [basic, battery] = [find(models, 124), find(models, 802)]
  if (basic !== undefined && implementsPoint(basic, "MinRsvPct")) return { model: basic, point: "MinRsvPct" }
  if (battery !== undefined && implementsPoint(battery, "SoCRsvMin")) return { model: battery, point: "SoCRsvMin" }
  return undefined
}

/** The commands for which the battery of a map has registers. */
export const batteryCommands = (models: ReadonlyArray<FoundModel>): ReadonlyArray<CommandSlug> => [
  ...(reservePoint(models) === undefined ? [] : ["battery:set-reserve" as const]),
  ...(storageControl(models) === undefined && activePowerControl(models) === undefined
    ? []
    : ["battery:set-operating-mode" as const])
]

/** Writes the share of the charge that is kept for backup, percent. */
export const planReserve = (models: ReadonlyArray<FoundModel>, chargePercentage: number): PlanResult => {
  const target = reservePoint(models)
  if (target === undefined) return unsupported("The battery has no register for its reserve")
  if (!(chargePercentage >= 0 && chargePercentage <= 100)) return unsupported("The reserve must be 0 to 100 percent")
  return planWrites([writePoint(target.model, target.point, chargePercentage)])
}

const reserves = (
  models: ReadonlyArray<FoundModel>,
  { maximumBatteryReserve: maximum, minimumBatteryReserve: minimum }: BatteryModeInput
): ReadonlyArray<RegisterWrite | PlanRefusal> => {
  const lowest = reservePoint(models)
  const highest = find(models, 802)
  return [
    ...(minimum === undefined
      ? []
      : [
          lowest === undefined
            ? unsupported("The battery has no register for its lowest charge")
            : writePoint(lowest.model, lowest.point, minimum)
        ]),
    ...(maximum === undefined
      ? []
      : [
          highest === undefined || !implementsPoint(highest, "SocRsvMax")
            ? unsupported("The battery has no register for its highest charge")
            : writePoint(highest, "SocRsvMax", maximum)
        ])
  ]
}

/** The largest discharging power that a device reports, besides that of model 124, W. */
const largestDischarge = (models: ReadonlyArray<FoundModel>) => {
  const value = (id: number, point: string) => {
    const model = find(models, id)
    return model === undefined ? undefined : modelValues(model).number(point)
  }
  return [value(802, "WDisChaRteMax"), value(702, "WDisChaRteMax"), value(120, "MaxDisChaRte")].find(
    (watts) => watts !== undefined && watts > 0
  )
}

/** The powers of which the rates of model 124 are percentages, W. It has one for charging, and many devices mean it for both. */
const ratedRates = (models: ReadonlyArray<FoundModel>, model: FoundModel) => {
  const charge = modelValues(model).number("WChaMax")
  return charge === undefined || charge <= 0 ? undefined : { charge, discharge: largestDischarge(models) ?? charge }
}

/** Whether the battery of a map can charge and discharge with a power that a command gives. */
export const takesPower = (models: ReadonlyArray<FoundModel>): boolean => {
  const storage = storageControl(models)
  return storage === undefined ? activePowerControl(models) !== undefined : ratedRates(models, storage) !== undefined
}

const toPercent = (watts: number, rated: number) => Math.min(100, (100 * watts) / rated)

/**
 * Rates of model 124 in percent of the largest ones. A negative limit of one direction is the least power of the other: a
 * discharge limit of -100 % charges with full power, both limits at 0 hold the charge. Undefined for a power in watts where the
 * device does not tell its largest ones.
 */
const rates = (
  models: ReadonlyArray<FoundModel>,
  model: FoundModel,
  { operatingMode, targetPowerW }: BatteryModeInput
): { readonly InWRte: number; readonly OutWRte: number } | undefined => {
  if (operatingMode === "idle") return { InWRte: 0, OutWRte: 0 }
  const rated = targetPowerW === undefined ? { charge: 1, discharge: 1 } : ratedRates(models, model)
  if (rated === undefined) return undefined
  const watts = targetPowerW ?? 1
  const [charge, discharge] = [toPercent(watts, rated.charge), toPercent(watts, rated.discharge)]
  return operatingMode === "charge" ? { InWRte: charge, OutWRte: -discharge } : { InWRte: -charge, OutWRte: discharge }
}

const planByStorageControl = (
  models: ReadonlyArray<FoundModel>,
  model: FoundModel,
  input: BatteryModeInput
): PlanResult => {
  const hasTimer = implementsPoint(model, "InOutWRte_RvrtTms")
  const asked = input.revertAfter ?? 0
  // A timer that is too short would end the mode too early: then the platform alone ends it.
  const seconds = asked > MAX_SHORT_TIMER ? 0 : asked
  const isCharging = input.operatingMode === "charge"
  if (isCharging && input.enableGridInteraction !== true && !implementsPoint(model, "ChaGriSet")) {
    return unsupported("The battery cannot be limited to charging from solar power")
  }
  const share = rates(models, model, input)
  if (share === undefined) return unsupported("The battery does not report the power to which its rates refer")
  return planWrites(
    [
      // The limits are off while the rates change, so that no half-written pair of rates is in effect.
      writePoint(model, "StorCtl_Mod", 0),
      ...(isCharging && implementsPoint(model, "ChaGriSet")
        ? [writePoint(model, "ChaGriSet", input.enableGridInteraction === true ? 1 : 0)]
        : []),
      ...reserves(models, input),
      // 0 turns the timer off: one that an earlier mode left would end this one.
      ...(hasTimer ? [writePoint(model, "InOutWRte_RvrtTms", seconds)] : []),
      writePoint(model, "InWRte", share.InWRte),
      writePoint(model, "OutWRte", share.OutWRte),
      writePoint(model, "StorCtl_Mod", BOTH_LIMITS)
    ],
    hasTimer && seconds > 0 ? seconds : undefined
  )
}

/** The largest charging or discharging power that the device reports, W. */
const largestPower = (models: ReadonlyArray<FoundModel>, mode: "charge" | "discharge") => {
  const points =
    mode === "charge" ? ["WChaRteMax", "WChaRteMaxRtg", "WMax"] : ["WDisChaRteMax", "WDisChaRteMaxRtg", "WMax"]
  return [702, 802]
    .flatMap((id) => {
      const model = find(models, id)
      return model === undefined ? [] : points.map((point) => modelValues(model).number(point))
    })
    .find((watts) => watts !== undefined && watts > 0)
}

const planByActivePower = (
  models: ReadonlyArray<FoundModel>,
  model: FoundModel,
  input: BatteryModeInput
): PlanResult => {
  const mode = input.operatingMode
  if (mode === "charge" && input.enableGridInteraction !== true) {
    return unsupported("The battery cannot be limited to charging from solar power")
  }
  const watts = mode === "idle" ? 0 : (input.targetPowerW ?? largestPower(models, mode))
  if (watts === undefined) {
    return { refused: "precondition_unmet", message: "The device does not report its largest power" }
  }
  const revertAfter = input.revertAfter ?? 0
  const hasTimer = implementsPoint(model, "WSetRvrtTms")
  return planWrites(
    [
      writePoint(model, "WSetEna", 0),
      ...reserves(models, input),
      // 1 sets the power in watts, 0 would set it in percent.
      ...(implementsPoint(model, "WSetMod") ? [writePoint(model, "WSetMod", 1)] : []),
      // The device counts power that it feeds out as positive.
      writePoint(model, "WSet", mode === "charge" ? -watts : watts),
      ...(hasTimer && implementsPoint(model, "WSetEnaRvrt") ? [writePoint(model, "WSetEnaRvrt", 0)] : []),
      ...(hasTimer ? [writePoint(model, "WSetRvrtTms", revertAfter)] : []),
      writePoint(model, "WSetEna", 1)
    ],
    hasTimer && revertAfter > 0 ? revertAfter : undefined
  )
}

/** The writes of a forced mode: by model 124 where the battery has it, otherwise by model 704. Reset restores the snapshot. */
export const planOperatingMode = (models: ReadonlyArray<FoundModel>, input: BatteryModeInput): PlanResult => {
  const { maximumBatteryReserve: maximum, minimumBatteryReserve: minimum } = input
  if (minimum !== undefined && maximum !== undefined && minimum >= maximum) {
    return unsupported("The lowest charge must be below the highest")
  }
  const storage = storageControl(models)
  if (storage !== undefined) return planByStorageControl(models, storage, input)
  const power = activePowerControl(models)
  if (power !== undefined) return planByActivePower(models, power, input)
  return unsupported("The battery has no registers for its operating mode")
}

/**
 * The registers that forced modes change, in the order in which they are written first. All of them are saved before the first
 * mode, since another one over it may change more.
 */
export const forcedSettings = (models: ReadonlyArray<FoundModel>): ReadonlyArray<SettingRegisters> => {
  const storage = storageControl(models)
  const power = activePowerControl(models)
  const lowest = reservePoint(models)
  const battery = find(models, 802)
  const at = (model: FoundModel | undefined, ...points: ReadonlyArray<string>) =>
    model === undefined ? [] : points.map((point) => [model, point] as const)
  const limits = [...at(lowest?.model, lowest?.point ?? ""), ...at(battery, "SocRsvMax")]
  const written =
    storage !== undefined
      ? [
          ...at(storage, "StorCtl_Mod", "ChaGriSet"),
          ...limits,
          ...at(storage, "InOutWRte_RvrtTms", "InWRte", "OutWRte")
        ]
      : [...at(power, "WSetEna"), ...limits, ...at(power, "WSetMod", "WSet", "WSetEnaRvrt", "WSetRvrtTms")]
  return written.flatMap(([model, point]) => (implementsPoint(model, point) ? [pointSetting(model, point)] : []))
}
