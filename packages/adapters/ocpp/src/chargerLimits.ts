import { limitKeys, type Limit } from "./requests.ts"
import type { Connector, Session, Step } from "./Session.ts"
import { withSession } from "./connectors.ts"

/** Chargers know no current below 6 A (IEC 61851, SAE J1772): at 240 V of one phase, W. */
const LEAST_POWER = 1440

type LimitUnit = NonNullable<Session["limitUnit"]>

/** The limit of a connector for a power; undefined where the station takes none. */
export const chargerLimit = (
  { limitUnit }: Pick<Session, "limitUnit">,
  { wattsPerAmpere }: Pick<Connector, "wattsPerAmpere">,
  power: number
): Limit | undefined => {
  if (limitUnit === "W") return { unit: "W", value: power }
  // Amperes are those of each phase, and the number of phases is not reported: the meter has shown it.
  return limitUnit === "A" && wattsPerAmpere !== undefined
    ? { unit: "A", value: Math.floor((10 * power) / wattsPerAmpere) / 10 }
    : undefined
}

/** The static fields of a charger that takes powers; null for any other. */
export const powerStatic = (session: Session, connector: Connector): object | null =>
  chargerLimit(session, connector, LEAST_POWER) === undefined
    ? null
    : {
        takesTargetPower: true,
        minPower: LEAST_POWER,
        ...(connector.maxPower !== null && { maxPower: connector.maxPower })
      }

/** Watts before amperes, which depend on the number of phases. */
const preferred = (units: ReadonlyArray<LimitUnit>): LimitUnit | null =>
  units.includes("W") ? "W" : (units[0] ?? null)

const words = (text: string) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

const withUnit = (step: Step, limitUnit: LimitUnit | null): Step =>
  (step.session.limitUnit ?? null) === limitUnit ? step : withSession(step, { limitUnit })

/** The response of a station of 1.6 to the keys of its configuration. */
export const takeConfiguration = (step: Step, payload: Readonly<Record<string, unknown>>): Step => {
  const keys = Array.isArray(payload["configurationKey"]) ? payload["configurationKey"] : []
  const value = (name: (typeof limitKeys)[number]) => {
    const found = keys.find((one: { readonly key?: unknown } | null) => one?.key === name)?.value
    return typeof found === "string" ? words(found) : []
  }
  if (!value("SupportedFeatureProfiles").includes("SmartCharging")) return withUnit(step, null)
  const named = value("ChargingScheduleAllowedChargingRateUnit")
  const units = (["W", "A"] as const).filter((unit) => named.includes(unit === "W" ? "Power" : "Current"))
  return withUnit(step, preferred(units))
}

/** A variable of the inventory of 2.0.1. */
export const takeRateUnit = (step: Step, value: string | undefined): Step =>
  value === undefined
    ? step
    : withUnit(step, preferred(words(value).filter((unit): unit is LimitUnit => unit === "W" || unit === "A")))
