import type { CommandSlug } from "@edp/domain/devices/DeviceType"

type Input = Readonly<Record<string, unknown>>

const thermostatModes: Readonly<Record<string, Input>> = {
  heat: { heatTarget: 68 },
  cool: { coolTarget: 76 },
  auto: { heatTarget: 67, coolTarget: 77 },
  eco: {},
  off: {}
}

const listed = (state: object | null, field: string, otherwise: ReadonlyArray<string>): ReadonlyArray<string> => {
  const value = (state as Readonly<Record<string, unknown>> | null)?.[field]
  return Array.isArray(value) ? value.filter((one) => otherwise.includes(one)) : otherwise
}

const forced = { minimumBatteryReserve: 10, maximumBatteryReserve: 90, enableGridInteraction: false }

/** Inputs of a command that the platform lets through for a device with this static state. */
export const validInputs = (slug: CommandSlug, staticState: object | null): ReadonlyArray<Input> => {
  switch (slug) {
    case "battery:set-reserve":
      return [{ chargePercentage: 0 }, { chargePercentage: 35 }, { chargePercentage: 100 }]
    case "battery:set-operating-mode":
      return [
        { operatingMode: "charge", ...forced, executionPriority: "grid_services" },
        { operatingMode: "discharge", ...forced, executionPriority: "baseline" },
        { operatingMode: "idle", enableGridInteraction: false },
        { operatingMode: "reset", enableGridInteraction: false }
      ]
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return [{ operatingMode: "start-charging" }, { operatingMode: "stop-charging" }]
    case "thermostat:set-operating-mode":
      return listed(staticState, "allowedModes", Object.keys(thermostatModes)).map((operatingMode) => ({
        operatingMode,
        ...thermostatModes[operatingMode]
      }))
    case "thermostat:set-fan-mode":
      return listed(staticState, "allowedFanModes", ["auto", "on", "off", "circulate"]).map((fanMode) => ({ fanMode }))
    case "vehicle:set-charge-limit":
      return [{ chargeLimit: 50 }, { chargeLimit: 80 }, { chargeLimit: 100 }]
    case "thermostat:pause-schedule":
    case "thermostat:resume-schedule":
    case "vehicle:check-pairing-status":
      return [{}]
  }
}
