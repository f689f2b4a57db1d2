import { mqttAdapter } from "@edp/adapter-mqtt/mqttAdapter"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { commandTo, startAdapter } from "../../adapters/mqtt/onBroker.ts"
import { arrangePublications, PASSWORD, samples, USER } from "./arrangePublications.ts"

/** The types that the MQTT adapter has. */
const types = ["charger", "inverter", "meter", "thermostat", "water_heater"] as const

describeMosquitto("devices published to Home Assistant and read by the MQTT adapter", () => {
  const app = useTestApp({ own: true })
  let broker: MosquittoBroker
  const ends: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    broker = await startMosquitto({ users: { [USER]: PASSWORD } })
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })
  afterAll(() => broker?.close())

  const form = (published: "no" | "yes") => ({
    host: "127.0.0.1",
    port: String(broker.port),
    tls: "no",
    username: USER,
    password: PASSWORD,
    discoveryPrefix: "homeassistant",
    zigbeeTopic: "",
    tasmota: "no",
    published
  })

  const arrange = async () => {
    const place = await arrangePublications(app, broker)
    ends.push(place.end)
    const ids = Object.fromEntries(
      await Promise.all(types.map(async (type) => [type, await place.sample(type)] as const))
    ) as Record<(typeof types)[number], string>
    const publication = await place.connected({ takesCommands: true })
    ends.push(() => place.remove(publication.id))
    const adapter = await startAdapter(mqttAdapter, { reportSeconds: 1 })
    ends.push(adapter.close)
    return { ...place, ids, publication, adapter }
  }

  it("are the same devices with the same figures", async () => {
    const { adapter, ids, report } = await arrange()
    const account = await adapter.link(form("yes"))
    const found = await adapter.discover(account)
    const idAtBroker = (type: (typeof types)[number]) => `edp_${ids[type]}@127.0.0.1:${broker.port}`
    expect(
      found.map(({ manufacturerDeviceId, name, type }) => ({ manufacturerDeviceId, name, type })).toSorted(byType)
    ).toEqual(types.map((type) => ({ manufacturerDeviceId: idAtBroker(type), name: `The ${type}`, type })))
    const subscription = adapter.subscribe(account)
    for (const type of types) {
      const state = { ...samples[type]!.state, ...changed[type] }
      await report(ids[type], state)
      const { isPluggedIn: _, ...figures } = state as Record<string, unknown>
      const observed = await subscription.observed(
        `the figures of the ${type}`,
        ({ manufacturerDeviceId, state: own }) =>
          manufacturerDeviceId === idAtBroker(type) &&
          Object.entries(figures).every(([key, value]) => (own as any)?.[key] === value)
      )
      expect(observed.state).toEqual(figures)
    }
  })

  it("take commands, which become commands of the platform with the same input", async () => {
    const { adapter, commands, ids, publication } = await arrange()
    const account = await adapter.link(form("yes"))
    const subscription = adapter.subscribe(account)
    const send = async ([device, type, input]: readonly [string, CommandSlug, object]) => {
      const id = `edp_${device}@127.0.0.1:${broker.port}`
      await subscription.observed("the device", ({ manufacturerDeviceId }) => manufacturerDeviceId === id)
      expect(await adapter.send(account, commandTo(id, type, input as never))).toMatchObject({ _tag: "Success" })
    }
    const sent = [
      [ids.charger, "charger:set-operating-mode", { operatingMode: "stop-charging" }],
      [ids.thermostat, "thermostat:set-operating-mode", { operatingMode: "cool", coolTarget: 75.5 }],
      [ids.thermostat, "thermostat:set-fan-mode", { fanMode: "on" }]
    ] as const
    for (const one of sent) await send(one)
    const issued = await eventually("the commands", async () => {
      const all = await commands()
      return all.length === sent.length ? all : undefined
    })
    expect(issued.map(({ deviceId, input, sourceId, type }) => ({ deviceId, input, sourceId, type }))).toEqual(
      expect.arrayContaining(
        sent.map(([deviceId, type, input]) => ({ deviceId, type, input, sourceId: publication.id }))
      )
    )
  })

  it("are left out unless they are asked for, so that a platform does not count its own devices twice", async () => {
    const { adapter } = await arrange()
    expect(await adapter.refused(form("no"))).toMatchObject({ message: "The broker responds, but no device was found" })
  })
})

const byType = (one: { readonly type: string }, other: { readonly type: string }) => (one.type < other.type ? -1 : 1)

/** Figures that differ from the first ones of the samples. */
const changed = {
  charger: { chargerWattage: 3600.5, lifetimeEnergyCharged: 8_000_100 },
  inverter: { power: 100, gridPower: 2310 },
  meter: { power: 4321, exportedEnergy: 1_000_500 },
  thermostat: { ambientTemperature: 71.3, heatTarget: 67 },
  water_heater: { waterTemperature: 119, power: 0 }
} as const
