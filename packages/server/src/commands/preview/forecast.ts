import type { CommandPreview, PreviewCode, PreviewReading } from "@edp/domain/commands/CommandPreview"
import { ratedPower } from "@edp/domain/commands/targetPower"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandDevice, CommandInput } from "../commandRow.ts"
import type { HomeReading } from "./HomeReadingsTable.ts"

/** A device as far as a forecast needs it. */
export type ForecastDevice = Pick<CommandDevice, "id" | "type" | "staticState" | "at" | "state">

/** An older reading tells nothing of the present, in milliseconds. */
const FRESH = 30 * 60_000
/** W at the grid connection that are no exchange. */
const NOISE = 50
/** Percent by which a battery stays from where it stops. */
const CLOSE = 0.5

type State = Readonly<Record<string, unknown>>

const number = (value: unknown) => (typeof value === "number" ? value : undefined)
const percent = (value: number) => `${Math.round(value * 10) / 10} %`
/** A power for users: 0.6 kW, or 80 W. */
const power = (watts: number) => (watts < 100 ? `${Math.round(watts)} W` : `${Math.round(watts / 100) / 10} kW`)

/** The power that the home needs beyond its solar power, and the readings that show it. */
interface Home {
  readonly watts: number
  readonly readings: ReadonlyArray<HomeReading>
}

/**
 * The power at the grid connection without the battery: from the battery's own fresh state, else from the meters of the site, else from
 * another device that sees it. Undefined where no fresh reading shows it.
 */
const findHome = (device: ForecastDevice, readings: ReadonlyArray<HomeReading>, now: number): Home | undefined => {
  const { chargeRate, gridPower: own } = device.state as State
  const rate = number(chargeRate)
  if (rate === undefined) return undefined
  if (typeof own === "number") return { watts: own + rate, readings: [] }
  const fresh = readings.filter(({ at, gridPower }) => gridPower !== null && now - at.getTime() <= FRESH)
  const meters = fresh.filter(({ type }) => type === "meter")
  const inverters = fresh.filter(({ type }) => type === "inverter").slice(0, 1)
  const used = [meters, inverters, fresh.slice(0, 1)].find((some) => some.length > 0)
  if (used === undefined) return undefined
  return { watts: used.reduce((sum, { gridPower }) => sum + gridPower!, rate), readings: used }
}

type Finding = Pick<CommandPreview, "outcome" | "code" | "sentence"> &
  Partial<Pick<CommandPreview, "powerW" | "exportW" | "energyWh" | "homeW" | "stopsAtPercentage">> & {
    readonly readings?: ReadonlyArray<HomeReading>
  }

const nothing = (code: PreviewCode, reason: string, more: Partial<Finding> = {}): Finding => ({
  outcome: "nothing",
  code,
  sentence: `Nothing would move: ${reason}.`,
  powerW: 0,
  exportW: 0,
  energyWh: 0,
  ...more
})

const unknown = (code: PreviewCode, sentence: string): Finding => ({ outcome: "unknown", code, sentence })

interface Bound {
  readonly code: PreviewCode
  readonly watts: number
}

const least = (bounds: ReadonlyArray<Bound | undefined>): Bound | undefined =>
  bounds.filter((bound) => bound !== undefined).toSorted((one, other) => one.watts - other.watts)[0]

/** The bounds of a power that a device and its command have by themselves. */
const ownBounds = (type: CommandSlug, input: CommandInput, staticState: object | null) => {
  const target = number(input["targetPowerW"])
  const { maximum } = ratedPower(type, input["operatingMode"], staticState)
  return [
    target === undefined ? undefined : { code: "target_power" as const, watts: target },
    maximum === undefined ? undefined : { code: "full_power" as const, watts: maximum }
  ]
}

const sayPower = (bound: Bound | undefined) => {
  if (bound === undefined) return "its maximum power, which it does not report"
  return bound.code === "full_power" ? `${power(bound.watts)}, its maximum` : power(bound.watts)
}

const capacityWh = (device: ForecastDevice, state: State) => {
  const known = number((device.staticState as State | null)?.["capacity"])
  const [charge, share] = [number(state["charge"]), number(state["chargePercentage"])]
  return known ?? (charge === undefined || share === undefined || share === 0 ? undefined : (charge * 100) / share)
}

const discharge = (device: ForecastDevice, state: State, input: CommandInput, home: Home | undefined): Finding => {
  const charge = number(state["chargePercentage"])
  const floor = number(input["minimumBatteryReserve"]) ?? number(state["backupReserve"]) ?? 0
  const withGrid = input["enableGridInteraction"] === true
  const shared = { stopsAtPercentage: floor, ...(home && { homeW: home.watts, readings: home.readings }) }
  if (charge !== undefined && charge <= floor + CLOSE) {
    const reason = `the battery is at ${percent(charge)}, and discharging stops at ${percent(floor)}`
    return nothing("battery_at_reserve", reason, shared)
  }
  if (!withGrid && home === undefined) {
    return unknown(
      "no_home_reading",
      "Export is off, so the battery would follow the use of the home. No reading of the last 30 minutes shows that use."
    )
  }
  if (!withGrid && home!.watts <= NOISE) {
    return nothing("export_not_allowed", "the home needs no power, and export is off", shared)
  }
  const bounds = ownBounds("battery:set-operating-mode", input, device.staticState)
  const bound = least([...bounds, withGrid ? undefined : { code: "follows_home", watts: home!.watts }])
  const exportW = bound === undefined || home === undefined ? undefined : Math.max(0, bound.watts - home.watts)
  const capacity = capacityWh(device, state)
  const why = withGrid ? "Export is on" : `The home uses ${power(home!.watts)} and export is off`
  const share = exportW !== undefined && exportW > NOISE ? `, of which ${power(exportW)} would go to the grid` : ""
  const stops = charge === undefined ? "" : ` It is at ${percent(charge)} and stops at ${percent(floor)}.`
  return {
    ...shared,
    outcome: "moves",
    code: bound?.code ?? "power_unknown",
    sentence: `${why}: the battery would deliver ${sayPower(bound)}${share}.${stops}`,
    ...(bound && { powerW: bound.watts }),
    ...(withGrid ? exportW !== undefined && { exportW } : { exportW: 0 }),
    ...(capacity !== undefined && charge !== undefined && { energyWh: (capacity * (charge - floor)) / 100 })
  }
}

const charge = (device: ForecastDevice, state: State, input: CommandInput, home: Home | undefined): Finding => {
  const present = number(state["chargePercentage"])
  const ceiling = number(input["maximumBatteryReserve"]) ?? 100
  const withGrid = input["enableGridInteraction"] === true
  const shared = {
    stopsAtPercentage: ceiling,
    exportW: 0,
    ...(home && { homeW: home.watts, readings: home.readings })
  }
  if (present !== undefined && present >= ceiling - CLOSE) {
    const reason = `the battery is at ${percent(present)}, and charging stops at ${percent(ceiling)}`
    return nothing("battery_full", reason, shared)
  }
  if (!withGrid && home === undefined) {
    return unknown(
      "no_home_reading",
      "Import is off, so the battery would take the solar surplus. No reading of the last 30 minutes shows that surplus."
    )
  }
  if (!withGrid && -home!.watts <= NOISE) {
    return nothing("import_not_allowed", "there is no solar surplus, and import is off", shared)
  }
  const bounds = ownBounds("battery:set-operating-mode", input, device.staticState)
  const bound = least([...bounds, withGrid ? undefined : { code: "follows_surplus", watts: -home!.watts }])
  const capacity = capacityWh(device, state)
  const why = withGrid ? "Import is on" : `The solar surplus is ${power(-home!.watts)} and import is off`
  const stops = present === undefined ? "" : ` It is at ${percent(present)} and stops at ${percent(ceiling)}.`
  return {
    ...shared,
    outcome: "moves",
    code: bound?.code ?? "power_unknown",
    sentence: `${why}: the battery would charge with ${sayPower(bound)}.${stops}`,
    ...(bound && { powerW: -bound.watts }),
    ...(capacity !== undefined && present !== undefined && { energyWh: (capacity * (ceiling - present)) / 100 })
  }
}

const startCharging = (type: CommandSlug, device: ForecastDevice, state: State, input: CommandInput): Finding => {
  const [present, limit] = [number(state["chargePercentage"]), number(state["chargeLimit"])]
  if (state["isPluggedIn"] === false) return nothing("not_plugged_in", "no vehicle is plugged in")
  if (present !== undefined && limit !== undefined && present >= limit - CLOSE) {
    return nothing("vehicle_full", `the vehicle is at ${percent(present)}, and its limit is ${percent(limit)}`)
  }
  const bound = least(ownBounds(type, input, device.staticState))
  return {
    outcome: "moves",
    code: bound?.code ?? "power_unknown",
    sentence: `Charging would start with ${sayPower(bound)}.`,
    ...(bound && { powerW: bound.watts })
  }
}

const thermostat = ({ coolTarget, heatTarget, operatingMode: mode }: CommandInput, state: State): Finding => {
  const [room, heat, cool] = [state["ambientTemperature"], heatTarget, coolTarget].map(number)
  const at = room === undefined ? "" : ` The room is at ${Math.round(room * 10) / 10} °F.`
  const isWarm = room !== undefined && heat !== undefined && room >= heat
  const isCool = room !== undefined && cool !== undefined && room <= cool
  if ((mode === "heat" && isWarm) || (mode === "cool" && isCool) || (mode === "auto" && isWarm && isCool)) {
    return nothing("target_reached", `the room is at ${Math.round(room! * 10) / 10} °F, so the target is reached`)
  }
  return { outcome: "setting", code: "setting", sentence: `The thermostat would get the mode ${String(mode)}.${at}` }
}

const setting = (sentence: string): Finding => ({ outcome: "setting", code: "setting", sentence })

const stops = (sentence: string): Finding => ({
  outcome: "setting",
  code: "stops",
  sentence,
  powerW: 0,
  exportW: 0
})

const find = (
  type: CommandSlug,
  input: CommandInput,
  device: ForecastDevice,
  home: () => Home | undefined
): Finding => {
  const state = device.state as State
  const mode = input["operatingMode"]
  switch (type) {
    case "battery:set-reserve": {
      const reserve = number(state["backupReserve"])
      const from = reserve === undefined ? "" : ` from ${percent(reserve)}`
      return setting(`The backup reserve would change${from} to ${percent(Number(input["chargePercentage"]))}.`)
    }
    case "battery:set-operating-mode":
      if (mode === "reset") return setting("The battery would get the settings from before the forced mode.")
      if (mode === "idle") return stops("The battery would neither charge nor discharge.")
      if (state["isStormModeActive"] === true) return nothing("storm_mode", "the battery keeps its charge for a storm")
      return (mode === "charge" ? charge : discharge)(device, state, input, home())
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return mode === "stop-charging" ? stops("Charging would stop.") : startCharging(type, device, state, input)
    case "thermostat:set-operating-mode":
      return thermostat(input, state)
    default:
      return setting("The device would get the setting; no power follows from it by itself.")
  }
}

const toReading = (
  { at, id, type }: { readonly at: Date; readonly id: string; readonly type: PreviewReading["type"] },
  now: number
): PreviewReading => ({
  deviceId: id,
  type,
  at: at.toISOString(),
  ageSeconds: Math.max(0, Math.round((now - at.getTime()) / 1000))
})

/**
 * The effect that a command would have on a device now, by its newest reading and those of the grid connection of its site. It claims nothing that no
 * reading of the last half an hour shows. The command is valid for the device.
 */
export const forecast = (
  type: CommandSlug,
  input: CommandInput,
  device: ForecastDevice,
  readings: ReadonlyArray<HomeReading>,
  now: number
): CommandPreview => {
  const { at, state } = device
  const finding =
    state === null || at === null
      ? unknown("no_reading", "The device has never reported, so it is not known what it would do.")
      : now - at.getTime() > FRESH
        ? unknown(
            "old_reading",
            "The newest reading of the device is older than 30 minutes: it does not show the present."
          )
        : find(type, input, device, () => findHome(device, readings, now))
  const whole = (value: number | null | undefined) => (value === null || value === undefined ? null : Math.round(value))
  return {
    outcome: finding.outcome,
    code: finding.code,
    sentence: finding.sentence,
    powerW: whole(finding.powerW),
    exportW: whole(finding.exportW),
    energyWh: whole(finding.energyWh),
    homeW: whole(finding.homeW),
    chargePercentage: number((state as State | null)?.["chargePercentage"]) ?? null,
    stopsAtPercentage: finding.stopsAtPercentage ?? null,
    gridAllowed: input["enableGridInteraction"] === true,
    readings: [
      ...(at === null ? [] : [toReading({ ...device, at }, now)]),
      ...(finding.readings ?? []).map((reading) => toReading({ ...reading, id: reading.deviceId }, now))
    ]
  }
}
