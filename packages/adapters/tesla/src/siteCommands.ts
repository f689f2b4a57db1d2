import { type LiveStatus, orNull, type SiteInfo } from "./responses.ts"
import { type Plan, type PlannedCall, post, rejected, type SiteSettings } from "./plans.ts"

/** Inputs as the domain's commands have them; percents. */
export interface ReserveInput {
  readonly chargePercentage: number
}

export interface BatteryModeInput {
  readonly operatingMode: "charge" | "discharge" | "idle" | "reset"
  readonly minimumBatteryReserve?: number
  readonly maximumBatteryReserve?: number
  readonly enableGridInteraction?: boolean
}

export interface SiteContext {
  readonly energySiteId: string
  readonly info: SiteInfo
  readonly live: LiveStatus
  /** Whether Tesla may still show the settings from before a command that it took just now. */
  readonly isSettling?: boolean
}

const shownSettings = ({ info, isSettling = false }: SiteContext) => (isSettling ? null : siteSettings(info))

/** The settings that a forced mode may touch; null where Tesla leaves out one of those that must be restored. */
export const siteSettings = ({
  backup_reserve_percent,
  components,
  default_real_mode
}: SiteInfo): SiteSettings | null => {
  const backupReserve = orNull(backup_reserve_percent)
  const mode = orNull(default_real_mode)
  return backupReserve === null || mode === null
    ? null
    : {
        backupReserve,
        mode,
        exportRule: orNull(components?.customer_preferred_export_rule),
        // Tesla names it where it was ever disallowed.
        chargeFromGridDisallowed: components?.disallow_charge_from_grid_with_solar_installed ?? false
      }
}

/** The calls that bring a site to settings, in this order: what the grid may do, the reserve, the mode. */
const writes = (
  energySiteId: string,
  present: SiteSettings | null,
  wanted: Partial<SiteSettings>
): ReadonlyArray<PlannedCall> => {
  const path = `/api/1/energy_sites/${encodeURIComponent(energySiteId)}`
  const { backupReserve, chargeFromGridDisallowed, exportRule, mode } = wanted
  const changes = <K extends keyof SiteSettings>(field: K) =>
    wanted[field] !== undefined && wanted[field] !== null && wanted[field] !== present?.[field]
  const grid = {
    ...(changes("exportRule") ? { customer_preferred_export_rule: exportRule } : {}),
    ...(changes("chargeFromGridDisallowed")
      ? { disallow_charge_from_grid_with_solar_installed: chargeFromGridDisallowed }
      : {})
  }
  return [
    ...(Object.keys(grid).length === 0 ? [] : [post("read", `${path}/grid_import_export`, grid)]),
    ...(changes("backupReserve") ? [post("read", `${path}/backup`, { backup_reserve_percent: backupReserve })] : []),
    ...(changes("mode") ? [post("read", `${path}/operation`, { default_real_mode: mode })] : [])
  ]
}

/** The calls that bring a site back to settings: those of a forced mode in reverse order, without what is so already. */
export const restoringCalls = (
  energySiteId: string,
  info: SiteInfo,
  stored: SiteSettings
): ReadonlyArray<PlannedCall> => writes(energySiteId, siteSettings(info), stored).toReversed()

const stormHolds = (live: LiveStatus) => live.storm_mode_active === true

const STORM = "Storm mode is charging the battery; it ends with the storm or in the Tesla app"

/** The reserve that a site takes: whole percent. */
export const reservePercent = ({ chargePercentage }: ReserveInput): number => Math.round(chargePercentage)

/** The plan of battery:set-reserve. While storm mode holds the charge, Tesla raises the reserve itself. */
export const planReserve = (site: SiteContext, input: ReserveInput): Plan => {
  const { energySiteId, info, isSettling = false, live } = site
  const backupReserve = reservePercent(input)
  if (stormHolds(live)) return rejected("precondition_storm_mode", STORM)
  if (!isSettling && info.backup_reserve_percent === backupReserve) return { _tag: "AlreadySo" }
  return { _tag: "Calls", calls: writes(energySiteId, null, { backupReserve }), snapshot: null }
}

/**
 * The settings of a forced mode. Tesla has no set-point in W: a reserve above the state of charge charges, one below lets the
 * battery discharge into the home, an equal one holds it. With grid interaction the battery may also charge from the grid,
 * or export by the tariff's schedule.
 */
const forcedSettings = (
  {
    maximumBatteryReserve = 100,
    minimumBatteryReserve = 0,
    enableGridInteraction = false,
    operatingMode
  }: BatteryModeInput,
  stateOfCharge: number
): Partial<SiteSettings> => {
  switch (operatingMode) {
    case "charge":
      return {
        backupReserve: Math.round(maximumBatteryReserve),
        mode: "self_consumption",
        ...(enableGridInteraction ? { chargeFromGridDisallowed: false } : {})
      }
    case "discharge":
      return {
        backupReserve: Math.round(minimumBatteryReserve),
        mode: enableGridInteraction ? "autonomous" : "self_consumption",
        ...(enableGridInteraction ? { exportRule: "battery_ok" } : {})
      }
    default:
      return { backupReserve: Math.round(stateOfCharge), mode: "self_consumption" }
  }
}

/**
 * The plan of battery:set-operating-mode.
 *
 * @param stored The snapshot from before the first forced mode that still holds. A further mode keeps it; reset restores it.
 */
export const planBatteryMode = (site: SiteContext, input: BatteryModeInput, stored: SiteSettings | null): Plan => {
  const { energySiteId, info, live } = site
  const present = siteSettings(info)
  const stateOfCharge = orNull(live.percentage_charged)
  if (input.operatingMode === "reset") {
    if (stored === null) return rejected("precondition_unmet", "There are no settings to restore")
    const calls = restoringCalls(energySiteId, info, stored)
    return calls.length === 0 ? { _tag: "AlreadySo" } : { _tag: "Calls", calls, snapshot: null }
  }
  if (stormHolds(live)) return rejected("precondition_storm_mode", STORM)
  if (present === null) return rejected("precondition_unmet", "The present settings are not known")
  if (stateOfCharge === null) return rejected("precondition_unmet", "The state of charge is not known")
  const wanted = forcedSettings(input, stateOfCharge)
  if (input.operatingMode === "charge" && stateOfCharge >= wanted.backupReserve!)
    return rejected("precondition_unmet", "The battery is charged as far as it may be")
  if (input.operatingMode === "discharge" && stateOfCharge <= wanted.backupReserve!)
    return rejected("precondition_unmet", "The battery is discharged as far as it may be")
  if (wanted.exportRule !== undefined && (stored ?? present).exportRule === null)
    return rejected("precondition_unmet", "Tesla does not name the export rule, so it could not be restored")
  const calls = writes(energySiteId, shownSettings(site), wanted)
  return calls.length === 0
    ? { _tag: "AlreadySo" }
    : {
        _tag: "Calls",
        calls,
        snapshot: stored ?? present
      }
}

/** Whether a site shows settings; those that Tesla does not name are left out of account. */
export const showsSettings = (wanted: Partial<SiteSettings>, info: SiteInfo): boolean => {
  const present = siteSettings(info)
  return (
    present !== null &&
    (Object.keys(wanted) as ReadonlyArray<keyof SiteSettings>).every(
      (field) => wanted[field] === null || present[field] === wanted[field]
    )
  )
}
