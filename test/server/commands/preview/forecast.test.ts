import { expect, test } from "vitest"
import { forecast, type ForecastDevice } from "@edp/server/commands/preview/forecast"
import type { HomeReading } from "@edp/server/commands/preview/HomeReadingsTable"

const now = Date.parse("2026-03-01T12:00:00Z")
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000)

const battery = (state: object, more: Partial<ForecastDevice> = {}): ForecastDevice => ({
  id: "battery",
  type: "battery",
  staticState: { capacity: 10_000, maxChargeRate: 4000, maxDischargeRate: 5000 },
  at: minutesAgo(1),
  state: { chargingState: "idle", charge: 6000, chargePercentage: 60, chargeRate: 0, backupReserve: 20, ...state },
  ...more
})
const meter = (watts: number, minutes: number): HomeReading => ({
  deviceId: "meter",
  siteId: "site",
  type: "meter",
  at: minutesAgo(minutes),
  gridPower: watts
})

const preview = (input: object, device: ForecastDevice, readings: ReadonlyArray<HomeReading> = []) =>
  forecast("battery:set-operating-mode", input as Readonly<Record<string, unknown>>, device, readings, now)

const discharge = { operatingMode: "discharge" }
const withGrid = { ...discharge, enableGridInteraction: true }

test("a battery that may not export would deliver what the home uses, as its own state or the meter shows", () => {
  expect(preview(discharge, battery({ gridPower: 600 }))).toMatchObject({
    outcome: "moves",
    code: "follows_home",
    sentence:
      "The home uses 0.6 kW and export is off: the battery would deliver 0.6 kW. It is at 60 % and stops at 20 %.",
    powerW: 600,
    exportW: 0,
    energyWh: 4000,
    gridAllowed: false
  })
  // It discharges already: the meter shows the rest.
  const shown = preview(discharge, battery({ chargeRate: 500 }), [meter(100, 5)])
  expect(shown).toMatchObject({ code: "follows_home", homeW: 600, powerW: 600 })
  expect(shown.readings).toMatchObject([
    { deviceId: "battery", ageSeconds: 60 },
    { deviceId: "meter", ageSeconds: 300 }
  ])
})

test("a battery that may export would deliver its rated or the asked power, and the rest of the home's goes to the grid", () => {
  expect(preview(withGrid, battery({ gridPower: 600 }))).toMatchObject({
    code: "full_power",
    powerW: 5000,
    exportW: 4400
  })
  expect(preview({ ...withGrid, targetPowerW: 1500 }, battery({}))).toMatchObject({
    code: "target_power",
    powerW: 1500,
    exportW: null,
    homeW: null
  })
  expect(preview(withGrid, battery({}, { staticState: null }))).toMatchObject({ code: "power_unknown", powerW: null })
})

test.each([
  ["export_not_allowed", discharge, { gridPower: -200 }],
  ["battery_at_reserve", discharge, { chargePercentage: 20.3 }],
  ["battery_at_reserve", { ...withGrid, minimumBatteryReserve: 60 }, {}],
  ["storm_mode", withGrid, { isStormModeActive: true }],
  ["import_not_allowed", { operatingMode: "charge" }, { gridPower: 300 }],
  ["battery_full", { operatingMode: "charge", maximumBatteryReserve: 60 }, {}]
])("nothing would move: %s", (code, input, state) => {
  expect(preview(input, battery(state))).toMatchObject({ outcome: "nothing", code, powerW: 0 })
})

test("a battery without import would charge with the surplus", () => {
  expect(preview({ operatingMode: "charge" }, battery({ gridPower: -1200 }))).toMatchObject({
    code: "follows_surplus",
    powerW: -1200,
    energyWh: 4000
  })
})

test("an effect that no fresh reading shows is not known", () => {
  expect(preview(discharge, battery({}, { at: null, state: null }))).toMatchObject({ code: "no_reading", readings: [] })
  expect(preview(withGrid, battery({}, { at: minutesAgo(31) }))).toMatchObject({ code: "old_reading", powerW: null })
  expect(preview(discharge, battery({}), [meter(600, 31)])).toMatchObject({ code: "no_home_reading", powerW: null })
})

test("a charger starts only with a vehicle", () => {
  const charger = (state: object): ForecastDevice =>
    battery({}, { type: "charger", staticState: { maxPower: 7000 }, state: { chargingState: "idle", ...state } })
  const start = (state: object) =>
    forecast("charger:set-operating-mode", { operatingMode: "start-charging" }, charger(state), [], now)
  expect(start({ isPluggedIn: false })).toMatchObject({ outcome: "nothing", code: "not_plugged_in" })
  expect(start({ isPluggedIn: true })).toMatchObject({ outcome: "moves", code: "full_power", powerW: 7000 })
})
