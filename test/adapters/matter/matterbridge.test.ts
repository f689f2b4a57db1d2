import { matterAdapter } from "@edp/adapter-matter/matterAdapter"
import type { Account } from "@edp/adapter-kit/Account"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServer } from "../../support/describeServer.ts"
import { eventually } from "../../support/eventually.ts"
import { commandTo, startAdapter, type Subscription } from "../mqtt/onBroker.ts"
import { hasMatterbridge, type Matterbridge, startMatterbridge } from "./Matterbridge.ts"

describeServer("npm ci --prefix test/matterbridge", hasMatterbridge, "Matterbridge with its example devices", () => {
  let bridge: Matterbridge
  let started: Awaited<ReturnType<typeof startAdapter>>
  let account: Account<any>
  let subscription: Subscription
  const ids = new Map<string, string>()
  const latest = (name: string) =>
    subscription.observations().findLast((one) => one.manufacturerDeviceId === ids.get(name))
  const shows = (name: string, fields: Readonly<Record<string, unknown>>) =>
    eventually(`${JSON.stringify(fields)} of ${name}`, () => {
      const present = latest(name)?.state as Readonly<Record<string, unknown>> | null | undefined
      return present && Object.entries(fields).every(([field, value]) => present[field] === value) ? true : undefined
    })
  const send = async (name: string, type: Parameters<typeof commandTo>[1], input: Parameters<typeof commandTo>[2]) => {
    const sent = await started.send(account, commandTo(ids.get(name)!, type, input))
    return sent._tag === "Success" ? sent.success : sent.failure
  }

  beforeAll(async () => {
    bridge = await startMatterbridge()
    started = await startAdapter(matterAdapter, { reportSeconds: 1, keepAliveSeconds: 5 })
    account = await started.link({ code: bridge.code, batteryCapacity: "10000" })
    const devices = await Effect.runPromise(started.instance.discoverDevices!(account))
    for (const { manufacturerDeviceId, name, type } of devices) ids.set(`${name} ${type}`, manufacturerDeviceId)
    subscription = started.subscribe(account)
    await subscription.observed("a state", ({ state }) => state !== null)
  })
  afterAll(async () => {
    await started?.close()
    await bridge?.close()
  })

  it("are listed with their types, those that a heat pump consists of among them", () => {
    expect([...ids.keys()].toSorted()).toEqual([
      "Air Conditioner thermostat",
      "Battery Storage battery",
      "Evse charger",
      "Heat Pump Bedroom thermostat",
      "Heat Pump Living Room thermostat",
      "Heat Pump meter",
      "OutletEnergy meter",
      "Solar Power inverter",
      "Thermostat (Auto) thermostat",
      "Thermostat (Heat) thermostat",
      "Water Heater water_heater"
    ])
  })

  it("report in the units of the contract", async () => {
    await shows("Evse charger", {
      chargingState: "charging",
      isPluggedIn: true,
      chargerWattage: 2200,
      chargerVoltage: 220,
      chargerCurrent: 10,
      lifetimeEnergyCharged: 1000
    })
    await shows("Water Heater water_heater", {
      waterTemperature: 122,
      targetTemperature: 140,
      operatingMode: "electric",
      power: 220,
      availableHotWater: 85
    })
    await shows("Battery Storage battery", {
      chargePercentage: 75,
      charge: 7500,
      chargeRate: -2200,
      chargingState: "charging"
    })
    expect(latest("Battery Storage battery")?.staticState).toEqual({
      capacity: 10_000,
      maxChargeRate: 3000,
      maxDischargeRate: 2000
    })
    await shows("Heat Pump meter", { power: 2200, importedEnergy: 1000 })
    await shows("Thermostat (Heat) thermostat", { operatingMode: "heat", heatTarget: 64.4 })
    // Its example shows imported power, against the specification.
    expect(latest("Solar Power inverter")).toMatchObject({
      state: null,
      problems: ["activePower is 2200 W of imported power, although a solar device exports its power"]
    })
  })

  it("take set-points and modes", async () => {
    const input = { operatingMode: "heat", heatTarget: 70 }
    expect(await send("Thermostat (Auto) thermostat", "thermostat:set-operating-mode", input)).toMatchObject({
      status: "completed",
      reason: null
    })
    await shows("Thermostat (Auto) thermostat", { operatingMode: "heat", heatTarget: 70 })
    expect(await send("Air Conditioner thermostat", "thermostat:set-fan-mode", { fanMode: "on" })).toMatchObject({
      status: "completed"
    })
  })

  it("disable charging and enable it with a limit", async () => {
    expect(await send("Evse charger", "charger:set-operating-mode", { operatingMode: "stop-charging" })).toMatchObject({
      status: "completed",
      reason: null
    })
    const start = { operatingMode: "start-charging", targetPowerW: 3520 }
    expect(await send("Evse charger", "charger:set-operating-mode", start)).toMatchObject({ status: "completed" })
  })

  it("are unreachable while the bridge is gone, and return with it", async () => {
    await bridge.kill()
    await eventually("the loss", () => (latest("Evse charger")?.isUnreachable === true ? true : undefined))
    await bridge.restart()
    await eventually("the return", () => (latest("Evse charger")?.isUnreachable === false ? true : undefined), 200_000)
  })
})
