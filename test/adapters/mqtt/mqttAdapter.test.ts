import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { mqttAdapter } from "@edp/adapter-mqtt/mqttAdapter"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { commandTo, startAdapter } from "./onBroker.ts"

type Running = Awaited<ReturnType<typeof startAdapter>>

const thermostat = {
  dev: { ids: "hall-1", name: "Hall", mf: "Acme", mdl: "T1", sn: "42" },
  avty: [{ t: "hall/online" }],
  cmps: {
    climate: {
      p: "climate",
      curr_temp_t: "hall/now",
      mode_stat_t: "hall/mode",
      mode_cmd_t: "hall/mode/set",
      modes: ["off", "heat"],
      temp_stat_t: "hall/target",
      temp_cmd_t: "hall/target/set",
      temp_unit: "C",
      temp_step: 0.5,
      min_temp: 7,
      max_temp: 30
    }
  }
}

const zigbee = [
  {
    ieee_address: "0x02",
    friendly_name: "garage",
    type: "Router",
    definition: {
      model: "PLUG-1",
      vendor: "Acme",
      exposes: [
        { type: "switch", features: [{ type: "binary", name: "state", property: "state", access: 7 }] },
        { type: "numeric", name: "power", property: "power", unit: "W", access: 1 }
      ]
    }
  }
]

const tasmotaConfig = {
  mac: "A1B2C3D4E5F6",
  dn: "Washer",
  t: "washer",
  ft: "%prefix%/%topic%/",
  tp: ["cmnd", "stat", "tele"],
  md: "POW",
  ofln: "Offline",
  onln: "Online",
  rl: [1, 0]
}

const publishDescriptions = async (broker: MosquittoBroker) => {
  await broker.publish("homeassistant/device/hall/config", JSON.stringify(thermostat), { retain: true })
  await broker.publish("zigbee2mqtt/bridge/devices", JSON.stringify(zigbee), { retain: true })
  await broker.publish("tasmota/discovery/A1B2C3D4E5F6/config", JSON.stringify(tasmotaConfig), { retain: true })
  await broker.publish(
    "tasmota/discovery/A1B2C3D4E5F6/sensors",
    JSON.stringify({ sn: { ENERGY: { Total: 1, Power: 2 } } }),
    { retain: true }
  )
}

const form = (port: number, more: Readonly<Record<string, string>> = {}) => ({
  host: "127.0.0.1",
  port: String(port),
  tls: "no",
  discoveryPrefix: "homeassistant",
  zigbeeTopic: "zigbee2mqtt",
  tasmota: "yes",
  sensorRole: "meter",
  ...more
})

const tele = (watts: number) => JSON.stringify({ ENERGY: { Total: 1.5, Power: watts } })

describeMosquitto("devices on an MQTT broker", () => {
  let broker: MosquittoBroker
  let adapter: Running
  const at = (id: string) => `${id}@127.0.0.1:${broker.port}`

  beforeAll(async () => {
    broker = await startMosquitto()
    await publishDescriptions(broker)
    adapter = await startAdapter(mqttAdapter, { reportSeconds: 1 })
  })
  afterAll(async () => {
    await adapter?.close()
    await broker?.close()
  })

  it("are found by their retained descriptions, in all three dialects", async () => {
    const linked = await adapter.connect(form(broker.port))
    expect(linked).toMatchObject({
      externalId: `127.0.0.1:${broker.port}`,
      name: `127.0.0.1:${broker.port} (3 devices)`,
      expiresAt: null
    })
    expect(linked.credentials.broker.version).toBe(5)
    const account = await adapter.link(form(broker.port, { chargers: "garage" }))
    const found = await Effect.runPromise(adapter.instance.discoverDevices!(account))
    expect(found).toMatchObject([
      { manufacturerDeviceId: at("0x02"), type: "charger", name: "garage", commands: ["charger:set-operating-mode"] },
      { manufacturerDeviceId: at("A1B2C3D4E5F6"), type: "meter", name: "Washer", commands: [] },
      {
        manufacturerDeviceId: at("hall-1"),
        type: "thermostat",
        serialNumber: "42",
        rawModel: "Acme T1",
        commands: ["thermostat:set-operating-mode"]
      }
    ])
  })

  it("under other topics of the same broker are another account", async () => {
    await broker.publish("garage/bridge/devices", JSON.stringify(zigbee), { retain: true })
    const linked = await adapter.connect(form(broker.port, { zigbeeTopic: "garage" }))
    expect(linked.externalId).toBe(`127.0.0.1:${broker.port}/garage`)
    await broker.publish("garage/bridge/devices", "", { retain: true })
  })

  it("report while they publish, in our units, and say when they go", async () => {
    const account = await adapter.link(form(broker.port))
    const live = adapter.subscribe(account)
    await eventually("the devices", () => live.reports.find(({ devices }) => devices?.length === 3))
    await broker.publish("hall/now", "20", { retain: true })
    await broker.publish("hall/mode", "heat", { retain: true })
    await broker.publish("hall/target", "21.5", { retain: true })
    const seen = await live.observed(
      "the thermostat",
      ({ state }) => state !== null && "heatTarget" in state && (state as any).heatTarget === 70.7
    )
    expect(seen).toMatchObject({
      manufacturerDeviceId: at("hall-1"),
      state: { ambientTemperature: 68, operatingMode: "heat", fanMode: "unknown", heatTarget: 70.7 },
      staticState: { allowedModes: ["off", "heat"] },
      interventions: [],
      problems: []
    })
    await broker.publish("tele/washer/LWT", "Offline", { retain: true })
    const gone = await live.observed(
      "the end",
      ({ manufacturerDeviceId, state }) => manufacturerDeviceId === at("A1B2C3D4E5F6") && state === null
    )
    expect(gone.observedAt).toBeGreaterThanOrEqual(seen.observedAt)
    await broker.publish("tele/washer/LWT", "Online", { retain: true })
    await live.end()
  })

  it("are reported by one reading a second at most, with the newest value last", async () => {
    const account = await adapter.link(form(broker.port))
    const live = adapter.subscribe(account)
    await eventually("the devices", () => live.reports.find(({ devices }) => devices !== null))
    await broker.publishLines(
      "tele/washer/SENSOR",
      Array.from({ length: 3000 }, (_, n) => tele(n + 1))
    )
    const isWasher = (one: { manufacturerDeviceId: string }) => one.manufacturerDeviceId === at("A1B2C3D4E5F6")
    await live.observed("the newest", (one) => isWasher(one) && (one.state as any)?.power === 3000)
    const times = live.observations().filter(isWasher)
    expect(times.at(-1)!.observedAt - times[0]!.observedAt).toBeGreaterThanOrEqual((times.length - 2) * 1000)
    for (const [n, one] of times.entries()) {
      if (n > 0) expect(one.observedAt).toBeGreaterThan(times[n - 1]!.observedAt)
    }
    await live.end()
  })

  it("that are described later are reported, and so are those that are taken away", async () => {
    const account = await adapter.link(form(broker.port))
    const live = adapter.subscribe(account)
    await eventually("the devices", () => live.reports.find(({ devices }) => devices?.length === 3))
    const sensor = {
      dev: { ids: ["late"], name: "Late" },
      stat_t: "late/power",
      unit_of_meas: "W",
      dev_cla: "power"
    }
    await broker.publish("homeassistant/sensor/late/config", JSON.stringify(sensor), { retain: true })
    await eventually("the fourth", () => live.reports.find(({ devices }) => devices?.length === 4))
    await broker.publish("late/power", "815")
    await live.observed("its state", ({ state }) => (state as any)?.power === 815)
    await broker.publish("homeassistant/sensor/late/config", "", { retain: true })
    await eventually(
      "three again",
      () => live.reports.findLast(({ devices }) => devices)!.devices!.length === 3 || undefined
    )
    await live.end()
  })

  it("get commands as other clients see them, confirmed by their own state", async () => {
    const account = await adapter.link(form(broker.port, { chargers: "0x02" }))
    const live = adapter.subscribe(account)
    await eventually("the devices", () => live.reports.find(({ devices }) => devices?.length === 3))
    const other = await broker.receive("#")
    const sent = adapter.send(
      account,
      commandTo(at("0x02"), "charger:set-operating-mode", { operatingMode: "start-charging" })
    )
    await eventually("the message", () => other.lines().includes('zigbee2mqtt/garage/set {"state":"ON"}') || undefined)
    await broker.publish("zigbee2mqtt/garage", JSON.stringify({ state: "ON", power: 2100 }))
    expect(Result.getOrThrow(await sent)).toEqual({ status: "completed", reason: null, output: null, upstream: null })
    const seen = await live.observed("charging", ({ state }) => (state as any)?.chargingState === "charging")
    const { confirms } = adapter.instance
    expect(
      confirms!({ type: "charger:set-operating-mode", input: { operatingMode: "start-charging" } }, seen, null)
    ).toBe("met")
    expect(
      confirms!({ type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" } }, seen, null)
    ).toBe("contrary")
    other.end()
    await live.end()
  })

  it("get commands without a subscription, in the order mode and target, which no message from before completes", async () => {
    await broker.publish("hall/mode", "heat", { retain: true })
    await broker.publish("hall/target", "20", { retain: true })
    await broker.publish("hall/online", "", { retain: true })
    const account = await adapter.link(form(broker.port))
    const other = await broker.receive("hall/+/set")
    const result = await adapter.send(
      account,
      commandTo(at("hall-1"), "thermostat:set-operating-mode", { operatingMode: "heat", heatTarget: 68 })
    )
    expect(Result.getOrThrow(result)).toMatchObject({ status: "accepted", reason: null })
    expect(other.lines()).toEqual(["hall/mode/set heat", "hall/target/set 20"])
    await broker.publish("hall/online", "online", { retain: true })
    other.end()
  })

  it("refuse values that they can't take, and commands while they are not reachable", async () => {
    const account = await adapter.link(form(broker.port))
    const cool = await adapter.send(
      account,
      commandTo(at("hall-1"), "thermostat:set-operating-mode", { operatingMode: "cool", coolTarget: 70 })
    )
    expect(Result.isFailure(cool) && cool.failure).toMatchObject({
      failure: "refused",
      commandReason: "unsupported_value",
      message: "operatingMode can't be cool on this device"
    })
    await broker.publish("hall/online", "offline", { retain: true })
    const asleep = await adapter.send(
      account,
      commandTo(at("hall-1"), "thermostat:set-operating-mode", { operatingMode: "heat", heatTarget: 68 })
    )
    expect(Result.isFailure(asleep) && asleep.failure.failure).toBe("unreachable")
    await broker.publish("hall/online", "online", { retain: true })
    const unknown = await adapter.send(
      account,
      commandTo(at("nobody"), "thermostat:set-operating-mode", { operatingMode: "off" })
    )
    expect(Result.isFailure(unknown) && unknown.failure.failure).toBe("unreachable")
  })

  it("get nothing that their state shows already, as long as it is their present state", async () => {
    await broker.publish("hall/mode", "heat", { retain: true })
    await broker.publish("hall/target", "20", { retain: true })
    await broker.publish("hall/online", "", { retain: true })
    const account = await adapter.link(form(broker.port))
    const other = await broker.receive("hall/+/set")
    const heat = (heatTarget: number, id = "hall-1") =>
      adapter.send(account, commandTo(at(id), "thermostat:set-operating-mode", { operatingMode: "heat", heatTarget }))
    const targets = () => other.lines().filter((line) => line.startsWith("hall/target/set"))
    /** The device does what the message asks, and says so. */
    const echo = async (celsius: string, messages: number) => {
      await eventually("the message", () => targets()[messages - 1])
      await broker.publish("hall/mode", "heat", { retain: true })
      await broker.publish("hall/target", celsius, { retain: true })
    }
    // Retained messages of a device that does not say whether it is reachable may be of any age.
    const first = heat(68)
    await echo("20", 1)
    expect(Result.getOrThrow(await first)).toMatchObject({ status: "completed", reason: null })
    await broker.publish("hall/online", "online", { retain: true })
    expect(Result.getOrThrow(await heat(68))).toEqual({
      status: "completed",
      reason: "already_so",
      output: null,
      upstream: null
    })
    // Another target is another one, however close, unless the device's steps make them one.
    const close = heat(68.5)
    await echo("20.5", 2)
    expect(Result.getOrThrow(await close)).toMatchObject({ status: "completed", sentInput: { heatTarget: 68.9 } })
    expect(Result.getOrThrow(await heat(69))).toMatchObject({ reason: "already_so" })
    // An effect has yet to show, so the next command is sent in any case.
    expect(Result.getOrThrow(await heat(70))).toMatchObject({ status: "accepted", sentInput: { heatTarget: 69.8 } })
    const last = heat(69)
    await echo("20.5", 4)
    expect(Result.getOrThrow(await last)).toMatchObject({ status: "completed", reason: null })
    expect(targets().map((line) => line.split(" ")[1])).toEqual(["20", "20.5", "21", "20.5"])
    other.end()
  })

  it("are outlets that are switched for some time and then as they were before", async () => {
    const account = await adapter.link(form(broker.port, { chargers: "0x02" }))
    const live = adapter.subscribe(account)
    await eventually("the devices", () => live.reports.find(({ devices }) => devices?.length === 3))
    const other = await broker.receive("zigbee2mqtt/garage/set")
    const saved: Array<unknown> = []
    const command = (operatingMode: string, snapshot: unknown = null): CommandRequest => ({
      ...commandTo(at("0x02"), "charger:set-operating-mode", { operatingMode }),
      revertAfter: 600,
      snapshot,
      saveSnapshot: (value) => Effect.sync(() => void saved.push(value))
    })
    const restore = () =>
      Effect.runPromise(
        adapter.instance.restore!(account, { device: command("").device, snapshot: saved[0], takenSince: [] })
      )
    const show = async (state: "ON" | "OFF", messages: number) => {
      await eventually("the message", () => other.lines()[messages - 1])
      await broker.publish("zigbee2mqtt/garage", JSON.stringify({ state, power: 0 }))
    }

    await broker.publish("zigbee2mqtt/garage", JSON.stringify({ state: "ON", power: 0 }))
    await live.observed(
      "the outlet",
      ({ manufacturerDeviceId, state }) => manufacturerDeviceId === at("0x02") && state !== null
    )
    const stopped = adapter.send(account, command("stop-charging"))
    await show("OFF", 1)
    expect(Result.getOrThrow(await stopped)).toMatchObject({ status: "completed", reason: null })
    expect(saved).toEqual([{ operatingMode: "start-charging" }])
    // A mode over it keeps what was before the first one; the same again is already so.
    expect(Result.getOrThrow(await adapter.send(account, command("stop-charging", saved[0])))).toMatchObject({
      reason: "already_so"
    })
    const restored = restore()
    await show("ON", 2)
    expect(await restored).toMatchObject({ status: "completed", reason: null })
    expect(await restore()).toMatchObject({ reason: "already_so" })
    expect(saved).toHaveLength(1)
    expect(other.lines().map((line) => line.split(" ")[1])).toEqual(['{"state":"OFF"}', '{"state":"ON"}'])
    other.end()
    await live.end()
  })
})
