import { BatteryReading, ChargerReading, InverterReading, VehicleReading } from "@edp/domain/devices/DeviceState"
import { BatteryStatic, VehicleStatic } from "@edp/domain/devices/StaticState"
import * as responses from "@edp/adapter-tesla/responses"
import {
  batteryStatic,
  devicesFromProducts,
  devicesFromSiteInfo,
  onlineStatus,
  vehicleStatic
} from "@edp/adapter-tesla/devices"
import { siteReadings } from "@edp/adapter-tesla/energySite"
import { completeUntil, energyBetween } from "@edp/adapter-tesla/history"
import { pairingFromFleetStatus } from "@edp/adapter-tesla/pairing"
import { vehicleReading } from "@edp/adapter-tesla/vehicle"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { describe, expect, test } from "vitest"
import * as fixtures from "./fixtures.ts"

const T0 = Date.parse("2026-03-01T12:00:00Z")
const live = Result.getOrThrow(responses.readLiveStatus(fixtures.liveStatus))
const info = Result.getOrThrow(responses.readSiteInfo(fixtures.siteInfo))
const vehicle = Result.getOrThrow(responses.readVehicleData(fixtures.vehicleData))
const history = Result.getOrThrow(responses.readCalendarHistory(fixtures.calendarHistory))
const fleet = Result.getOrThrow(responses.readFleetStatus(fixtures.fleetStatus))

const schemas = { battery: BatteryReading, inverter: InverterReading, charger: ChargerReading }

describe("the devices of an account", () => {
  test("are vehicles and the parts of energy sites", () => {
    const devices = devicesFromProducts(Result.getOrThrow(responses.readProducts(fixtures.products)))
    expect(devices.map(({ manufacturerDeviceId, name, type }) => [manufacturerDeviceId, type, name])).toEqual([
      ["5YJ3E1EA7KF000001", "vehicle", "Blue"],
      ["2251799813:battery", "battery", "Cabin battery"],
      ["2251799813:solar", "inverter", "Cabin solar"],
      ["2251799813:wall-connector:TWC-1", "charger", "Cabin wall connector"],
      ["2251799814:solar", "inverter", "Barn solar"]
    ])
    expect(devicesFromSiteInfo("2251799813", info)).toMatchObject([
      { manufacturerDeviceId: "2251799813:wall-connector:TWC-1", serialNumber: "W1", rawModel: "Gen 3 Wall Connector" }
    ])
  })

  test("have ratings that are sums over their batteries", () => {
    const ratings = batteryStatic(info)
    expect(ratings).toEqual({ capacity: 27_000, maxChargeRate: 10_000, maxDischargeRate: 10_800, numberOfBatteries: 2 })
    expect(Schema.is(BatteryStatic)(ratings)).toBe(true)
    expect(batteryStatic({ nameplate_energy: 13_500 })).toEqual({ capacity: 13_500 })
    expect(batteryStatic({})).toBeNull()
  })

  test("have a paired key only where one is needed", () => {
    const paired = vehicleStatic(vehicle, { paired: false, required: true })
    expect(paired).toEqual({ keyPaired: false, extendedCapabilities: { carType: "model3" } })
    expect(Schema.is(VehicleStatic)(paired)).toBe(true)
    expect(vehicleStatic({ vin: "5YJSA1E20FF000003" }, { paired: false, required: false }).keyPaired).toBeNull()
  })

  test("are online, asleep or offline as Tesla says, else unknown", () => {
    expect(["online", "asleep", "offline", "waking", null].map(onlineStatus)).toEqual([
      "online",
      "asleep",
      "offline",
      "unknown",
      "unknown"
    ])
  })

  test.each([
    ["7SAYGDEE0PA000002", { paired: true, required: true }],
    // The response denies it, yet each Model 3 needs a key.
    ["5YJ3E1EA7KF000001", { paired: false, required: true }],
    ["5YJSA1E20FF000003", { paired: false, required: false }],
    ["5YJSA1E20FF000009", null]
  ])("have the pairing of %s", (vin, pairing) => {
    expect(pairingFromFleetStatus(fleet, vin, null)).toEqual(pairing)
  })
})

describe("readings of an energy site", () => {
  const readings = siteReadings("s", live, info, 0)

  test("have our units and signs", () => {
    expect(readings).toEqual([
      {
        manufacturerDeviceId: "s:battery",
        observedAt: T0,
        type: "battery",
        state: {
          chargingState: "discharging",
          charge: 16_875,
          chargePercentage: 62.5,
          whConsumed: null,
          chargeRate: 2100,
          backupReserve: 20,
          isStormModeActive: false,
          isStormModeEnabled: true,
          strategy: "time_of_use",
          gridStatus: "exporting",
          gridPower: -280,
          loadPower: 3220
        }
      },
      { manufacturerDeviceId: "s:solar", observedAt: T0, type: "inverter", state: { power: 1400 } },
      {
        manufacturerDeviceId: "s:wall-connector:TWC-1",
        observedAt: T0,
        type: "charger",
        state: { chargingState: "idle", chargerWattage: 0 }
      },
      {
        manufacturerDeviceId: "s:wall-connector:TWC-2",
        observedAt: T0,
        type: "charger",
        state: { chargingState: "charging", chargerWattage: 7100, isPluggedIn: true }
      }
    ])
  })

  test("balance: what comes from sun, battery and grid is the load", () => {
    const { battery_power, grid_power, load_power, solar_power } = live
    expect(Math.abs(solar_power! + battery_power! + grid_power! - load_power!)).toBeLessThan(1)
  })

  test.each([
    [51, "discharging", "importing"],
    [50, "idle", "idle"],
    [-50, "idle", "idle"],
    [-51, "charging", "exporting"]
  ])("have a dead band: %i W are %s and %s", (power, chargingState, gridStatus) => {
    const [battery] = siteReadings("s", { ...live, battery_power: power, grid_power: power }, info, 0)
    expect(battery!.state).toMatchObject({ chargingState, gridStatus })
  })

  test("leave out what Tesla leaves out", () => {
    const bare = { percentage_charged: 50, battery_power: null }
    expect(siteReadings("s", bare, { nameplate_energy: 10_000 }, 5)).toEqual([
      {
        manufacturerDeviceId: "s:battery",
        observedAt: 5,
        type: "battery",
        state: { chargingState: "unknown", charge: 5000, chargePercentage: 50, whConsumed: null }
      }
    ])
    expect(siteReadings("s", bare, {}, 5)).toEqual([])
    expect(siteReadings("s", { ...live, solar_power: null }, info, 0).map(({ type }) => type)).not.toContain("inverter")
  })

  test("put grid and load on the inverter of a site without battery, and no negative sun at night", () => {
    const solar = { solar_power: -12, grid_power: 900, load_power: 888 }
    expect(siteReadings("s", solar, { components: { battery: false, solar: true } }, 0)).toMatchObject([
      { type: "inverter", state: { power: 0, gridPower: 900, gridStatus: "importing", loadPower: 888 } }
    ])
  })

  test("have the energies of complete intervals", () => {
    const until = completeUntil(history)!
    expect(until).toBe(T0)
    const energy = energyBetween(history, T0 - 600_000, until)
    expect(energy).toEqual({ batteryCharged: 40, batteryDischarged: null, solar: 220, gridNet: -10, load: 180 })
    expect(siteReadings("s", live, info, 0, energy)).toMatchObject([
      { state: { whConsumed: 40, gridEnergy: -10, loadEnergy: 180 } },
      { state: { generatedEnergy: 220 } },
      {},
      {}
    ])
    expect(energyBetween(history, T0 + 1, T0 + 2).solar).toBeNull()
  })

  test("are valid in the domain for any powers", () => {
    const watts = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -50_000, maximum: 50_000 })))
    const anyLive = Schema.Struct({
      solar_power: watts,
      battery_power: watts,
      grid_power: watts,
      load_power: watts,
      percentage_charged: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 101 })))
    })
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(anyLive),
        (values) =>
          siteReadings("s", { ...live, ...values }, info, 0).every(({ state, type }) =>
            Schema.is(schemas[type])(state)
          ),
        { runs: 300 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })
})

describe("the reading of a vehicle", () => {
  test("has W, Wh, miles and percent", () => {
    const reading = vehicleReading(vehicle, 0)!
    expect(reading).toEqual({
      manufacturerDeviceId: "5YJ3E1EA7KF000001",
      observedAt: T0,
      state: {
        chargingState: "charging",
        chargePercentage: 61,
        range: 180.5,
        chargeCompletedAt: "2026-03-01T13:30:00.000Z",
        chargeLimit: 80,
        charge: 45_500,
        isPluggedIn: true,
        chargerVoltage: 236,
        chargerCurrent: 32,
        chargerWattage: 7000
      },
      location: { latitude: vehicle.drive_state!.latitude, longitude: vehicle.drive_state!.longitude }
    })
    expect(Schema.is(VehicleReading)(reading.state)).toBe(true)
  })

  const withCharge = (fields: object) => ({ ...vehicle, charge_state: { ...vehicle.charge_state!, ...fields } })

  test.each([
    ["Stopped", "idle", true],
    ["Complete", "idle", true],
    ["NoPower", "idle", true],
    ["Disconnected", "idle", false],
    ["SomethingNew", "unknown", undefined],
    [null, "unknown", undefined]
  ])("takes %s for %s, plugged in: %s", (charging_state, chargingState, isPluggedIn) => {
    const { state } = vehicleReading(withCharge({ charging_state }), 0)!
    expect(state.chargingState).toBe(chargingState)
    expect(state.isPluggedIn).toBe(isPluggedIn)
    expect(state.chargeCompletedAt).toBeUndefined()
  })

  test("has no noise of an idle charger, and no value that is null", () => {
    const { state } = vehicleReading(
      withCharge({ charger_voltage: 2, charger_power: null, energy_remaining: null }),
      0
    )!
    expect(state.chargerVoltage).toBe(0)
    expect(state).not.toHaveProperty("chargerWattage")
    expect(state).not.toHaveProperty("charge")
    expect(vehicleReading(withCharge({ battery_level: null }), 0)).toBeNull()
  })

  test("has no location without coordinates", () => {
    expect(vehicleReading({ ...vehicle, drive_state: {} }, 0)!.location).toBeNull()
    expect(vehicleReading({ ...vehicle, drive_state: { latitude: 37.5, longitude: null } }, 0)!.location).toBeNull()
  })
})
