import { commandEffect } from "@edp/server/commands/confirmation/stateComparison"
import { expect, test } from "vitest"

const battery = "battery:set-operating-mode"
const thermostat = "thermostat:set-operating-mode"
const vehicle = "vehicle:set-operating-mode"
const idle = { chargingState: "idle", chargePercentage: 50, backupReserve: 20 }
const charge = { operatingMode: "charge" }
const discharge = { operatingMode: "discharge" }
const start = { operatingMode: "start-charging" }

test.each([
  [battery, discharge, { ...idle, gridPower: -900 }, "export_not_allowed"],
  [battery, discharge, { ...idle, gridStatus: "idle" }, "export_not_allowed"],
  [battery, charge, { ...idle, gridPower: 900 }, "import_not_allowed"],
  [battery, { ...charge, maximumBatteryReserve: 50 }, idle, "battery_full"],
  [battery, { ...discharge, enableGridInteraction: true }, { ...idle, chargePercentage: 20.2 }, "battery_at_reserve"],
  [
    battery,
    { ...discharge, minimumBatteryReserve: 50 },
    { chargingState: "idle", chargePercentage: 50 },
    "battery_at_reserve"
  ],
  [vehicle, start, { chargingState: "idle", isPluggedIn: false }, "not_plugged_in"],
  [vehicle, start, { chargingState: "idle", isPluggedIn: true, chargePercentage: 80, chargeLimit: 80 }, "vehicle_full"],
  [thermostat, { operatingMode: "heat", heatTarget: 68 }, { ambientTemperature: 71.3 }, "target_reached"],
  [thermostat, { operatingMode: "cool", coolTarget: 75 }, { ambientTemperature: 71.3 }, "target_reached"],
  [thermostat, { operatingMode: "auto", heatTarget: 68, coolTarget: 75 }, { ambientTemperature: 71 }, "target_reached"]
] as const)("a completed %s %j of a device that shows %j is noted: %s", (type, input, state, code) => {
  expect(commandEffect(type, input, state)).toMatchObject({ _tag: "Explained", note: { code } })
})

test.each([
  ["a home that imports while the battery is idle", battery, discharge, { ...idle, gridPower: 900 }],
  ["a home whose exchange with the grid is not known", battery, discharge, idle],
  ["a battery that may export", battery, { ...discharge, enableGridInteraction: true }, { ...idle, gridPower: -900 }],
  ["a battery that does the opposite", battery, charge, { ...idle, chargingState: "discharging" }],
  ["a plugged vehicle below its limit", vehicle, start, { chargingState: "idle", isPluggedIn: true }]
] as const)("no reason is claimed for %s", (_, type, input, state) => {
  expect(commandEffect(type, input, state)).toMatchObject({ _tag: "Idle", note: { code: "no_effect_shown" } })
})

test.each([
  [battery, charge, { ...idle, chargingState: "charging" }, "Shown"],
  [battery, charge, { ...idle, chargingState: "unknown" }, "Unknown"],
  [thermostat, { operatingMode: "heat", heatTarget: 68 }, { ambientTemperature: 60 }, "Shown"],
  [battery, { operatingMode: "idle" }, idle, "Unknown"],
  [battery, charge, null, "Unknown"]
] as const)("%s %j of a device that shows %j needs no note", (type, input, state, tag) => {
  expect(commandEffect(type, input, state)._tag).toBe(tag)
})
