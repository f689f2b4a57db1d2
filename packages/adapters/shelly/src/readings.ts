import { type Observation, observe } from "@edp/adapter-kit/decoding/observation"
import type { ComponentKey, ComponentStatus, DeviceStatus } from "./deviceStatus.ts"

/** Cables and their electronics draw some watts while no vehicle charges. */
const CHARGING_ABOVE_WATTS = 50

type Named = Readonly<Record<string, unknown>>

const number = (status: ComponentStatus | undefined, name: string) => {
  const value = status?.[name]
  return typeof value === "number" ? value : undefined
}

const atLeastZero = (value: number | undefined) => (value === undefined ? undefined : Math.max(0, value))

/** The sum, if every part is known. */
const sum = (...parts: ReadonlyArray<number | undefined>) =>
  parts.reduce((total, part) => (total === undefined || part === undefined ? undefined : total + part), 0)

/**
 * The registers of a switch or PM1. What flows back counts in both: `aenergy` holds the sum of both directions. Two registers of
 * different minutes have no difference.
 */
const registers = (status: ComponentStatus): { readonly imported?: number; readonly exported?: number } => {
  const [all, returned] = [status["aenergy"], status["ret_aenergy"]]
  const total = typeof all === "object" ? number(all, "total") : undefined
  if (returned === undefined) return total === undefined ? {} : { imported: total }
  const back = typeof returned === "object" ? number(returned, "total") : undefined
  if (total === undefined || back === undefined || typeof all !== "object" || typeof returned !== "object") return {}
  if (all["minute_ts"] !== returned["minute_ts"]) return {}
  // Sums of three decimals, whose difference would have the errors of binary fractions.
  return { imported: Math.max(0, Math.round((total - back) * 1000) / 1000), exported: back }
}

const meterFields = ({ id, kind }: ComponentKey, status: DeviceStatus): Named => {
  const own = status.get(`${kind}:${id}`)
  if (own === undefined) return {}
  if (kind === "em") {
    const energy = status.get(`emdata:${id}`)
    const phases = ["a", "b", "c"].map((phase) => number(own, `${phase}_act_power`))
    return {
      power: number(own, "total_act_power") ?? sum(...phases),
      current: number(own, "total_current"),
      voltage: number(own, "a_voltage"),
      importedEnergy: number(energy, "total_act"),
      exportedEnergy: number(energy, "total_act_ret")
    }
  }
  if (kind === "em1") {
    const energy = status.get(`em1data:${id}`)
    return {
      power: number(own, "act_power"),
      current: number(own, "current"),
      voltage: number(own, "voltage"),
      importedEnergy: number(energy, "total_act_energy"),
      exportedEnergy: number(energy, "total_act_ret_energy")
    }
  }
  const { exported, imported } = registers(own)
  return {
    power: number(own, "apower"),
    current: number(own, "current"),
    voltage: number(own, "voltage"),
    importedEnergy: imported,
    exportedEnergy: exported
  }
}

const chargerFields = (own: ComponentStatus): Named => {
  const power = number(own, "apower")
  const { imported } = registers(own)
  const isCharging = power !== undefined && power > CHARGING_ABOVE_WATTS
  return {
    chargingState:
      own["output"] === false ? "idle" : power === undefined ? undefined : isCharging ? "charging" : "idle",
    chargerWattage: atLeastZero(power),
    chargerVoltage: atLeastZero(number(own, "voltage")),
    chargerCurrent: atLeastZero(number(own, "current")),
    lifetimeEnergyCharged: imported
  }
}

/** A component as the platform's reading shows it. */
export const observeComponent = (
  component: ComponentKey,
  type: "meter" | "charger",
  status: DeviceStatus
): Observation =>
  type === "charger"
    ? observe("charger", chargerFields(status.get(`${component.kind}:${component.id}`) ?? {}))
    : observe("meter", meterFields(component, status))
