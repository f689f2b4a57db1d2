import type { CommandPreview, PreviewCode } from "@edp/domain/commands/CommandPreview"
import type { DispatchPreview, DispatchPreviewGroup, LeftOutCode } from "@edp/domain/dispatches/DispatchPreview"

/** A device of an enrolled site and what the dispatch would do to it; a site without a device has none. */
export interface PreviewedDevice {
  readonly siteId: string
  readonly deviceId: string | null
  /** Whether a positive power discharges. */
  readonly isBattery: boolean
  readonly expected: Pick<CommandPreview, "outcome" | "code" | "powerW" | "energyWh"> | LeftOutCode
  /** The power that it draws now, W. */
  readonly drawsW: number
}

const sentences: Readonly<Record<PreviewCode | LeftOutCode, string>> = {
  follows_home: "The batteries would deliver what their homes use; export is off.",
  follows_surplus: "The batteries would charge with the solar surplus; import is off.",
  full_power: "The devices would move with their maximum power.",
  target_power: "The devices would move with the asked power.",
  power_unknown: "The devices would move with a maximum power that they do not report.",
  export_not_allowed: "Nothing would move: the home needs no power, and export is off.",
  import_not_allowed: "Nothing would move: there is no solar surplus, and import is off.",
  battery_full: "Nothing would move: the battery is charged to where charging stops.",
  battery_at_reserve: "Nothing would move: the battery is at the charge at which discharging stops.",
  storm_mode: "Nothing would move: the battery keeps its charge for a storm.",
  not_plugged_in: "Nothing would move: no vehicle is plugged in.",
  vehicle_full: "Nothing would move: the vehicle is charged to its limit.",
  target_reached: "Nothing would move: the room has the target temperature.",
  stops: "The devices would stop, or stay idle.",
  setting: "The devices would get the setting.",
  no_reading: "Not known: the device has never reported.",
  old_reading: "Not known: the newest reading of the device is older than 30 minutes.",
  no_home_reading: "Not known: no reading of the last 30 minutes shows the use of the home.",
  no_device: "The site has no connected device of a type with an action.",
  not_able: "The device does not take the command.",
  settings_unknown: "The thermostat has not reported its settings, which could not be restored.",
  site_limit: "The power limit of the site has no room.",
  held_by_user: "A mode of a user holds the device at the start."
}

const outcomeAndCode = ({ expected }: PreviewedDevice) =>
  typeof expected === "string"
    ? ({ outcome: "left_out", code: expected } as const)
    : { outcome: expected.outcome, code: expected.code }

const sum = (values: ReadonlyArray<number>) => Math.round(values.reduce((all, value) => all + value, 0))
const sitesIn = (devices: ReadonlyArray<PreviewedDevice>) => new Set(devices.map(({ siteId }) => siteId)).size

const group = (devices: ReadonlyArray<PreviewedDevice>): DispatchPreviewGroup => {
  const { code, outcome } = outcomeAndCode(devices[0]!)
  return {
    outcome,
    code,
    sentence: sentences[code],
    sites: sitesIn(devices),
    devices: devices.filter(({ deviceId }) => deviceId !== null).length,
    examples: devices.slice(0, 10).map(({ deviceId, siteId }) => ({ siteId, deviceId }))
  }
}

type Sums = Pick<
  DispatchPreview,
  "sitesReached" | "devicesReached" | "dischargeW" | "chargeW" | "stoppedW" | "dischargeWh" | "powerUnknown" | "groups"
>

/** The sums of what the devices would do in an interval of a length. A figure that is not known is in no sum. */
export const previewSums = (devices: ReadonlyArray<PreviewedDevice>, durationSeconds: number): Sums => {
  const groups = Map.groupBy(devices, (device) => Object.values(outcomeAndCode(device)).join(" "))
  const reached = devices.filter(
    ({ expected }) => typeof expected !== "string" && (expected.outcome === "moves" || expected.outcome === "setting")
  )
  const moving = devices.flatMap(({ expected, isBattery }) => {
    if (typeof expected === "string" || expected.outcome !== "moves" || expected.powerW === null) return []
    const { energyWh, powerW } = expected
    return { energyWh: energyWh ?? Infinity, discharges: isBattery && powerW > 0, watts: Math.abs(powerW) }
  })
  const discharging = moving.filter(({ discharges }) => discharges)
  return {
    sitesReached: sitesIn(reached),
    devicesReached: reached.length,
    dischargeW: sum(discharging.map(({ watts }) => watts)),
    chargeW: sum(moving.filter(({ discharges }) => !discharges).map(({ watts }) => watts)),
    stoppedW: sum(
      devices
        .filter(({ expected }) => typeof expected !== "string" && expected.code === "stops")
        .map(({ drawsW }) => drawsW)
    ),
    dischargeWh: sum(discharging.map(({ energyWh, watts }) => Math.min((watts * durationSeconds) / 3600, energyWh))),
    powerUnknown: devices.filter(
      ({ expected }) => typeof expected !== "string" && expected.outcome !== "setting" && expected.powerW === null
    ).length,
    groups: [...groups.values()].map(group).toSorted((one, other) => other.sites - one.sites)
  }
}
