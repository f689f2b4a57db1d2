import { Schema } from "effect"
import { asNumber, isObject } from "@edp/adapter-kit/decoding/jsonPath"

/** The settings of the batteries that commands change, and that a forced mode restores. */
export const StorageSettings = Schema.Struct({
  mode: Schema.String,
  /** Percent. */
  reserve: Schema.Finite,
  chargeFromGrid: Schema.Boolean,
  /** Whether Enphase plans the battery; null for firmware without that. While it does, the batteries ignore `mode`. */
  optimized: Schema.NullOr(Schema.Boolean)
})
export type StorageSettings = typeof StorageSettings.Type

export const SELF_CONSUMPTION = "self-consumption"

/** Two words of firmware for one mode. */
const strategies: Readonly<Record<string, "self_consumption" | "time_of_use" | "backup">> = {
  [SELF_CONSUMPTION]: "self_consumption",
  economy: "time_of_use",
  "savings-mode": "time_of_use",
  backup: "backup"
}

export const strategyFor = (mode: string) => (Object.hasOwn(strategies, mode) ? strategies[mode] : undefined)

/** The tariff of `/admin/lib/tariff`, as it is written back; undefined if there is none. */
export const readTariff = (body: unknown): Readonly<Record<string, unknown>> | undefined => {
  const tariff: unknown = isObject(body) ? body["tariff"] : undefined
  return isObject(tariff) ? tariff : undefined
}

/** The battery's settings of a tariff; undefined where one is missing, as without batteries. */
export const storageSettings = (tariff: Readonly<Record<string, unknown>> | undefined): StorageSettings | undefined => {
  const shown: unknown = tariff?.["storage_settings"]
  if (!isObject(shown)) return undefined
  const { charge_from_grid: chargeFromGrid, mode, opt_schedules: optimized } = shown
  const reserve = asNumber(shown["reserved_soc"])
  if (typeof mode !== "string" || reserve === undefined || typeof chargeFromGrid !== "boolean") return undefined
  return { mode, reserve, chargeFromGrid, optimized: typeof optimized === "boolean" ? optimized : null }
}

/** The body that writes settings: the whole tariff as it was read, with these in place of its own. */
export const withSettings = (
  tariff: Readonly<Record<string, unknown>>,
  { chargeFromGrid, mode, optimized, reserve }: StorageSettings
) => ({
  tariff: {
    ...tariff,
    storage_settings: {
      ...(tariff["storage_settings"] as Readonly<Record<string, unknown>>),
      mode,
      reserved_soc: reserve,
      charge_from_grid: chargeFromGrid,
      ...(optimized !== null && { opt_schedules: optimized })
    }
  }
})

const savings = (mode: string) => strategyFor(mode) ?? mode

/** Whether settings are the wanted ones. The reserve has one decimal. */
export const areSettings = (shown: StorageSettings, wanted: StorageSettings): boolean =>
  savings(shown.mode) === savings(wanted.mode) &&
  Math.abs(shown.reserve - wanted.reserve) < 0.05 &&
  shown.chargeFromGrid === wanted.chargeFromGrid &&
  (wanted.optimized === null || shown.optimized === null || shown.optimized === wanted.optimized)
