import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { choiceBefore } from "../physics/charging.ts"
import type { DeviceCommand } from "../physics/commands.ts"
import type { SiteEvent } from "../physics/simulate.ts"
import type { SiteState } from "../physics/SiteState.ts"
import type { ThermostatSettings } from "../physics/thermostat.ts"

/** Settings that a command changes, as the events that write them back in this order. JSON. */
export type Settings = ReadonlyArray<SiteEvent>

/** Whether a snapshot is one that `settingsBefore` made: only this adapter writes them. */
export const isSettings = (snapshot: unknown): snapshot is Settings =>
  Array.isArray(snapshot) && snapshot.every((event) => typeof event === "object" && event !== null && "type" in event)

/** Settings with those that commands have changed since as these commands left them. */
export const withTaken = (settings: Settings, taken: CommandRequest["takenSince"]): Settings =>
  settings.map((event) => {
    const later = event.type === "command" && taken.find(({ type }) => type === event.command.type)
    // The platform has checked the input against the type.
    return later ? { ...event, command: later as unknown as DeviceCommand } : event
  })

const back = (deviceId: string, command: DeviceCommand): SiteEvent => ({ type: "command", deviceId, command })

const schedules = {
  paused: ["thermostat:pause-schedule"],
  running: ["thermostat:resume-schedule"],
  // The targets are held until the next period, as after any command.
  hold: [],
  none: []
} as const satisfies Record<ThermostatSettings["schedule"], ReadonlyArray<CommandSlug>>

/** The settings of a device that a command of a type changes. */
export const settingsBefore = (
  { battery, thermostat, vehicle }: SiteState,
  deviceId: string,
  type: CommandSlug
): Settings => {
  switch (type) {
    case "battery:set-reserve":
    case "battery:set-operating-mode": {
      if (battery === null) return []
      const chargePercentage = (
        battery.forced === null ? battery.settings : (battery.saved?.settings ?? battery.settings)
      ).backupReserve
      const reserve = back(deviceId, { type: "battery:set-reserve", input: { chargePercentage } })
      const reset = back(deviceId, { type: "battery:set-operating-mode", input: { operatingMode: "reset" } })
      return type === "battery:set-reserve" ? [reserve] : [reset, reserve]
    }
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return vehicle === null ? [] : [{ type: "session_restored", ...choiceBefore(vehicle.session) }]
    case "vehicle:set-charge-limit":
      return vehicle === null ? [] : [back(deviceId, { type, input: { chargeLimit: vehicle.chargeLimit } })]
    case "thermostat:set-operating-mode":
    case "thermostat:pause-schedule":
    case "thermostat:resume-schedule": {
      if (thermostat === null) return []
      const { coolTarget, heatTarget, mode, schedule } = thermostat.revert?.to ?? thermostat.settings
      return [
        back(deviceId, {
          type: "thermostat:set-operating-mode",
          input: { operatingMode: mode, heatTarget, coolTarget }
        }),
        ...schedules[schedule].map((slug) => back(deviceId, { type: slug, input: {} }))
      ]
    }
    case "thermostat:set-fan-mode":
      return thermostat === null ? [] : [back(deviceId, { type, input: { fanMode: thermostat.fanMode } })]
    case "vehicle:check-pairing-status":
      return []
  }
}
