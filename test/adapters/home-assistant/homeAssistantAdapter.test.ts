import { homeAssistantAdapter } from "@edp/adapter-home-assistant/homeAssistantAdapter"
import { Effect, Result } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import type { HomeAssistantData, HomeAssistantServer } from "../../support/peers/HomeAssistantServer.ts"
import { commandTo, startAdapter } from "../mqtt/onBroker.ts"
import { casa, form, startCasa } from "./casa.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const peerWith = async (changes: Partial<HomeAssistantData> = {}) => {
  const peer = await startCasa(changes)
  closing.push(peer.close)
  return peer
}

const adapter = async () => {
  const started = await startAdapter(homeAssistantAdapter, { reportSeconds: 1 })
  closing.push(started.close)
  return started
}

const ids = (peer: HomeAssistantServer) => {
  const at = `@127.0.0.1:${peer.port}`
  return {
    grid: `grid-r-sensor.grid_in${at}`,
    solar: `solar-r-sensor.pv_total${at}`,
    battery: `battery-r-sensor.battery_out${at}`,
    fridge: `use-r-sensor.fridge_energy${at}`,
    charger: `charger-d-wallbox${at}`,
    hall: `climate-r-climate.hall${at}`,
    tank: `water-heater-water_heater.tank${at}`
  }
}

const linked = async (changes: Partial<HomeAssistantData> = {}) => {
  const peer = await peerWith(changes)
  const started = await adapter()
  const account = await started.link(form(peer.port))
  return { ...started, account, peer, id: ids(peer) }
}

const following = async (changes: Partial<HomeAssistantData> = {}) => {
  const all = await linked(changes)
  const subscription = all.subscribe(all.account)
  await subscription.observed("the first state", ({ state }) => state !== null)
  return { ...all, subscription }
}

describe("a Home Assistant instance", () => {
  it("links what the energy dashboard names, thermostats, water heaters and labelled chargers", async () => {
    const { account, id, instance } = await linked()
    const devices = await Effect.runPromise(instance.discoverDevices!(account))
    expect(
      devices.map(({ commands, incompatible, manufacturerDeviceId, name, type }) => ({
        manufacturerDeviceId,
        type,
        name,
        commands,
        incompatible
      }))
    ).toEqual([
      { manufacturerDeviceId: id.grid, type: "meter", name: "Grid", commands: [], incompatible: null },
      { manufacturerDeviceId: id.solar, type: "inverter", name: "Solar", commands: [], incompatible: null },
      { manufacturerDeviceId: id.battery, type: "battery", name: "Battery", commands: [], incompatible: null },
      { manufacturerDeviceId: id.fridge, type: "meter", name: "Fridge", commands: [], incompatible: null },
      {
        manufacturerDeviceId: id.charger,
        type: "charger",
        name: "Garage",
        commands: ["charger:set-operating-mode"],
        incompatible: null
      },
      {
        manufacturerDeviceId: id.hall,
        type: "thermostat",
        name: "Hall",
        commands: ["thermostat:set-operating-mode", "thermostat:set-fan-mode"],
        incompatible: null
      },
      { manufacturerDeviceId: id.tank, type: "water_heater", name: "Tank", commands: [], incompatible: null }
    ])
  })

  it("leaves out what the platform itself has published, so that no device comes back as a second one", async () => {
    const published = (id: string, labels: ReadonlyArray<string> = []) => ({
      id,
      name: id,
      manufacturer: "Acme",
      identifiers: [["mqtt", `edp_${id}`]],
      labels
    })
    const entity = (entityId: string, deviceId: string) => ({
      entity_id: entityId,
      id: `r-${entityId}`,
      device_id: deviceId,
      disabled_by: null,
      entity_category: null
    })
    const { account, id, instance } = await linked({
      preferences: {
        energy_sources: [
          ...casa.preferences.energy_sources,
          { type: "battery", stat_energy_from: "sensor.own_out", stat_rate: "sensor.own_power" },
          { type: "solar", stat_energy_from: "sensor.own_solar" }
        ],
        device_consumption: [{ stat_consumption: "sensor.own_use" }]
      },
      devices: [
        ...casa.devices,
        published("own-battery"),
        published("own-charger", ["ev_charger"]),
        { ...published("other"), identifiers: [["mqtt", "zigbee2mqtt_edp_1"]], labels: ["ev_charger"] }
      ],
      entities: [
        ...casa.entities,
        ...["sensor.own_out", "sensor.own_power", "sensor.own_solar", "sensor.own_use", "climate.own"].map((one) =>
          entity(one, "own-battery")
        ),
        entity("switch.own", "own-charger")
      ],
      states: {
        ...casa.states,
        "sensor.own_out": casa.states["sensor.battery_out"],
        "sensor.own_power": casa.states["sensor.battery_power"],
        "sensor.own_solar": casa.states["sensor.pv_total"],
        "sensor.own_use": casa.states["sensor.fridge_energy"],
        "climate.own": casa.states["climate.hall"]
      }
    })
    const devices = await Effect.runPromise(instance.discoverDevices!(account))
    expect(devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId).toSorted()).toEqual(
      [
        id.grid,
        id.solar,
        id.battery,
        id.charger,
        id.hall,
        id.tank,
        `charger-other@127.0.0.1:${account.externalId.split(":").at(-1)}`
      ].toSorted()
    )
    // The published battery is none of those among which the only one has the capacity of the form.
    expect(devices.find(({ manufacturerDeviceId }) => manufacturerDeviceId === id.battery)?.incompatible).toBeNull()
  })

  it("reports states in the platform's units and signs", async () => {
    const { id, subscription } = await following()
    const state = (one: string) =>
      subscription.observations().find(({ manufacturerDeviceId }) => manufacturerDeviceId === one)?.state
    expect(state(id.grid)).toEqual({ power: -800, importedEnergy: 1_200_500, exportedEnergy: 300_000 })
    expect(state(id.solar)).toEqual({ power: 3200, lifetimeEnergyGenerated: 8_000_000 })
    expect(state(id.battery)).toEqual({
      chargeRate: -1500,
      chargePercentage: 50,
      charge: 5000,
      chargingState: "charging",
      whConsumed: null
    })
    expect(state(id.fridge)).toEqual({ power: 92, importedEnergy: 77_000 })
    expect(state(id.charger)).toEqual({ chargerWattage: 0, lifetimeEnergyCharged: 500_000, chargingState: "idle" })
    expect(state(id.hall)).toEqual({
      ambientTemperature: 68.9,
      operatingMode: "heat",
      fanMode: "auto",
      heatTarget: 69.8
    })
    expect(state(id.tank)).toEqual({ waterTemperature: 122, targetTemperature: 131, operatingMode: "unknown" })
  })

  it("reports a changed state, an unavailable device, and nothing for a value that is not a number", async () => {
    const { id, peer, subscription } = await following()
    peer.set("sensor.grid_power", "1.25")
    await subscription.observed("the new power", ({ state }) => (state as any)?.power === 1250)
    peer.set("climate.hall", "unavailable")
    await subscription.observed(
      "the thermostat is not reachable",
      ({ isUnreachable, manufacturerDeviceId, state }) =>
        manufacturerDeviceId === id.hall && isUnreachable === true && state === null
    )
    peer.set("sensor.pv_power", "lots")
    const wrong = await subscription.observed("the problem", ({ problems }) => problems.length > 0)
    expect(wrong).toMatchObject({ manufacturerDeviceId: id.solar, state: null })
    expect(wrong.problems[0]).toContain("sensor.pv_power")
  })

  it("reads the older form of the energy preferences, and adds the flows of several tariffs", async () => {
    const { subscription } = await following({
      preferences: {
        energy_sources: [
          {
            type: "grid",
            flow_from: [{ stat_energy_from: "sensor.grid_in" }, { stat_energy_from: "sensor.fridge_energy" }],
            flow_to: [{ stat_energy_to: "sensor.grid_out" }],
            power: [{ stat_rate: "sensor.grid_power" }]
          }
        ],
        device_consumption: []
      }
    })
    expect(subscription.observations()[0]?.state).toEqual({
      power: -800,
      importedEnergy: 1_277_500,
      exportedEnergy: 300_000
    })
  })

  it("lists a device without a reading with its reason, and a battery of unknown capacity", async () => {
    const peer = await peerWith({
      preferences: {
        energy_sources: [{ type: "grid", stat_energy_from: "sensor.grid_in" }, casa.preferences.energy_sources[2]]
      }
    })
    const { instance, link } = await adapter()
    const account = await link(form(peer.port, { batteryCapacity: "" }))
    const devices = await Effect.runPromise(instance.discoverDevices!(account))
    const reason = (type: string) => devices.find((one) => one.type === type)?.incompatible
    expect(reason("meter")).toMatch(/No sensor of its power/)
    expect(reason("battery")).toMatch(/capacity/)
  })

  it("offers no command on a switch whose state is assumed", async () => {
    const { account, id, instance } = await linked({
      states: { ...casa.states, "switch.wallbox": { state: "off", attributes: { assumed_state: true } } }
    })
    const devices = await Effect.runPromise(instance.discoverDevices!(account))
    expect(devices.find(({ manufacturerDeviceId }) => manufacturerDeviceId === id.charger)?.commands).toEqual([])
  })

  it("adds a device that joins later, without another connection", async () => {
    const { id, peer, subscription } = await following()
    peer.set("climate.attic", "off", { ...casa.states["climate.hall"].attributes, friendly_name: "Attic" })
    peer.setRegistry([...casa.entities, { entity_id: "climate.attic", id: "r-attic" }])
    await eventually("the new thermostat", () =>
      subscription.reports.find(({ devices }) => devices?.some(({ name }) => name === "Attic"))
    )
    expect(peer.logins()).toBe(2)
    expect(id.hall).toContain("@127.0.0.1")
  })
})

describe("a form that names a Home Assistant instance", () => {
  it("names the field that is wrong", async () => {
    const { refused } = await adapter()
    for (const [field, value] of [
      ["host", "http://casa"],
      ["port", "0"],
      ["tls", "maybe"],
      ["fingerprint", "abc"],
      ["token", ""],
      ["token", "two words"],
      ["batteryCapacity", "10 kWh"]
    ] as const) {
      const error = await refused(form(8123, { [field]: value }))
      expect(error).toMatchObject({ failure: "misconfigured" })
      expect(error.message).toContain(field)
    }
  })

  it("says that the token is refused, that there is nothing to link, or that no API responds", async () => {
    const { refused } = await adapter()
    const peer = await peerWith()
    const wrong = await refused(form(peer.port, { token: "canary-wrong" }))
    expect(wrong).toMatchObject({ failure: "misconfigured", message: "Home Assistant refuses the access token" })
    const empty = await peerWith({ preferences: null, states: {}, devices: [], entities: [] })
    expect((await refused(form(empty.port))).message).toContain("Home Assistant responds")
    await empty.close()
    closing.splice(closing.indexOf(empty.close), 1)
    expect(await refused(form(empty.port))).toMatchObject({ failure: "unreachable" })
  })
})

describe("a command to a device of Home Assistant", () => {
  it("is completed once a state shows it, and not sent where it is so", async () => {
    const { account, id, peer, send } = await following()
    const heat = { operatingMode: "heat", heatTarget: 68 }
    const sent = await send(account, commandTo(id.hall, "thermostat:set-operating-mode", heat))
    expect(sent).toMatchObject(Result.succeed({ status: "completed", reason: null, sentInput: { heatTarget: 68 } }))
    expect(peer.calls.map(({ service, service_data }) => [service, service_data])).toEqual([
      ["set_hvac_mode", { hvac_mode: "heat" }],
      ["set_temperature", { temperature: 20 }]
    ])
    expect(await send(account, commandTo(id.hall, "thermostat:set-operating-mode", heat))).toMatchObject(
      Result.succeed({ status: "completed", reason: "already_so" })
    )
    expect(peer.calls).toHaveLength(2)
    const others = [
      commandTo(id.hall, "thermostat:set-operating-mode", { operatingMode: "auto", heatTarget: 66, coolTarget: 75 }),
      commandTo(id.hall, "thermostat:set-fan-mode", { fanMode: "on" }),
      commandTo(id.charger, "charger:set-operating-mode", { operatingMode: "start-charging" })
    ]
    for (const one of others) {
      expect(await send(account, one)).toMatchObject(Result.succeed({ status: "completed", reason: null }))
    }
    expect(peer.state("climate.hall")).toMatchObject({
      state: "heat_cool",
      attributes: { target_temp_low: 19, target_temp_high: 24, fan_mode: "low" }
    })
    expect(peer.state("switch.wallbox")?.state).toBe("on")
    expect(peer.connections()).toBe(1)
  })

  it("is refused without a call where the device can't do it, and with the reason of the instance", async () => {
    const { account, id, peer, send } = await following()
    const refused = async (input: Record<string, unknown>, type = "thermostat:set-operating-mode" as const) => {
      const result = await send(account, commandTo(id.hall, type, input))
      return Result.isFailure(result) ? result.failure : undefined
    }
    expect(await refused({ operatingMode: "eco" })).toMatchObject({ commandReason: "unsupported_value" })
    expect((await refused({ operatingMode: "heat", heatTarget: 120 }))?.message).toContain("heatTarget")
    expect(peer.calls).toEqual([])
    peer.failServices("service_validation_error", "Not while the window is open")
    expect(await refused({ operatingMode: "off" })).toMatchObject({
      failure: "refused",
      upstream: { errorCode: "service_validation_error", errorMessage: "Not while the window is open" }
    })
    peer.failServices("home_assistant_error")
    expect(await refused({ operatingMode: "off" })).toMatchObject({ failure: "vendor_fault" })
    peer.failServices("unauthorized")
    expect(await refused({ operatingMode: "off" })).toMatchObject({ failure: "scope_missing" })
  })

  it("is accepted and not completed where no state shows it", async () => {
    const { account, id, peer, send } = await following()
    peer.ignoreServices()
    const result = await send(account, commandTo(id.hall, "thermostat:set-operating-mode", { operatingMode: "off" }))
    expect(result).toMatchObject(Result.succeed({ status: "accepted", reason: null }))
  })

  it("stores whether a charger was on before it forces it, and another instance of the platform restores that", async () => {
    const { account, id, instance, peer, send } = await following()
    const saved: Array<unknown> = []
    const start = {
      ...commandTo(id.charger, "charger:set-operating-mode", { operatingMode: "start-charging" }),
      revertAfter: 600,
      saveSnapshot: (snapshot: unknown) => Effect.sync(() => void saved.push(snapshot))
    }
    await send(account, start)
    expect(saved).toEqual([{ operatingMode: "stop-charging" }])
    expect(peer.state("switch.wallbox")?.state).toBe("on")
    const other = await adapter()
    const restore = (snapshot: unknown) =>
      Effect.runPromise(
        Effect.result(other.instance.restore!(account, { device: start.device, snapshot, takenSince: [] }))
      )
    expect(await restore(saved[0])).toMatchObject(Result.succeed({ status: "completed" }))
    expect(peer.state("switch.wallbox")?.state).toBe("off")
    expect(await restore(saved[0])).toMatchObject(Result.succeed({ reason: "already_so" }))
    expect(Result.isFailure(await restore({ reserve: 20 }))).toBe(true)
    expect(instance.restore).toBeDefined()
  })
})

describe("a connection to Home Assistant", () => {
  it("fails when it is dropped, and as a lost permission when the token was revoked", async () => {
    const { account, peer, subscribe, subscription } = await following()
    peer.drop()
    expect(await subscription.failed()).toMatchObject({ failure: "unreachable" })
    peer.setToken("another-one")
    expect(await subscribe(account).failed()).toMatchObject({ failure: "grant_lost" })
  })
})
