import type { CommandSlug } from "../devices/DeviceType.ts"

type Fields = Readonly<Record<string, unknown>>

export interface PowerRange {
  readonly minimum?: number
  readonly maximum?: number
}

/** The modes with which a power can be asked for, by command. */
export const powerModes = {
  "battery:set-operating-mode": ["charge", "discharge"],
  "charger:set-operating-mode": ["start-charging"],
  "vehicle:set-operating-mode": ["start-charging"]
} as const satisfies Partial<Record<CommandSlug, ReadonlyArray<string>>>

type PowerCommandSlug = keyof typeof powerModes

export const isPowerCommand = (type: CommandSlug): type is PowerCommandSlug => Object.hasOwn(powerModes, type)

/** Whether a device takes `targetPowerW` with this command. */
export const takesTargetPower = (type: CommandSlug, staticState: object | null | undefined): boolean =>
  isPowerCommand(type) && (staticState as Fields | null | undefined)?.["takesTargetPower"] === true

const positive = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined

/** The powers between which a device charges or discharges, W, as far as they are known: its rated ones. */
export const ratedPower = (
  type: CommandSlug,
  operatingMode: unknown,
  staticState: object | null | undefined
): PowerRange => {
  const known = (staticState ?? {}) as Fields
  const range = (minimum: unknown, maximum: unknown): PowerRange => {
    const [least, most] = [positive(minimum), positive(maximum)]
    return { ...(least !== undefined && { minimum: least }), ...(most !== undefined && { maximum: most }) }
  }
  switch (type) {
    case "battery:set-operating-mode":
      return range(undefined, known[operatingMode === "discharge" ? "maxDischargeRate" : "maxChargeRate"])
    case "charger:set-operating-mode":
      return range(known["minPower"], known["maxPower"])
    case "vehicle:set-operating-mode":
      return range(known["minChargeRate"], known["maxChargeRate"])
    default:
      return {}
  }
}

/** The range of `targetPowerW` in all modes of a command; each mode of a battery may have a narrower one. */
export const targetPowerLimits = (type: CommandSlug, staticState: object | null | undefined): PowerRange => {
  const modes: ReadonlyArray<string> = isPowerCommand(type) ? powerModes[type] : []
  const ranges = modes.map((mode) => ratedPower(type, mode, staticState))
  const maxima = ranges.flatMap(({ maximum }) => (maximum === undefined ? [] : [maximum]))
  const minimum = ranges[0]?.minimum
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maxima.length > 0 && maxima.length === ranges.length && { maximum: Math.max(...maxima) })
  }
}
