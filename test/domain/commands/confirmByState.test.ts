import { comparePower, confirmByState, isAlreadySo, isMoving } from "@edp/domain/commands/confirmByState"
import { expect, it } from "vitest"

const reserve = "battery:set-reserve"
const mode = "battery:set-operating-mode"
const charger = "charger:set-operating-mode"
const thermostat = "thermostat:set-operating-mode"
const fan = "thermostat:set-fan-mode"
const limit = "vehicle:set-charge-limit"

it.each([
  [reserve, { chargePercentage: 21 }, { backupReserve: 20 }, { backupReserve: 20 }, "pending"],
  [reserve, { chargePercentage: 40.5 }, { backupReserve: 40 }, { backupReserve: 40 }, "pending"],
  [reserve, { chargePercentage: 40.5 }, { backupReserve: 20 }, { backupReserve: 40 }, "met"],
  [reserve, { chargePercentage: 40.5 }, null, { backupReserve: 40 }, "pending"],
  [reserve, { chargePercentage: 21 }, { backupReserve: 20.4 }, { backupReserve: 20 }, "pending"],
  [reserve, { chargePercentage: 30 }, null, { backupReserve: 30 }, "met"],
  [reserve, { chargePercentage: 30 }, { backupReserve: 30 }, { backupReserve: 30 }, "met"],
  [limit, { chargeLimit: 79 }, { chargeLimit: 80 }, { chargeLimit: 80 }, "pending"],
  [limit, { chargeLimit: 79 }, { chargeLimit: 90 }, { chargeLimit: 80 }, "met"],
  [
    thermostat,
    { operatingMode: "heat", heatTarget: 68.5 },
    { operatingMode: "heat", heatTarget: 68 },
    { operatingMode: "heat", heatTarget: 68 },
    "pending"
  ],
  [
    thermostat,
    { operatingMode: "heat", heatTarget: 68.5 },
    { operatingMode: "off", heatTarget: 68 },
    { operatingMode: "heat", heatTarget: 68 },
    "pending"
  ],
  [
    thermostat,
    { operatingMode: "heat", heatTarget: 70 },
    { operatingMode: "off", heatTarget: 66 },
    { operatingMode: "heat", heatTarget: 69.8 },
    "met"
  ],
  [
    thermostat,
    { operatingMode: "auto", heatTarget: 66, coolTarget: 75 },
    { operatingMode: "heat", heatTarget: 66 },
    { operatingMode: "auto", heatTarget: 66, coolTarget: 75.2 },
    "pending"
  ]
] as const)("%s %j, where the state before was %j, is shown by %j: %s", (type, input, before, state, shown) => {
  expect(confirmByState(type, input, state, before)).toBe(shown)
})

it.each([
  [thermostat, { operatingMode: "heat", heatTarget: 70 }, { operatingMode: "heat", heatTarget: 66 }, "contrary"],
  [thermostat, { operatingMode: "heat", heatTarget: 70 }, { operatingMode: "heat" }, "pending"],
  [thermostat, { operatingMode: "cool", coolTarget: 75 }, { operatingMode: "off" }, "contrary"],
  [thermostat, { operatingMode: "cool", coolTarget: 75 }, { operatingMode: "unknown" }, "pending"],
  [thermostat, { operatingMode: "off" }, { operatingMode: "off" }, "met"],
  [fan, { fanMode: "on" }, { fanMode: "auto" }, "contrary"],
  [fan, { fanMode: "on" }, null, "pending"],
  [charger, { operatingMode: "stop-charging" }, { chargingState: "idle" }, "met"],
  [charger, { operatingMode: "stop-charging" }, { chargingState: "charging" }, "contrary"],
  [charger, { operatingMode: "start-charging" }, { chargingState: "unknown" }, "pending"],
  [charger, { operatingMode: "start-charging" }, { chargingState: "idle" }, "contrary"],
  [reserve, { chargePercentage: 40 }, { backupReserve: 77 }, "contrary"],
  [reserve, { chargePercentage: 30 }, {}, "pending"],
  [mode, { operatingMode: "charge" }, { chargingState: "charging" }, "met"],
  [mode, { operatingMode: "charge" }, { chargingState: "discharging" }, "contrary"],
  [mode, { operatingMode: "charge" }, { chargingState: "idle" }, "pending"],
  [mode, { operatingMode: "idle" }, { chargingState: "discharging" }, "contrary"],
  [mode, { operatingMode: "charge", targetPowerW: 2000 }, { chargingState: "charging", chargeRate: -5000 }, "contrary"],
  [mode, { operatingMode: "charge", targetPowerW: 2000 }, { chargingState: "charging", chargeRate: -2000 }, "met"],
  [mode, { operatingMode: "discharge", targetPowerW: 2000 }, { chargingState: "discharging" }, "met"],
  [mode, { operatingMode: "reset" }, { chargingState: "idle" }, "pending"],
  [
    charger,
    { operatingMode: "start-charging", targetPowerW: 3000 },
    { chargingState: "charging", chargerWattage: 1200 },
    "met"
  ],
  [limit, { chargeLimit: 80 }, { chargeLimit: 90 }, "contrary"],
  ["thermostat:pause-schedule", {}, { operatingMode: "heat" }, "pending"]
] as const)("%s %j is shown by %j, with no state before: %s", (type, input, state, shown) => {
  expect(confirmByState(type, input, state, null)).toBe(shown)
})

it("a power a little above the asked one counts if it moved there, and not if it was so before", () => {
  expect(comparePower(3000, 3100, 7000)).toBe("met")
  expect(comparePower(3000, 3100, null)).toBe("met")
  expect(comparePower(3000, 3100, 3100)).toBe("pending")
  expect(comparePower(3000, 3100, undefined)).toBe("pending")
  expect(comparePower(3000, 4000, null)).toBe("contrary")
  expect(comparePower(3000, 2900, 2900)).toBe("met")
})

it("a device is so already only where it shows exactly what is asked", () => {
  expect(isAlreadySo(reserve, { chargePercentage: 40 }, { backupReserve: 40 })).toBe(true)
  expect(isAlreadySo(reserve, { chargePercentage: 40.5 }, { backupReserve: 40 })).toBe(false)
  expect(isAlreadySo(reserve, { chargePercentage: 40 }, null)).toBe(false)
})

it("a device that draws little now does not keep to a power already: it may draw more later", () => {
  const input = { operatingMode: "start-charging", targetPowerW: 3000 }
  expect(isAlreadySo(charger, input, { chargingState: "charging", chargerWattage: 1200 })).toBe(false)
})

it("a value is on its way while it comes nearer to the asked one", () => {
  const input = { operatingMode: "charge", targetPowerW: 2000 }
  expect(isMoving(mode, input, { chargeRate: -4000 }, { chargeRate: -5000 })).toBe(true)
  expect(isMoving(mode, input, { chargeRate: -5000 }, { chargeRate: -5000 })).toBe(false)
  expect(isMoving(reserve, { chargePercentage: 40 }, { backupReserve: 77 }, null)).toBe(false)
})
