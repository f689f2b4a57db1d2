import { makeOcppAdapter } from "@edp/adapter-ocpp/ocppAdapter"
import { stationTimes } from "@edp/adapter-ocpp/stationTimes"
import { simulatorAdapter } from "@edp/adapter-simulator/simulatorAdapter"
import { sunSpecAdapter } from "@edp/adapter-sunspec/sunSpecAdapter"
import { HttpServer } from "effect/http"
import { afterEach, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { offered, agreeAndSignIn, startVisit, type Visit } from "../../../support/hosted-pages/hostedFlow.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { type ScriptedDevice, startScriptedDevice } from "../../../support/peers/scriptedModbusDevice.ts"
import { boot16, closeAll, rpcStation } from "../../../adapters/ocpp/platform.ts"
import { mapRegisters, model } from "../../../adapters/sunspec/sunSpecMap.ts"
import { newPerson } from "../arrangeConnections.ts"

const times = { ...stationTimes, announce: 100, checkPending: 100, check: 100, farewell: 500 }
const app = useTestApp({ own: true, adapters: [simulatorAdapter, sunSpecAdapter, makeOcppAdapter(times)] })

const inverters: Array<ScriptedDevice> = []

afterEach(async () => {
  await closeAll()
  for (const inverter of inverters.splice(0)) await inverter.stop()
})

/** Links for one person, over the hosted pages. */
const arrange = async (manufacturer: string) => {
  const { keys } = await app.workspace()
  const customerInfo = newPerson()
  const { streetOne, city, state, postalCode, country } = customerInfo.location
  const address = Object.entries({ streetOne, city, state, postalCode, country })
  const read = async (id: string) => (await app.call("GET", `/v1/connections/${id}`, { key: keys.SERVER })).body
  const open = async () => {
    const body = { referenceId: "user-1", customerInfo, manufacturerFilters: { manufacturers: [manufacturer] } }
    const created = await app.call("POST", "/v1/connections", { key: keys.SERVER, body })
    const link = `${app.url}${new URL(created.body.url).pathname}`
    const visit = startVisit(app.url)
    const consent = await visit.open(link)
    const finish = async () => {
      const { text } = await visit.open(link)
      const devices = offered(text, "device").map((device) => ["device", device] as const)
      if (devices.length > 0) await visit.post(`${link}/devices`, [...devices, ...address])
      return (await read(created.body.id)) as { readonly status: string; readonly deviceIds: ReadonlyArray<string> }
    }
    return { link, visit, consent, finish }
  }
  /** The session after its account or device was named. */
  const link = async (name: (visit: Visit, link: string) => Promise<void>) => {
    const session = await open()
    await name(session.visit, session.link)
    return session.finish()
  }
  const count = async () => (await app.call("GET", "/v1/devices", { key: keys.SERVER })).body.totalItems as number
  return { count, link, open }
}

test("a person connects a second account of the simulator, and the same one again is a duplicate", async () => {
  const { count, link, open } = await arrange("simulator")
  const signIn = (account: string) =>
    link(async (visit, address) => {
      await visit.open(await agreeAndSignIn(visit, address, account))
    })
  expect((await signIn("sunny")).status).toBe("SUCCESS")
  const devices = await count()
  expect((await open()).consent.text).toContain("Already connected")
  expect((await signIn("second")).status).toBe("SUCCESS")
  const both = await count()
  expect(both).toBeGreaterThan(devices)
  expect((await signIn("sunny")).status).toBe("DUPLICATE_CONNECTION")
  expect(await count()).toBe(both)
})

test("a person connects a second SunSpec inverter, and the same one at another address is a duplicate by its serial number", async () => {
  const { link } = await arrange("sunspec")
  const inverter = async (serialNumber: string) => {
    const words = mapRegisters([
      model(1, { Mn: "Acme", Md: "Solar 6", SN: serialNumber }),
      model(103, { W: 300, W_SF: 1, WH: 1_234_567, WH_SF: 0, Evt1: 0 })
    ])
    const device = await startScriptedDevice(words.map((word, at) => [40_000 + at, word]))
    inverters.push(device)
    return String(device.port)
  }
  const connect = async (serialNumber: string) => {
    const port = await inverter(serialNumber)
    return link(async (visit, address) => {
      await visit.post(`${address}/consent`, [["granted", "yes"]])
      const fields = Object.entries({ host: "127.0.0.1", port, unitId: "1" })
      expect((await visit.post(`${address}/form`, fields)).next).toBe(address)
    })
  }
  expect((await connect("SN-1")).status).toBe("SUCCESS")
  expect((await connect("SN-2")).status).toBe("SUCCESS")
  expect((await connect("SN-1")).status).toBe("DUPLICATE_CONNECTION")
})

test("a person connects a second charging station, and the same one again is a duplicate by its id", async () => {
  const { link } = await arrange("ocpp")
  const server = await app.run(HttpServer.HttpServer)
  const url = `ws://127.0.0.1:${(server.address as { readonly port: number }).port}`
  const connect = (stationId: string) =>
    link(async (visit, address) => {
      await visit.post(`${address}/consent`, [["granted", "yes"]])
      expect((await visit.post(`${address}/form`, [["stationId", stationId]])).next).toBe(address)
      const { text } = await visit.open(address)
      const password = /<code[^>]*>([0-9a-f]{32})<\/code>/u.exec(text)?.[1]
      // A duplicate is reported before anything connects.
      if (password === undefined) return
      const station = await rpcStation({ url }, { stationId, password }, "ocpp1.6")
      await station.call("BootNotification", boot16)
      const connector = {
        connectorId: 1,
        status: "Available",
        errorCode: "NoError",
        timestamp: new Date().toISOString()
      }
      await station.call("StatusNotification", connector)
      await eventually("the connector is known", async () =>
        (await visit.open(address)).text.includes(`data-page="system"`) ? true : undefined
      )
    })
  expect((await connect("GARAGE-1")).status).toBe("SUCCESS")
  expect((await connect("GARAGE-2")).status).toBe("SUCCESS")
  expect((await connect("GARAGE-1")).status).toBe("DUPLICATE_CONNECTION")
})
