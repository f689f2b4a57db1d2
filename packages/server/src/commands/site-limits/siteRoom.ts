import { isPowerCommand, ratedPower, takesTargetPower } from "@edp/domain/commands/targetPower"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandInput } from "../commandRow.ts"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"

/** A command of a device that has not ended. */
export const OpenMode = Schema.Struct({
  input: JsonColumn<CommandInput>(),
  /** Milliseconds since 1970. */
  startsAt: Schema.Finite
})
export type OpenMode = typeof OpenMode.Type

/** A device of a site with limits, and what it was commanded to do. */
export const SiteDevice = Schema.Struct({
  id: Schema.String,
  siteId: Schema.String,
  type: Schema.Literals(["battery", "charger", "vehicle"]),
  staticState: Schema.NullOr(JsonColumn<object>()),
  at: Schema.NullOr(Schema.Date),
  state: Schema.NullOr(JsonColumn<object>()),
  /** Those whose time has come or comes soon, by time. */
  open: Schema.Array(OpenMode),
  /** The input of the command that forced the mode that holds. */
  forced: Schema.NullOr(JsonColumn<CommandInput>())
})
export type SiteDevice = typeof SiteDevice.Type

/** The power limits of a site, W; null is without limit. */
export const PowerLimits = Schema.Struct({
  maxImportW: Schema.NullOr(Schema.Finite),
  maxExportW: Schema.NullOr(Schema.Finite)
})
export type PowerLimits = typeof PowerLimits.Type

export interface ModeCommand {
  readonly deviceId: string
  readonly type: CommandSlug
  readonly input: CommandInput
}

/** The powers that a device draws and exports at most, W. Infinity: nobody knows. */
interface Share {
  readonly draws: number
  readonly exports: number
}

const nothing: Share = { draws: 0, exports: 0 }

/** A reading counts as the present one for this time, in milliseconds. */
const PRESENT = 15 * 60_000

/** The measured power of a device that charges or discharges, W. */
const measured = (device: SiteDevice, direction: "charging" | "discharging"): number | undefined => {
  const { chargeRate, chargerWattage, chargingState } = (device.state ?? {}) as Readonly<Record<string, unknown>>
  const power = device.type === "battery" ? chargeRate : chargerWattage
  return chargingState === direction && typeof power === "number" && power !== 0 ? Math.abs(power) : undefined
}

const modeSlug = ({ type }: SiteDevice): CommandSlug => `${type}:set-operating-mode`

/** The share that a mode asks for: its target power, else its rated one, else the one that it shows. */
const asked = (device: SiteDevice, { enableGridInteraction, operatingMode, targetPowerW }: CommandInput): Share => {
  const rated = ratedPower(modeSlug(device), operatingMode, device.staticState).maximum
  const power = typeof targetPowerW === "number" ? targetPowerW : rated
  switch (operatingMode) {
    case "charge":
    case "start-charging":
      return { draws: power ?? measured(device, "charging") ?? Infinity, exports: 0 }
    case "discharge":
      return enableGridInteraction === true
        ? { draws: 0, exports: power ?? measured(device, "discharging") ?? Infinity }
        : nothing
    default:
      return nothing
  }
}

/** The share of a device without a command, by its newest reading. One that has not reported lately draws nothing. */
const observed = (device: SiteDevice, now: number): Share => {
  const { at, state } = device
  const isPresent = at !== null && now - at.getTime() <= PRESENT
  if (!isPresent || (state as { readonly chargingState?: string } | null)?.chargingState !== "charging") return nothing
  const rated = ratedPower(modeSlug(device), "charge", device.staticState).maximum
  return { draws: measured(device, "charging") ?? rated ?? Infinity, exports: 0 }
}

/** The power that a device has already: of what holds now, or of what begins soon if that is more. */
export const presentShare = (device: SiteDevice, now: number): Share => {
  const due = device.open.findLast(({ startsAt }) => startsAt <= now)
  const mode = due?.input ?? device.forced
  const shares = [
    mode === null ? observed(device, now) : asked(device, mode),
    ...device.open.filter(({ startsAt }) => startsAt > now).map(({ input }) => asked(device, input))
  ]
  return {
    draws: Math.max(...shares.map(({ draws }) => draws)),
    exports: Math.max(...shares.map((share) => share.exports))
  }
}

const sum = (shares: Iterable<Share>, direction: keyof Share) =>
  Array.from(shares, (share) => share[direction]).reduce((total, watts) => total + watts, 0)

const whole = (watts: number) => Math.max(0, Math.floor(watts))

/**
 * The commands that fit into a site's limits, one after another by the id of the device; those that draw and export nothing always do.
 * A command that asks for more than is left gets less where its device takes a power, and is left out otherwise: then the device goes
 * on as before. So what is asked of all devices exceeds a limit only if it did before, and no command adds to that.
 */
export const fitSite = <C extends ModeCommand>(
  limits: PowerLimits,
  devices: ReadonlyArray<SiteDevice>,
  commands: ReadonlyArray<C>,
  now: number
): ReadonlyMap<C, C | undefined> => {
  const known = new Map(devices.map((device) => [device.id, device]))
  const shares = new Map(devices.map((device) => [device.id, presentShare(device, now)]))
  const fitted = new Map<C, C | undefined>()

  /** The power that is left for a device in a direction. */
  const room = (deviceId: string, direction: keyof Share) => {
    const limit = direction === "draws" ? limits.maxImportW : limits.maxExportW
    if (limit === null) return Infinity
    const others = [...shares].filter(([id]) => id !== deviceId).map(([, share]) => share)
    return limit - sum(others, direction)
  }

  const lowered = (device: SiteDevice, command: C, left: number): C | undefined => {
    const { maximum = Infinity, minimum = 1 } = ratedPower(
      command.type,
      command.input["operatingMode"],
      device.staticState
    )
    const power = whole(Math.min(left, maximum))
    if (!takesTargetPower(command.type, device.staticState) || power < Math.max(1, minimum)) return undefined
    return { ...command, input: { ...command.input, targetPowerW: power } }
  }

  const fit = (device: SiteDevice, command: C): C | undefined => {
    const wanted = asked(device, command.input)
    const direction = wanted.exports > 0 ? "exports" : "draws"
    const left = room(device.id, direction)
    const isMore = wanted[direction] > shares.get(device.id)![direction]
    return wanted[direction] <= left || !isMore ? command : lowered(device, command, left)
  }

  const judge = (command: C) => {
    const device = known.get(command.deviceId)
    if (device === undefined || command.type !== modeSlug(device) || !isPowerCommand(command.type)) {
      fitted.set(command, command)
      return
    }
    const fits = fit(device, command)
    fitted.set(command, fits)
    if (fits !== undefined) shares.set(device.id, asked(device, fits.input))
  }

  const needsNothing = (command: C) => {
    const device = known.get(command.deviceId)
    return device === undefined || Math.max(...Object.values(asked(device, command.input))) === 0
  }
  const ordered = commands.toSorted((one, other) =>
    one.deviceId < other.deviceId ? -1 : one.deviceId > other.deviceId ? 1 : 0
  )
  // Devices that stop make room for those that begin.
  for (const command of ordered.filter(needsNothing)) judge(command)
  for (const command of ordered.filter((one) => !needsNothing(one))) judge(command)
  return fitted
}
