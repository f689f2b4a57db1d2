import type { SetPointControl } from "@edp/adapter-kit/broker/BrokerDevice"
import type { ReadTopic } from "@edp/adapter-kit/decoding/messages"
import {
  fieldValue,
  toSettings,
  valueIn,
  valueTopic,
  type VictronField,
  type VictronService,
  writeValue
} from "./victronServices.ts"

/**
 * The power at the grid that ESS keeps in place of the user's own set-point, W, positive for import: "used by DynamicEss to override the AC
 * Power setpoint" (https://github.com/victronenergy/venus/wiki/dbus). It is held in memory, and dropped some minutes after the last message.
 */
const SET_POINT = "Overrides/Setpoint"
const DYNAMIC_ESS = "Settings/DynamicEss/Mode"
const ESS_MODE = "Settings/CGwacs/Hub4Mode"
const ESS_STATE = "Settings/CGwacs/BatteryLife/State"
/** Something else controls the inverters. */
const EXTERNAL_CONTROL = 3
const KEEP_CHARGED = 9

/** A fraction of the time for which ESS keeps it, so that the battery follows the use of the home. */
const EVERY_SECONDS = 10

/** The services and values that decide on the set-point. */
export interface EssServices {
  readonly system: VictronService
  /** The service of the ESS. */
  readonly hub4: VictronService
  readonly gridPower: VictronField
  /** The power of the battery, positive for discharging. */
  readonly chargeRate: VictronField
  /** The greatest power of the battery, W. */
  readonly power: number
}

export const setPointTopics = ({ hub4, system }: Pick<EssServices, "hub4" | "system">): ReadonlyArray<string> => [
  valueTopic(hub4, SET_POINT),
  ...[DYNAMIC_ESS, ESS_MODE, ESS_STATE].map((path) => valueTopic(toSettings(system), path))
]

/** Why ESS follows no set-point now. */
const obstacle = (system: VictronService, read: ReadTopic): string | undefined => {
  const setting = (path: string) => valueIn(read(valueTopic(toSettings(system), path)))
  const dynamic = setting(DYNAMIC_ESS)
  if (typeof dynamic === "number" && dynamic !== 0) {
    return "Dynamic ESS controls the battery: turn it off in the settings of the GX device"
  }
  if (setting(ESS_MODE) === EXTERNAL_CONTROL) return "ESS is in the mode external control, and follows no set-point"
  if (setting(ESS_STATE) === KEEP_CHARGED) return "ESS is in the mode keep batteries charged, and follows no set-point"
  return undefined
}

/**
 * The power at the grid with which the battery charges or discharges as it was asked to. What the home uses beyond its generation is the power at
 * the grid with that of the battery added, whatever is generated where.
 */
export const gridSetPoint = (
  inputs: Readonly<Record<string, unknown>>,
  { chargeRate, gridPower }: { readonly chargeRate: number; readonly gridPower: number },
  power: number
): number | undefined => {
  const { enableGridInteraction, operatingMode, targetPowerW } = inputs
  const used = gridPower + chargeRate
  const wanted = Math.min(power, typeof targetPowerW === "number" ? targetPowerW : power)
  const usesGrid = enableGridInteraction === true
  switch (operatingMode) {
    case "charge":
      return Math.round(used + (usesGrid ? wanted : Math.min(wanted, Math.max(0, -used))))
    case "discharge":
      return Math.round(used - (usesGrid ? wanted : Math.min(wanted, Math.max(0, used))))
    case "idle":
      return Math.round(used)
    default:
      return undefined
  }
}

/** Modes of the battery by the set-point of ESS. */
export const victronSetPoint = (services: EssServices): SetPointControl => {
  const { hub4, power, system } = services
  return {
    everySeconds: EVERY_SECONDS,
    compute: (inputs, read) => {
      const refused = obstacle(system, read)
      if (refused !== undefined) return { refused }
      const [gridPower, chargeRate] = [services.gridPower, services.chargeRate].map((one) =>
        fieldValue(system, one, read)
      )
      if (typeof gridPower !== "number" || typeof chargeRate !== "number") {
        return { refused: "The GX device does not report the power of the grid or of the battery" }
      }
      return (
        gridSetPoint(inputs, { gridPower, chargeRate }, power) ?? {
          refused: `The battery does not take the mode ${String(inputs["operatingMode"])}`
        }
      )
    },
    message: (setPoint) => writeValue(hub4, SET_POINT, setPoint),
    shown: (read) => {
      const value = valueIn(read(valueTopic(hub4, SET_POINT)))
      return value === null || typeof value === "number" ? value : undefined
    }
  }
}
