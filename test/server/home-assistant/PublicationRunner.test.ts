import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangePublications, PASSWORD, samples, USER } from "./arrangePublications.ts"

describeMosquitto("devices published to Home Assistant", () => {
  const app = useTestApp({ own: true })
  let broker: MosquittoBroker
  const ends: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    broker = await startMosquitto({ users: { [USER]: PASSWORD } })
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  afterAll(() => broker?.close())

  const arrange = async () => {
    const place = await arrangePublications(app, broker)
    ends.push(place.end)
    return place
  }

  it("describes every type of device with its figures, and follows new readings", async () => {
    const place = await arrange()
    const ids = Object.fromEntries(
      await Promise.all(Object.keys(samples).map(async (name) => [name, await place.sample(name)] as const))
    )
    const { id } = await place.connected({ takesCommands: true })
    const configs = place.configs(id)
    expect(Object.keys(configs).toSorted()).toEqual(Object.values(ids).toSorted())
    expect(place.status(id)).toBe("online")
    const { battery, meter, thermostat } = ids as Record<string, string>
    expect(configs[battery!].device).toMatchObject({ name: "The battery", model: "Model battery", model_id: "battery" })
    expect(configs[battery!].components).toMatchObject({
      chargePercentage: { platform: "sensor", device_class: "battery", unit_of_measurement: "%" },
      backupReserve: { platform: "number", min: 0, max: 100, command_topic: `edp/${id}/${battery}/set/backupReserve` },
      operatingMode: { platform: "select", options: ["automatic", "charge", "discharge", "idle"] },
      isStormModeActive: { platform: "binary_sensor" }
    })
    // A field that the device has never shown is no entity.
    expect(configs[battery!].components).not.toHaveProperty("gridStatus")
    expect(place.state(id, battery!)).toMatchObject({
      chargePercentage: 50,
      chargeRate: 1200,
      isStormModeActive: "OFF",
      operatingMode: "automatic",
      gridStatus: null
    })
    expect(configs[thermostat!].components.climate).toMatchObject({
      platform: "climate",
      temperature_unit: "F",
      modes: ["heat", "cool", "heat_cool", "off"],
      preset_modes: ["eco"],
      min_temp: 45,
      max_temp: 90
    })
    expect(Object.values(ids).map((one) => place.availability(id, one))).toEqual(
      Object.keys(samples).map(() => "online")
    )
    expect(await place.read(id)).toMatchObject({
      devices: Object.keys(samples).length,
      devicesLeftOut: 0,
      failure: null
    })

    const topic = `homeassistant/device/edp_${id}/${meter}/config`
    const before = place.received(topic)
    await place.report(meter!, { ...samples["meter"]!.state, power: 1234 })
    await eventually("the new figure", () => (place.state(id, meter!).power === 1234 ? true : undefined))
    expect(place.received(topic)).toBe(before)
  })

  it("removes a device that is deleted, or loses the tag, and adds one that gets it", async () => {
    const place = await arrange()
    const [kept, untagged, deleted] = [
      await place.sample("meter", { tags: ["home"] }),
      await place.sample("meter", { tags: ["home"] }),
      await place.sample("meter", { tags: ["home"] })
    ]
    const late = await place.sample("meter")
    const { id } = await place.connected({ tag: "home" })
    expect(Object.keys(place.configs(id)).toSorted()).toEqual([kept, untagged, deleted].toSorted())
    await place.call("DELETE", `/v1/devices/${untagged}/tags/home`)
    await place.call("DELETE", `/v1/devices/${deleted}`)
    await place.call("PUT", `/v1/devices/${late}/tags`, { tags: ["home"] })
    await eventually("the changed devices", () =>
      Object.keys(place.configs(id)).toSorted().join() === [kept, late].toSorted().join() ? true : undefined
    )
    await eventually("no topics of the removed devices", () =>
      [untagged, deleted].every(
        (one) => place.state(id, one) === undefined && place.availability(id, one) === undefined
      )
        ? true
        : undefined
    )
    await eventually("the count", async () => ((await place.read(id)).devices === 2 ? true : undefined))
  })

  it("removes what was left by devices that went while nobody published", async () => {
    const place = await arrange()
    const gone = await place.sample("meter")
    const kept = await place.sample("meter")
    const { id } = await place.publish()
    const topic = (device: string) => `homeassistant/device/edp_${id}/${device}/config`
    const left = JSON.stringify({ device: {}, components: { power: { platform: "sensor" } } })
    for (const device of [gone, kept]) await broker.publish(topic(device), left, { retain: true })
    await place.call("DELETE", `/v1/devices/${gone}`)
    await place.step()
    await eventually("the connection", async () => ((await place.read(id)).status === "connected" ? true : undefined))
    expect(Object.keys(place.configs(id))).toEqual([kept])
  })

  it("publishes everything again when a Home Assistant has started", async () => {
    const place = await arrange()
    const device = await place.sample("meter")
    const { id } = await place.connected()
    const topics = [
      `homeassistant/device/edp_${id}/${device}/config`,
      `edp/${id}/${device}/state`,
      `edp/${id}/${device}/availability`
    ]
    const before = topics.map(place.received)
    await broker.publish("homeassistant/status", "online")
    await eventually("all messages again", () =>
      topics.every((topic, n) => place.received(topic) > before[n]!) ? true : undefined
    )
  })

  it("turns messages into commands of the platform, and a set-point joins the mode that came with it", async () => {
    const place = await arrange()
    const [battery, charger, thermostat] = [
      await place.sample("battery"),
      await place.sample("charger"),
      await place.sample("thermostat")
    ]
    const { id } = await place.connected({ takesCommands: true })
    const say = (device: string, key: string, text: string) => broker.publish(`edp/${id}/${device}/set/${key}`, text)
    await say(battery, "backupReserve", "35")
    await say(charger, "charging", "OFF")
    await say(thermostat, "mode", "heat")
    await say(thermostat, "temperature", "68.5")
    const commands = await eventually("the commands", async () => {
      const found = await place.commands()
      return found.length >= 3 ? found : undefined
    })
    expect(
      commands
        .map(({ input, source, sourceId, type }) => ({ input, source, sourceId, type }))
        .toSorted((one, other) => (one.type < other.type ? -1 : 1))
    ).toEqual([
      { type: "battery:set-reserve", input: { chargePercentage: 35 }, source: "user", sourceId: id },
      { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" }, source: "user", sourceId: id },
      {
        type: "thermostat:set-operating-mode",
        input: { operatingMode: "heat", heatTarget: 68.5 },
        source: "user",
        sourceId: id
      }
    ])
  })

  it("takes no message that breaks a limit, was kept by the broker, or comes without permission", async () => {
    const place = await arrange()
    const battery = await place.sample("battery")
    const thermostat = await place.sample("thermostat")
    const { id } = await place.publish({ takesCommands: true })
    await broker.publish(`edp/${id}/${battery}/set/backupReserve`, "10", { retain: true })
    await place.step()
    await eventually("the connection", async () => ((await place.read(id)).status === "connected" ? true : undefined))
    await broker.publish(`edp/${id}/${battery}/set/backupReserve`, "101")
    await broker.publish(`edp/${id}/${battery}/set/operatingMode`, "explode")
    await broker.publish(`edp/${id}/${thermostat}/set/heatTarget`, "85")
    await broker.publish(`edp/${id}/${thermostat}/set/coolTarget`, "88")
    await broker.publish(`edp/${id}/${thermostat}/set/fanMode`, "on")
    await eventually("the allowed one", async () => ((await place.commands()).length > 0 ? true : undefined))
    expect((await place.commands()).map(({ type }) => type)).toEqual(["thermostat:set-fan-mode"])
    await broker.publish(`edp/${id}/${battery}/set/backupReserve`, "", { retain: true })

    await place.patch(id, { takesCommands: false })
    await eventually("the release", async () => ((await place.read(id)).status === "connecting" ? true : undefined))
    await place.step()
    await eventually("sensors instead of controls", () =>
      place.configs(id)[battery]?.components.backupReserve.platform === "sensor" ? true : undefined
    )
    expect(place.configs(id)[battery].components).not.toHaveProperty("operatingMode")
    await broker.publish(`edp/${id}/${battery}/set/backupReserve`, "40")
    await place.report(battery, { ...samples["battery"]!.state, chargePercentage: 49 })
    await eventually("a later state", () => (place.state(id, battery).chargePercentage === 49 ? true : undefined))
    expect(await place.commands()).toHaveLength(1)
  })

  it("is one connection, whoever looks for work", async () => {
    const place = await arrange()
    await place.sample("meter")
    const { id } = await place.publish()
    const claimed = await Promise.all([place.step(), place.step(), place.step()])
    expect(claimed.reduce((sum, one) => sum + one, 0)).toBe(1)
    await eventually("the connection", async () => ((await place.read(id)).status === "connected" ? true : undefined))
    expect(await place.step()).toBe(0)
  })

  it("shows why it fails, and goes on with the right password", async () => {
    const place = await arrange()
    const device = await place.sample("meter")
    const { id } = await place.publish({ password: "wrong-0815" })
    await place.step()
    await eventually("the failure", async () => ((await place.read(id)).status === "failing" ? true : undefined))
    const failing = await place.read(id)
    expect(failing).toMatchObject({
      failure: "The broker refuses the user name or password",
      failingSince: expect.any(String),
      connectedAt: null,
      password: "********"
    })
    expect(JSON.stringify(failing)).not.toContain("0815")
    expect(await place.step()).toBe(0)
    expect((await place.patch(id, { password: PASSWORD })).body).toMatchObject({ status: "connecting", failure: null })
    await place.step()
    await eventually("the connection", async () => ((await place.read(id)).status === "connected" ? true : undefined))
    expect(Object.keys(place.configs(id))).toEqual([device])
  })

  it("is shown as offline while the broker or the connection is gone, and goes on when it is back", async () => {
    const place = await arrange()
    const device = await place.sample("meter")
    const { id } = await place.connected()
    await broker.stop()
    await eventually("the failure", async () => ((await place.read(id)).status === "failing" ? true : undefined))
    await broker.start()
    await place.report(device, { ...samples["meter"]!.state, power: 77 })
    await place.hurry(id)
    await place.step()
    await eventually("the connection", async () => ((await place.read(id)).status === "connected" ? true : undefined))
    await eventually("the figure of meanwhile", () => (place.state(id, device)?.power === 77 ? true : undefined))
    await eventually("the status", () => (place.status(id) === "online" ? true : undefined))
  })

  it("leaves nothing at the broker when it is deleted, or moves to another prefix", async () => {
    const place = await arrange()
    const device = await place.sample("meter")
    const { id } = await place.connected()
    await place.patch(id, { discoveryPrefix: "other" })
    await eventually("an empty prefix", () => (Object.keys(place.configs(id)).length === 0 ? true : undefined))
    await eventually("the release", async () => ((await place.read(id)).status === "connecting" ? true : undefined))
    await place.step()
    await eventually("the other prefix", () => place.configs(id, "other")[device])
    await eventually("the connection", async () => ((await place.read(id)).status === "connected" ? true : undefined))
    expect((await place.remove(id)).status).toBe(204)
    const own = () => [...place.retained.keys()].filter((topic) => topic.includes(id))
    await eventually("an empty broker", () => (own().length === 0 ? true : undefined))
  })
})
