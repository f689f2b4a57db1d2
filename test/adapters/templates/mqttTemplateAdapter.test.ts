import { manufacturerSlug, type MqttTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { mqttTemplateAdapters } from "@edp/adapter-templates/mqttTemplateAdapter"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { commandTo, startAdapter } from "../mqtt/onBroker.ts"

const adapters = mqttTemplateAdapters(shippedTemplates)
const templates = shippedTemplates.filter((one): one is MqttTemplate => one.protocol === "mqtt")
const adapterFor = (template: MqttTemplate) =>
  adapters.find(({ manifest }) => manifest.slug === manufacturerSlug(template))!

describe("the manufacturers with templates over MQTT", () => {
  it("have an adapter each, which asks for the model if there are several", async () => {
    expect(adapters.map(({ manifest }) => [manifest.slug, manifest.deviceTypes, manifest.commands])).toEqual([
      ["shelly", ["meter"], []],
      ["tasmota", ["meter"], []],
      [
        "zigbee2mqtt",
        ["charger", "meter", "thermostat"],
        ["charger:set-operating-mode", "thermostat:set-operating-mode"]
      ]
    ])
    const models = await Promise.all(
      adapters.map(async (adapter) => {
        const { close, instance } = await startAdapter(adapter)
        await close()
        const { authorization } = instance
        return authorization.kind === "form" && authorization.fields.some(({ name }) => name === "model")
      })
    )
    expect(models).toEqual([false, false, true])
  })
})

describeMosquitto("a device that a template describes", () => {
  let broker: MosquittoBroker
  beforeAll(async () => {
    broker = await startMosquitto()
  })
  afterAll(() => broker?.close())

  const form = (template: MqttTemplate, more: Readonly<Record<string, string>> = {}) => ({
    host: "127.0.0.1",
    port: String(broker.port),
    tls: "no",
    model: template.slug,
    device: template.fixture.id,
    ...more
  })

  it.each(templates.map((template) => [template.slug, template] as const))(
    "%s reports exactly the state of its fixture",
    async (_, template) => {
      const { expected, id, messages } = template.fixture
      const { close, instance, link, subscribe } = await startAdapter(adapterFor(template))
      for (const [topic, payload] of Object.entries(messages)) await broker.publish(topic, payload, { retain: true })
      const account = await link(form(template))
      expect(account.externalId).toBe(`127.0.0.1:${broker.port}/${id}`)
      const live = subscribe(account)
      await eventually("the device", () => live.reports.find(({ devices }) => devices !== null))
      for (const [topic, payload] of Object.entries(messages)) await broker.publish(topic, payload)
      for (const { key } of template.devices) {
        const own = `${id}/${key}@127.0.0.1:${broker.port}`
        const seen = await live.observed(key, ({ manufacturerDeviceId }) => manufacturerDeviceId === own)
        expect(seen.state).toEqual(expected[key]!.state)
        if (expected[key]!.staticState !== undefined) expect(seen.staticState).toEqual(expected[key]!.staticState)
      }
      expect(await Effect.runPromise(instance.discoverDevices!(account))).toMatchObject(
        template.devices.map(({ key, type }) => ({
          manufacturerDeviceId: `${id}/${key}@127.0.0.1:${broker.port}`,
          type
        }))
      )
      await close()
    }
  )

  it("takes the command that its template writes, as another client sees it", async () => {
    const template = templates.find(({ slug }) => slug === "zigbee2mqtt-charging-outlet")!
    const { close, link, send } = await startAdapter(adapterFor(template))
    const account = await link(form(template))
    const other = await broker.receive("zigbee2mqtt/garage/set")
    const id = `garage/charger@127.0.0.1:${broker.port}`
    const sent = await send(account, commandTo(id, "charger:set-operating-mode", { operatingMode: "stop-charging" }))
    expect(Result.isSuccess(sent)).toBe(true)
    await eventually("the message", () => other.lines()[0])
    expect(other.lines()).toEqual(['zigbee2mqtt/garage/set {"state":"OFF"}'])
    other.end()
    await close()
  })

  it("is an outlet that is switched for some time only if it indicates whether it is on", async () => {
    const template = templates.find(({ slug }) => slug === "zigbee2mqtt-charging-outlet")!
    const { close, link, send } = await startAdapter(adapterFor(template))
    const account = await link(form(template, { device: "carport" }))
    const saved: Array<unknown> = []
    const start = () =>
      send(account, {
        ...commandTo(`carport/charger@127.0.0.1:${broker.port}`, "charger:set-operating-mode", {
          operatingMode: "start-charging"
        }),
        revertAfter: 600,
        saveSnapshot: (snapshot) => Effect.sync(() => void saved.push(snapshot))
      })
    const unknown = await start()
    expect(Result.isFailure(unknown) && unknown.failure).toMatchObject({
      failure: "refused",
      commandReason: "precondition_unmet"
    })
    await broker.publish("zigbee2mqtt/carport", '{"state":"OFF","power":0}', { retain: true })
    expect(Result.getOrThrow(await start())).toMatchObject({ status: "accepted" })
    expect(saved).toEqual([{ operatingMode: "stop-charging" }])
    await close()
  })

  it.each([
    [{ device: "#" }, "device must be a name without wildcards, of at most 100 characters"],
    [{ device: "" }, "device must be a name without wildcards, of at most 100 characters"],
    [{ model: "other" }, /^model must be one of zigbee2mqtt-charging-outlet, /],
    [{ host: "mqtt://broker" }, "host must be a name or an IP address, without a scheme and a port"],
    [{ port: "0" }, "port must be a whole number from 1 to 65535"],
    [{ tls: "maybe" }, "tls must be yes or no"],
    [{ tls: "yes", fingerprint: "ab" }, "fingerprint must be a SHA-256 fingerprint: 32 bytes in hexadecimal"],
    [{ fingerprint: "ab".repeat(32) }, "fingerprint needs encryption (tls)"],
    [{ password: "x" }, "username is required with a password"]
  ])("is not linked with %j", async (wrong, message) => {
    const template = templates.find(({ slug }) => slug === "zigbee2mqtt-thermostat")!
    const { close, refused } = await startAdapter(adapterFor(template))
    const error = await refused(form(template, wrong))
    expect(error.failure).toBe("misconfigured")
    expect(error.message).toMatch(message)
    await close()
  })
})
