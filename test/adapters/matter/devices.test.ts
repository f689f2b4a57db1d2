import { matterAdapter } from "@edp/adapter-matter/matterAdapter"
import type { Account } from "@edp/adapter-kit/Account"
import { testAccount } from "@edp/adapter-kit/testing/TestHost"
import { Effect, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { commandTo, startAdapter, type Subscription } from "../mqtt/onBroker.ts"
import { type MatterHome, startMatterHome } from "./MatterHome.ts"

const settings = { reportSeconds: 1, keepAliveSeconds: 5 }

describe("the devices of a Matter node", () => {
  let home: MatterHome
  let started: Awaited<ReturnType<typeof startAdapter>>
  let account: Account<any>
  let subscription: Subscription
  const id = (endpoint: number) => `${home.identity}/${endpoint}`
  const latest = (endpoint: number) =>
    subscription.observations().findLast((one) => one.manufacturerDeviceId === id(endpoint))
  const state = (endpoint: number) => latest(endpoint)?.state as Readonly<Record<string, unknown>> | undefined | null
  const shows = (endpoint: number, fields: Readonly<Record<string, unknown>>) =>
    eventually(`${JSON.stringify(fields)} of ${endpoint}`, () => {
      const present = state(endpoint)
      return present && Object.entries(fields).every(([name, value]) => present[name] === value) ? true : undefined
    })
  const send = async (...command: Parameters<typeof commandTo>) => {
    const sent = await started.send(account, commandTo(...command))
    return sent._tag === "Success" ? sent.success : sent.failure
  }
  const [HALL, STATION, TANK, ROOF, PACK, GRID] = [1, 2, 3, 4, 5, 6] as const

  beforeAll(async () => {
    home = await startMatterHome()
    started = await startAdapter(matterAdapter, settings)
    account = await started.link({ code: home.manualCode, batteryCapacity: "10000" })
    subscription = started.subscribe(account)
    await subscription.observed("the grid", ({ manufacturerDeviceId }) => manufacturerDeviceId === id(GRID))
  })
  afterAll(async () => {
    await started?.close()
    await home?.close()
  })

  it("are listed by their types, with the commands that they take", async () => {
    const devices = await Effect.runPromise(started.instance.discoverDevices!(account))
    expect(devices.map(({ commands, manufacturerDeviceId, type }) => [manufacturerDeviceId, type, commands])).toEqual([
      [id(HALL), "thermostat", ["thermostat:set-operating-mode", "thermostat:set-fan-mode"]],
      [id(STATION), "charger", ["charger:set-operating-mode"]],
      [id(TANK), "water_heater", []],
      [id(ROOF), "inverter", []],
      [id(PACK), "battery", []],
      [id(GRID), "meter", []]
    ])
    expect(devices[0]).toMatchObject({ name: "Casa", model: "Energy Home", rawModel: "Volta Energy Home" })
  })

  it("report in the units and signs of the contract", () => {
    expect(state(GRID)).toEqual({
      power: -800,
      importedEnergy: 12_000_000,
      exportedEnergy: 3_000_000,
      voltage: 230,
      current: -3.478
    })
    expect(state(ROOF)).toEqual({ power: 3200, lifetimeEnergyGenerated: 8_500_000 })
    expect(latest(ROOF)?.staticState).toEqual({ power: 5000 })
    expect(state(PACK)).toMatchObject({
      chargePercentage: 62.5,
      charge: 6250,
      chargeRate: 1500,
      chargingState: "discharging"
    })
    expect(state(STATION)).toEqual({
      chargingState: "idle",
      isPluggedIn: true,
      chargerWattage: 0,
      chargerVoltage: 230,
      chargerCurrent: 0,
      lifetimeEnergyCharged: 4_000_000
    })
    expect(latest(STATION)?.staticState).toEqual({ takesTargetPower: true, minPower: 1380, maxPower: 7360 })
    expect(state(TANK)).toEqual({
      waterTemperature: 122,
      targetTemperature: 131,
      operatingMode: "heat_pump",
      power: 480,
      availableHotWater: 70
    })
    expect(state(HALL)).toEqual({
      ambientTemperature: 70.7,
      operatingMode: "heat",
      fanMode: "auto",
      heatTarget: 68,
      coolTarget: 78.8
    })
    expect(latest(HALL)?.staticState).toEqual({
      allowedModes: ["heat", "cool", "auto", "off"],
      allowedFanModes: ["off", "on", "auto"],
      minHeatSetpoint: 45,
      maxHeatSetpoint: 86,
      minCoolSetpoint: 61,
      maxCoolSetpoint: 89
    })
  })

  it("report changes, and leave out what they do not know", async () => {
    await home.set("grid", "electricalPowerMeasurement", { activePower: 1_250_400 })
    await shows(GRID, { power: 1250 })
    await home.set("grid", "electricalPowerMeasurement", { activePower: null })
    await eventually("no reading", () => (latest(GRID)?.state === null ? true : undefined))
    await home.set("grid", "electricalPowerMeasurement", { activePower: -800_000 })
    await shows(GRID, { power: -800 })
    await home.set("roof", "electricalPowerMeasurement", { activePower: 900_000 })
    await eventually("a problem", () => (latest(ROOF)?.problems.length === 1 ? true : undefined))
    expect(latest(ROOF)).toMatchObject({
      state: null,
      problems: ["activePower is 900 W of imported power, although a solar device exports its power"]
    })
    await home.set("roof", "electricalPowerMeasurement", { activePower: 4000 })
    await shows(ROOF, { power: 0 })
  })

  it("take set-points, which the next reading shows", async () => {
    const sent = await send(id(HALL), "thermostat:set-operating-mode", {
      operatingMode: "auto",
      heatTarget: 66,
      coolTarget: 75
    })
    expect(sent).toMatchObject({ status: "completed", reason: null, sentInput: { heatTarget: 66, coolTarget: 75 } })
    expect(await home.get("hall", "thermostat")).toMatchObject({
      systemMode: 1,
      occupiedHeatingSetpoint: 1889,
      occupiedCoolingSetpoint: 2389
    })
    await shows(HALL, { operatingMode: "auto", heatTarget: 66, coolTarget: 75 })
    const again = { operatingMode: "auto", heatTarget: 66, coolTarget: 75 }
    expect(await send(id(HALL), "thermostat:set-operating-mode", again)).toMatchObject({ reason: "already_so" })
    expect(
      await send(id(HALL), "thermostat:set-operating-mode", { operatingMode: "cool", coolTarget: 77 })
    ).toMatchObject({
      status: "completed"
    })
    await shows(HALL, { operatingMode: "cool", coolTarget: 77 })
    expect(await send(id(HALL), "thermostat:set-fan-mode", { fanMode: "on" })).toMatchObject({ status: "completed" })
    await shows(HALL, { fanMode: "on" })
  })

  it("refuse what they can't do, by the field", async () => {
    const refused = async (input: Readonly<Record<string, unknown>>) =>
      send(id(HALL), "thermostat:set-operating-mode", input)
    expect(await refused({ operatingMode: "eco" })).toMatchObject({
      failure: "refused",
      message: "operatingMode can't be eco on this device"
    })
    expect(await refused({ operatingMode: "heat", heatTarget: 100 })).toMatchObject({
      message: "heatTarget must be from 44.6 to 86 °F on this device"
    })
    expect(await refused({ operatingMode: "auto", heatTarget: 70, coolTarget: 72 })).toMatchObject({
      message: "coolTarget must be at least 3.6 °F above heatTarget on this device"
    })
    expect(
      await send(id(STATION), "charger:set-operating-mode", { operatingMode: "start-charging", targetPowerW: 900 })
    ).toMatchObject({ failure: "refused", message: "targetPowerW must be from 1380 to 7360 on this device" })
  })

  it("start and stop charging, with a limit of the current", async () => {
    const start = { operatingMode: "start-charging", targetPowerW: 3680 }
    expect(await send(id(STATION), "charger:set-operating-mode", start)).toMatchObject({ status: "completed" })
    expect(await home.get("station", "energyEvse")).toMatchObject({
      supplyState: 1,
      chargingEnabledUntil: null,
      minimumChargeCurrent: 6000,
      maximumChargeCurrent: 16_000
    })
    await home.set("stationSensor", "electricalPowerMeasurement", { activePower: 3_600_000, activeCurrent: 15_652 })
    await shows(STATION, { chargingState: "charging", chargerWattage: 3600, chargerCurrent: 15.652 })
    expect(await send(id(STATION), "charger:set-operating-mode", start)).toMatchObject({ reason: "already_so" })
    const stop = { operatingMode: "stop-charging" }
    expect(await send(id(STATION), "charger:set-operating-mode", stop)).toMatchObject({ status: "completed" })
    expect(await home.get("station", "energyEvse")).toMatchObject({ supplyState: 0 })
    expect(await send(id(STATION), "charger:set-operating-mode", stop)).toMatchObject({ reason: "already_so" })
  })

  it("do not count as done what a station only takes", async () => {
    await home.stick(true)
    const start = { operatingMode: "start-charging" }
    expect(await send(id(STATION), "charger:set-operating-mode", start)).toMatchObject({
      status: "accepted",
      reason: null
    })
    // The first command may still take effect: the next command is sent, although the station is as it asks for.
    const stop = { operatingMode: "stop-charging" }
    expect(await send(id(STATION), "charger:set-operating-mode", stop)).toMatchObject({
      status: "accepted",
      reason: null
    })
    await home.stick(false)
  })

  it("save a forced charge before it, set the timer of the station, and return to what was before", async () => {
    const saved: Array<unknown> = []
    const request = {
      ...commandTo(id(STATION), "charger:set-operating-mode", { operatingMode: "start-charging", targetPowerW: 2300 }),
      revertAfter: 600,
      saveSnapshot: (snapshot: unknown) => Effect.sync(() => void saved.push(snapshot))
    }
    const begun = Date.now() / 1000
    expect(await started.send(account, request)).toMatchObject({ _tag: "Success", success: { status: "completed" } })
    expect(saved).toEqual([{ isEnabled: false, until: null, minimum: 6000, maximum: 16_000 }])
    const { chargingEnabledUntil, maximumChargeCurrent } = await home.get("station", "energyEvse")
    expect(maximumChargeCurrent).toBe(10_000)
    expect(chargingEnabledUntil).toBeGreaterThanOrEqual(Math.floor(begun) + 600)
    expect(chargingEnabledUntil).toBeLessThan(begun + 700)
    const restoring = { device: request.device, snapshot: saved[0], takenSince: [] }
    expect(await Effect.runPromise(started.instance.restore!(account, restoring))).toMatchObject({
      status: "completed"
    })
    expect(await home.get("station", "energyEvse")).toMatchObject({ supplyState: 0 })
    expect(await Effect.runPromise(started.instance.restore!(account, restoring))).toMatchObject({
      reason: "already_so"
    })
    const wrong = { ...restoring, snapshot: { battery: 1 } }
    expect(await Effect.runPromise(Effect.flip(started.instance.restore!(account, wrong)))).toMatchObject({
      failure: "contract"
    })
  })

  it("are called by the instance that follows them alone, and after it has ended by the next, with the stored credentials", async () => {
    const stored = JSON.stringify(Schema.encodeSync(matterAdapter.credentials)(account.credentials))
    const restored = testAccount(account.externalId, Schema.decodeSync(matterAdapter.credentials)(JSON.parse(stored)))
    const request = commandTo(id(HALL), "thermostat:set-operating-mode", { operatingMode: "heat", heatTarget: 61 })
    const other = await startAdapter(matterAdapter, settings, { records: started.host.records })
    expect(await other.send(restored, request)).toMatchObject({
      _tag: "Failure",
      failure: { failure: "elsewhere", holder: started.host.instance }
    })
    await started.close()
    started = other
    account = restored
    subscription = other.subscribe(restored)
    await shows(HALL, { operatingMode: "cool" })
    expect(await other.send(restored, request)).toMatchObject({ _tag: "Success", success: { status: "completed" } })
    await shows(HALL, { operatingMode: "heat", heatTarget: 61 })
    expect(await home.fabrics()).toBe(1)
  })

  it("are unreachable while the node is gone, and report again once it is back", async () => {
    await home.kill()
    await eventually("the loss", () => (latest(GRID)?.isUnreachable === true ? true : undefined))
    expect(latest(HALL)).toMatchObject({ isUnreachable: true, state: null })
    expect(await send(id(HALL), "thermostat:set-fan-mode", { fanMode: "auto" })).toMatchObject({
      failure: "unreachable"
    })
    await home.restart()
    await eventually("the return", () => (latest(GRID)?.isUnreachable === false ? true : undefined))
    expect(state(GRID)).toMatchObject({ power: -800 })
  })

  it("are unreachable for an instance that starts while the node is gone, until it is back", async () => {
    const { memory } = subscription.reports.findLast((report) => report.memory !== undefined)!
    await home.kill()
    await started.close()
    started = await startAdapter(matterAdapter, settings)
    subscription = started.subscribe({ ...account, memory })
    await eventually("what the instance says of the node", () => (subscription.reports.length > 0 ? true : undefined))
    expect(
      subscription
        .observations()
        .map(({ isUnreachable, manufacturerDeviceId }) => [manufacturerDeviceId, isUnreachable])
    ).toEqual([HALL, STATION, TANK, ROOF, PACK, GRID].map((one) => [id(one), true]))
    await home.restart()
    await subscription.observed("the return", ({ state: present }) => present !== null)
  })

  it("are lost with the node that removes the platform", async () => {
    await home.reset()
    expect(await subscription.failed()).toMatchObject({
      failure: "grant_lost",
      message: "The device was reset or has removed the platform: it must be paired again"
    })
  })
})
