import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"
import { httpTemplateAdapter } from "@edp/adapter-templates/HttpTemplateAdapter"
import { decodeMessages } from "@edp/adapter-templates/mqttTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { makeDrivers } from "@edp/server/adapters/templateAdapters"
import type { AccountReport } from "@edp/adapter-kit/Account"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { Effect, Scope } from "effect"
import { afterEach, expect, it } from "vitest"
import { run, startInstance } from "../../adapter-kit/modbus/modbusInstance.ts"
import {
  describeForeignClients,
  type ForeignClient,
  type ForeignReading,
  foreignVersions,
  readByForeignClient
} from "../../support/peers/ForeignClients.ts"
import { type OtherRequests, startHttpDevice } from "../../support/peers/HttpDevice.ts"
import { describeModbus, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { plus1pm, pro3em } from "../../support/peers/ShellyDevice.ts"
import { startShellyRpcServer } from "../../support/peers/ShellyRpcServer.ts"
import { fixtureForm, fixtureRegisters, modbusTemplates } from "./fixtureRegisters.ts"
import { httpForm, httpTemplates } from "./httpForms.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const findHttp = (slug: string) => httpTemplates.find((one) => one.slug === slug)!

/** States by the keys of their devices. */
const statesByKey = ({ observations }: AccountReport) =>
  Object.fromEntries(
    observations.map(({ manufacturerDeviceId, state }) => [manufacturerDeviceId.split("/").at(-1)!, state as object])
  )

/** Reads a device at a port by the adapter of its template. */
const readByAdapter = async (template: HttpTemplate, port: number) => {
  const adapter = httpTemplateAdapter({ slug: manufacturerSlug(template), name: "Test", templates: [template] })
  const instance = await run(
    Effect.provideService(adapter.create({}, testHost().host), Scope.Scope, Scope.makeUnsafe())
  )
  if (instance.authorization.kind !== "form") throw new Error("The adapter has no form")
  const { credentials, externalId } = await run(instance.authorization.connect(httpForm(template, port)))
  const account = testAccount(externalId, credentials)
  return { externalId, states: statesByKey(await run(instance.readDevices!(account, []))) }
}

/** Each figure of the library is that of the adapter. Powers are whole watts there, and energies to a thousandth of a watt-hour. */
const expectSame = ({ figures }: ForeignReading, states: Readonly<Record<string, object>>) => {
  expect(Object.keys(figures).toSorted()).toEqual(Object.keys(states).toSorted())
  for (const [key, own] of Object.entries(figures)) {
    expect(Object.keys(own)).not.toEqual([])
    const rounded = Object.entries(own).map(([field, value]) => [
      field,
      field === "power" ? Math.round(value) : expect.closeTo(value, 3)
    ])
    expect(states[key]).toMatchObject(Object.fromEntries(rounded))
  }
}

/** The columns of a row of the P1 Monitor, as its API names them. */
const p1Columns = [
  "TIMESTAMP_lOCAL",
  "TIMESTAMP_UTC",
  "RECORD_IS_PROCESSED",
  "CONSUMPTION_KWH_LOW",
  "CONSUMPTION_KWH_HIGH",
  "PRODUCTION_KWH_LOW",
  "PRODUCTION_KWH_HIGH",
  "TARIFCODE",
  "CONSUMPTION_W",
  "PRODUCTION_W",
  "CONSUMPTION_GAS_M3"
]

const p1Monitor: OtherRequests = ({ pathname, searchParams }, { meter }) =>
  pathname === "/api/v1/smartmeter" && searchParams.get("json") === "object"
    ? meter.map((row: ReadonlyArray<unknown>) => Object.fromEntries(p1Columns.map((name, n) => [name, row[n]])))
    : undefined

/** An IoTaWatt with one input. It integrates energies and averages power as it is asked. */
const iotaWatt: OtherRequests = ({ pathname, searchParams }, { energy, power }) => {
  const has = (name: string) => searchParams.get(name) !== null
  if (pathname === "/status") {
    return has("wifi")
      ? { wifi: { connecttime: 1, SSID: "home", IP: "127.0.0.1", channel: 6, RSSI: -61, mac: "3C:39:E7:AA:BB:03" } }
      : { inputs: [{ channel: 0, Vrms: 230.1, Hz: 50, phase: 1.6 }], outputs: [] }
  }
  if (pathname !== "/query") return undefined
  if (searchParams.get("show") === "series") return { series: [{ name: "GridNet", unit: "Watts" }] }
  switch (searchParams.get("select")) {
    case "[GridNet.watts]":
      return power
    case "[time.iso,GridNet.wh]":
      return [["2026-01-01T00:00:00", energy[0][0]]]
    case "[time.iso,GridNet.wh.d3]":
      return [["2026-05-12T20:15:00", 1.25]]
    default:
      return undefined
  }
}

const youLess: OtherRequests = ({ pathname }) =>
  pathname === "/d" ? { model: "LS120", mac: "72:b8:ad:aa:bb:04" } : undefined

interface HttpCase {
  readonly slug: string
  readonly client: ForeignClient
  readonly values?: object
  readonly others?: OtherRequests
  readonly identity?: object
}

const httpCases: ReadonlyArray<HttpCase> = [
  { slug: "apsystems-ez1", client: "apsystems_ez1" },
  {
    slug: "homewizard-p1",
    client: "homewizard_energy",
    identity: { serialNumber: "3c39e7aabb01", model: "Wi-Fi P1 Meter", firmware: "5.18" }
  },
  {
    slug: "homewizard-kwh",
    client: "homewizard_energy",
    identity: { serialNumber: "3c39e7aabb02", model: "Wi-Fi kWh Meter 1-phase", firmware: "4.19" }
  },
  {
    slug: "iotawatt",
    client: "iotawattpy",
    values: { series: "GridNet" },
    others: iotaWatt,
    identity: { units: ["Watts", "WattHours"] }
  },
  { slug: "p1-monitor", client: "p1monitor", others: p1Monitor },
  {
    slug: "youless",
    client: "youless_api",
    others: youLess,
    identity: { model: "LS120", mac: "72:b8:ad:aa:bb:04" }
  }
]

describeForeignClients("templates that name client libraries of other authors", () => {
  it("name those that read them here, with the versions that are installed", () => {
    const installed = foreignVersions().map((line) => line.replace(/^python3-(\S+) ([^-\s]+).*$/, "$1 $2"))
    const named = shippedTemplates.flatMap(({ provenWith = [] }) => provenWith)
    expect(new Set(named)).toEqual(new Set(installed))
    const read = [
      ...httpCases.map(({ slug }) => slug),
      "goodwe-hybrid",
      "shelly-rpc-3em",
      "shelly-rpc-pm",
      "tasmota-energy"
    ]
    expect(
      shippedTemplates
        .filter(({ provenWith }) => provenWith !== undefined)
        .map(({ slug }) => slug)
        .toSorted()
    ).toEqual(read.toSorted())
  })
})

describeForeignClients("devices over HTTP, read by client libraries of other authors", () => {
  it.each(httpCases.map((one) => [one.client, one.slug, one] as const))(
    "%s reads in %s the figures that the adapter reads",
    async (_, slug, { client, identity, others, values }) => {
      const template = findHttp(slug)
      const device = await startHttpDevice(template, undefined, others)
      closing.push(device.close)
      const reading = await readByForeignClient(client, { port: device.port, ...values })
      const { states } = await readByAdapter(template, device.port)
      expectSame(reading, states)
      if (identity !== undefined) expect(reading.identity).toEqual(identity)
    }
  )

  it.each([
    ["shelly-rpc-3em", pro3em()],
    ["shelly-rpc-pm", plus1pm()]
  ] as const)("aioshelly reads by WebSocket what the adapter of %s reads by HTTP", async (slug, model) => {
    const device = await startShellyRpcServer(model)
    closing.push(device.close)
    const reading = await readByForeignClient("aioshelly", { port: device.port })
    const { externalId, states } = await readByAdapter(findHttp(slug), device.port)
    expectSame(reading, states)
    expect(reading.identity).toMatchObject({ serialNumber: externalId, model: model.info["model"] })
  })
})

/** Words of an ASCII text in registers. */
const words = (text: string) =>
  Array.from({ length: text.length / 2 }, (_, n) => text.charCodeAt(2 * n) * 256 + text.charCodeAt(2 * n + 1))

describeModbus("an inverter over Modbus TCP", () => {
  describeForeignClients("read by a client library of another author", () => {
    it("goodwe reads in goodwe-hybrid the figures that the adapter reads, and the same directions", async () => {
      const template = modbusTemplates.find(({ slug }) => slug === "goodwe-hybrid")!
      const fixture: Readonly<Record<string, ReadonlyArray<number>>> = fixtureRegisters(template)["247"]!.holding!
      const missing = { ...fixture }
      // The library reads whole blocks, of which the template needs a few registers.
      const block = (start: number, count: number, more: Readonly<Record<number, ReadonlyArray<number>>> = {}) => {
        const all = Array.from({ length: count }, () => 0)
        const known = Object.entries<ReadonlyArray<number>>({ ...fixture, ...more }).filter(
          ([address]) => Number(address) >= start && Number(address) < start + count
        )
        for (const [address, values] of known) {
          delete missing[address]
          all.splice(Number(address) - start, values.length, ...values)
        }
        return { [start]: all }
      }
      const server = await startModbusServer({
        "247": {
          holding: {
            ...block(35_000, 33, {
              35_001: [10_000, 1],
              35_003: words("9010KETU000W0001"),
              35_011: words("GW10K-ET  ")
            }),
            ...block(35_100, 125, { 35_140: [65_416], 35_184: [2] }),
            ...block(36_000, 125),
            ...block(37_000, 24),
            ...missing
          }
        }
      })
      closing.push(server.stop)
      const reading = await readByForeignClient("goodwe", { port: server.port })
      const adapter = await startInstance(makeDrivers(template), { idle: 0 })
      closing.push(adapter.stop)
      const account = await adapter.link({ host: "127.0.0.1", port: String(server.port), ...fixtureForm(template) })
      const states = statesByKey(await run(adapter.instance.readDevices!(account, [])))
      expectSame(reading, states)
      expect(reading.identity).toEqual({
        serialNumber: "9010KETU000W0001",
        model: "GW10K-ET",
        grid: "Importing",
        battery: "Discharge"
      })
      expect(states).toMatchObject({ battery: { chargingState: "discharging" }, meter: { power: 120 } })
    })
  })
})

describeForeignClients("messages of a broker, read by a client library of another author", () => {
  it("hatasmota reads in tasmota-energy the figures that the template reads", async () => {
    const template = shippedTemplates.find(({ slug }) => slug === "tasmota-energy")!
    if (template.protocol !== "mqtt") throw new Error("tasmota-energy is not over MQTT")
    const { id, messages } = template.fixture
    const reading = await readByForeignClient("hatasmota", {
      messages,
      config: {
        ip: "192.0.2.10",
        dn: "Laundry",
        fn: ["Laundry", null, null, null, null, null, null, null],
        hn: "laundry-1234",
        mac: "A1B2C3D4E5F6",
        md: "Sonoff POW R2",
        ty: 0,
        if: 0,
        ofln: "Offline",
        onln: "Online",
        state: ["OFF", "ON", "TOGGLE", "HOLD"],
        sw: "14.2.0",
        t: id,
        ft: "%prefix%/%topic%/",
        tp: ["cmnd", "stat", "tele"],
        rl: [1, 0, 0, 0, 0, 0, 0, 0],
        swc: [-1, -1, -1, -1, -1, -1, -1, -1],
        swn: [null, null, null, null, null, null, null, null],
        btn: [0, 0, 0, 0, 0, 0, 0, 0],
        so: { "4": 0, "11": 0, "13": 0, "17": 0, "20": 0, "30": 0, "68": 0, "73": 0, "82": 0, "114": 0, "117": 0 },
        lk: 0,
        lt_st: 0,
        sho: [],
        ver: 1
      },
      sensors: { sn: { Time: "2026-05-02T14:30:00", ...JSON.parse(messages[`tele/${id}/SENSOR`]!) }, ver: 1 }
    })
    const states = Object.fromEntries(
      template.devices.map((device) => [device.key, decodeMessages(device, id, (topic) => messages[topic]).state])
    )
    expectSame(reading, states)
    expect(reading.identity).toEqual({ power: "W", importedEnergy: "kWh", voltage: "V", current: "A" })
  })
})
