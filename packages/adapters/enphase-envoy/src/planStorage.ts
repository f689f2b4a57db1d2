import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { SELF_CONSUMPTION, type StorageSettings } from "./tariff.ts"

/** Input of battery:set-operating-mode, percents. */
export interface ModeInput {
  readonly operatingMode: "charge" | "discharge" | "idle"
  readonly minimumBatteryReserve?: number
  readonly maximumBatteryReserve?: number
  readonly enableGridInteraction?: boolean
}

export type StoragePlan =
  | { readonly wanted: StorageSettings }
  | { readonly refused: string; readonly reason: CommandReason }

/** A reserve as the gateway keeps it: with one decimal. */
export const roundReserve = (percent: number): number => Math.round(percent * 10) / 10

/**
 * The settings of a mode. The gateway takes no power: a reserve above the state of charge charges, one below lets the batteries discharge
 * into the home, an equal one holds them. Enphase's own planning is switched off, because the batteries ignore the mode while it is on.
 *
 * @param before The settings from before the first mode that still holds.
 */
export const planMode = (
  { enableGridInteraction = false, maximumBatteryReserve = 100, minimumBatteryReserve, operatingMode }: ModeInput,
  before: StorageSettings,
  chargePercentage: number
): StoragePlan => {
  const settings = (reserve: number, chargeFromGrid: boolean): StoragePlan => ({
    wanted: {
      mode: SELF_CONSUMPTION,
      reserve: roundReserve(reserve),
      chargeFromGrid,
      optimized: before.optimized === null ? null : false
    }
  })
  if (operatingMode === "idle") return settings(chargePercentage, false)
  if (operatingMode === "charge") {
    return chargePercentage >= maximumBatteryReserve
      ? { refused: "The batteries are charged as far as they may be", reason: "precondition_unmet" }
      : settings(maximumBatteryReserve, enableGridInteraction)
  }
  const least = minimumBatteryReserve ?? before.reserve
  return chargePercentage <= least
    ? { refused: "The batteries are discharged as far as they may be", reason: "precondition_unmet" }
    : settings(least, false)
}
