import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { setBatteryMode, type SetBatteryMode, setReserve, type SetReserve } from "./batteryCommands.ts"
import { setChargingMode, type SetChargingMode } from "./charging.ts"
import { ceilToStep } from "./clock.ts"
import { accept, type Accepted, alreadySo, type Applied, type Issued, refuse, type Refused } from "./commandResult.ts"
import { type Fault, faultsInForce, findFault } from "./faults.ts"
import type { SiteProfile } from "./SiteProfile.ts"
import type { SiteState } from "./SiteState.ts"
import {
  pauseSchedule,
  resumeSchedule,
  setFanMode,
  type SetFanMode,
  setThermostatMode,
  type SetThermostatMode
} from "./thermostatCommands.ts"
import { asleepSince, isFull, setChargeLimit, type SetChargeLimit, WAKE_SECONDS } from "./vehicle.ts"

/** The inputs of the commands. */
export interface CommandInputs {
  readonly "battery:set-reserve": SetReserve
  readonly "battery:set-operating-mode": SetBatteryMode
  readonly "charger:set-operating-mode": SetChargingMode
  readonly "thermostat:set-operating-mode": SetThermostatMode
  readonly "thermostat:set-fan-mode": SetFanMode
  readonly "thermostat:pause-schedule": object
  readonly "thermostat:resume-schedule": object
  readonly "vehicle:check-pairing-status": object
  readonly "vehicle:set-charge-limit": SetChargeLimit
  readonly "vehicle:set-operating-mode": SetChargingMode
}

/** A command with its input. `revertAfter`: seconds after which a mode ends and the settings from before return. */
export type DeviceCommand = {
  readonly [Slug in CommandSlug]: {
    readonly type: Slug
    readonly input: CommandInputs[Slug]
    readonly revertAfter?: number
  }
}[CommandSlug]

/** The result of a command at a site. */
export type CommandResult =
  | (Omit<Accepted<unknown>, "state"> & { readonly latencySeconds: number })
  | (Refused & { readonly latencySeconds: number })

interface Given {
  readonly profile: SiteProfile
  readonly state: SiteState
  readonly issued: Issued
  readonly faults: ReadonlyArray<Fault>
}

/** Applies a change to one device's state and puts the new state into the site's. */
const within = <Key extends "battery" | "thermostat" | "vehicle">(
  { state }: Given,
  key: Key,
  applied: Applied<SiteState[Key]>
): Applied<SiteState> =>
  applied.status === "refused" ? applied : { ...applied, state: { ...state, [key]: applied.state } }

const applyToBattery = (
  given: Given,
  command: Extract<DeviceCommand, { type: `battery:${string}` }>
): Applied<SiteState> => {
  const { battery } = given.state
  if (battery === null || given.profile.battery === undefined) return refuse("refused")
  if (given.profile.battery.stormModeEnabled && findFault(given.faults, "storm_mode") !== undefined)
    return refuse("precondition_storm_mode")
  return within(
    given,
    "battery",
    command.type === "battery:set-reserve"
      ? setReserve(battery, command.input)
      : setBatteryMode(battery, command.input, given.issued)
  )
}

const applyToThermostat = (
  given: Given,
  command: Extract<DeviceCommand, { type: `thermostat:${string}` }>
): Applied<SiteState> => {
  const profile = given.profile.thermostat
  const { thermostat } = given.state
  if (thermostat === null || profile === undefined) return refuse("refused")
  switch (command.type) {
    case "thermostat:set-operating-mode":
      return within(given, "thermostat", setThermostatMode(profile, thermostat, command.input, given.issued))
    case "thermostat:set-fan-mode":
      return within(given, "thermostat", setFanMode(profile, thermostat, command.input))
    case "thermostat:pause-schedule":
      return within(given, "thermostat", pauseSchedule(thermostat))
    case "thermostat:resume-schedule":
      return within(given, "thermostat", resumeSchedule(profile, thermostat))
  }
}

/** Starts or stops the session at home, for the charger and for the vehicle. A command wakes the vehicle. */
const applyToSession = (given: Given, input: SetChargingMode): Applied<SiteState> => {
  const { vehicle } = given.state
  if (vehicle === null || given.profile.vehicle === undefined) {
    return input.operatingMode === "stop-charging" ? alreadySo(given.state) : refuse("precondition_not_plugged_in")
  }
  const applied = setChargingMode(vehicle.session, input, given.issued, {
    isPluggedIn: vehicle.plug === "home",
    isFull: isFull(given.profile.vehicle, vehicle)
  })
  if (applied.status === "refused") return applied
  const isChanged = applied.reason === null
  const next = { ...vehicle, session: applied.state, activeAt: isChanged ? given.issued.at : vehicle.activeAt }
  return within(given, "vehicle", isChanged ? accept(next) : alreadySo(next))
}

const applyToVehicle = (
  given: Given,
  command: Extract<DeviceCommand, { type: `vehicle:${string}` }>
): Applied<SiteState> => {
  const profile = given.profile.vehicle
  const { vehicle } = given.state
  if (vehicle === null || profile === undefined) return refuse("refused")
  const paired = vehicle.keyPaired && findFault(given.faults, "key_not_paired") === undefined
  if (command.type === "vehicle:check-pairing-status")
    return { ...accept(given.state), output: { paired, required: profile.keyRequired } }
  if (profile.keyRequired && !paired) return refuse("pairing_required")
  if (command.type === "vehicle:set-charge-limit") {
    const applied = setChargeLimit(vehicle, command.input)
    return applied.status === "refused" || applied.reason !== null
      ? within(given, "vehicle", applied)
      : within(given, "vehicle", accept({ ...applied.state, activeAt: given.issued.at }))
  }
  // A public charger takes no orders from the owner's account.
  const isInPublic =
    vehicle.plug === "public" && (vehicle.power > 0 || command.input.operatingMode === "start-charging")
  return isInPublic ? refuse("precondition_unmet") : applyToSession(given, command.input)
}

const applyByType = (given: Given, deviceId: string, command: DeviceCommand): Applied<SiteState> => {
  const { battery, charger, thermostat, vehicle } = given.profile
  switch (command.type) {
    case "battery:set-reserve":
    case "battery:set-operating-mode":
      return battery?.device.id === deviceId ? applyToBattery(given, command) : refuse("refused")
    case "thermostat:set-operating-mode":
    case "thermostat:set-fan-mode":
    case "thermostat:pause-schedule":
    case "thermostat:resume-schedule":
      return thermostat?.device.id === deviceId ? applyToThermostat(given, command) : refuse("refused")
    case "charger:set-operating-mode":
      return charger?.device.id === deviceId ? applyToSession(given, command.input) : refuse("refused")
    case "vehicle:check-pairing-status":
    case "vehicle:set-charge-limit":
    case "vehicle:set-operating-mode":
      return vehicle?.device?.id === deviceId ? applyToVehicle(given, command) : refuse("refused")
  }
}

/** Time until the device responds, seconds: slowness, and a vehicle that must wake. */
const latency = ({ faults, profile, state, issued }: Given, deviceId: string, command: DeviceCommand): number => {
  const { vehicle } = state
  const isWoken =
    vehicle !== null &&
    profile.vehicle?.device?.id === deviceId &&
    command.type !== "vehicle:check-pairing-status" &&
    asleepSince(vehicle, issued.at) !== null
  return (findFault(faults, "slow")?.latencySeconds ?? 0) + (isWoken ? WAKE_SECONDS : 0)
}

/** Applies a command at its time. A refused command changes nothing. */
export const applyCommand = (
  profile: SiteProfile,
  state: SiteState,
  deviceId: string,
  command: DeviceCommand,
  at: number
): { readonly state: SiteState; readonly result: CommandResult } => {
  const until = command.revertAfter === undefined ? null : ceilToStep(at + command.revertAfter * 1000)
  const faults = faultsInForce(state.faults, deviceId, at)
  const given: Given = { profile, state, issued: { at, until }, faults }
  const latencySeconds = latency(given, deviceId, command)
  const refusal = findFault(
    faults.filter((fault) => fault.kind !== "refuses_command" || (fault.command ?? command.type) === command.type),
    "refuses_command"
  )
  const applied =
    findFault(faults, "offline") !== undefined
      ? refuse("unreachable")
      : refusal !== undefined
        ? refuse(refusal.reason)
        : applyByType(given, deviceId, command)
  if (applied.status === "refused") return { state, result: { ...applied, latencySeconds } }
  const { status, reason, output } = applied
  return { state: applied.state, result: { status, reason, output, latencySeconds } }
}
