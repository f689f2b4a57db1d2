import { confirmByState } from "@edp/domain/commands/confirmByState"
import { expect, it } from "vitest"

it.each([
  [
    "thermostat:set-operating-mode",
    { operatingMode: "heat", heatTarget: 70 },
    { operatingMode: "heat", heatTarget: 69.8 },
    "met"
  ],
  [
    "thermostat:set-operating-mode",
    { operatingMode: "heat", heatTarget: 70 },
    { operatingMode: "heat", heatTarget: 66 },
    "pending"
  ],
  ["thermostat:set-operating-mode", { operatingMode: "heat", heatTarget: 70 }, { operatingMode: "heat" }, "pending"],
  ["thermostat:set-operating-mode", { operatingMode: "off" }, { operatingMode: "off" }, "met"],
  ["thermostat:set-fan-mode", { fanMode: "on" }, { fanMode: "auto" }, "pending"],
  ["charger:set-operating-mode", { operatingMode: "stop-charging" }, { chargingState: "idle" }, "met"],
  ["charger:set-operating-mode", { operatingMode: "start-charging" }, { chargingState: "unknown" }, "pending"],
  ["battery:set-reserve", { chargePercentage: 30 }, { backupReserve: 30.4 }, "met"],
  ["battery:set-reserve", { chargePercentage: 30 }, {}, "pending"],
  ["battery:set-operating-mode", { operatingMode: "charge" }, { chargingState: "charging" }, "met"],
  [
    "battery:set-operating-mode",
    { operatingMode: "charge", targetPowerW: 2000 },
    { chargingState: "charging", chargeRate: -5000 },
    "pending"
  ],
  [
    "battery:set-operating-mode",
    { operatingMode: "charge", targetPowerW: 2000 },
    { chargingState: "charging", chargeRate: -2000 },
    "met"
  ],
  [
    "battery:set-operating-mode",
    { operatingMode: "discharge", targetPowerW: 2000 },
    { chargingState: "discharging" },
    "met"
  ],
  [
    "vehicle:set-operating-mode",
    { operatingMode: "start-charging", targetPowerW: 3000 },
    { chargingState: "charging", chargerWattage: 7000 },
    "pending"
  ],
  [
    "charger:set-operating-mode",
    { operatingMode: "start-charging", targetPowerW: 3000 },
    { chargingState: "charging", chargerWattage: 1200 },
    "met"
  ],
  ["battery:set-operating-mode", { operatingMode: "reset" }, { chargingState: "unknown" }, "pending"],
  ["vehicle:set-charge-limit", { chargeLimit: 80 }, { chargeLimit: 90 }, "pending"],
  ["thermostat:pause-schedule", {}, { operatingMode: "heat" }, "pending"],
  ["thermostat:set-fan-mode", { fanMode: "on" }, null, "pending"]
] as const)("%s %j is shown by %j: %s", (type, input, state, shown) => {
  expect(confirmByState(type, input, state)).toBe(shown)
})

it("a device that draws little now does not keep to a power already: it may draw more later", () => {
  const input = { operatingMode: "start-charging", targetPowerW: 3000 }
  const state = { chargingState: "charging", chargerWattage: 1200 }
  expect(confirmByState("charger:set-operating-mode", input, state, "exact")).toBe("pending")
})
