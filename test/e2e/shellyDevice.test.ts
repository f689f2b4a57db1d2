import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { atEnd, closeAll } from "../adapters/shelly/platform.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { startOtlpSink } from "../support/peers/otlpSink.ts"
import { dialShelly, plus1pm, type ShellyModel } from "../support/peers/ShellyDevice.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-shelly")
})
afterAll(() => folder.remove())
afterEach(closeAll)

const dial = async (address: string, model: ShellyModel) => {
  const device = await dialShelly(address, model)
  atEnd(() => device.socket.terminate())
  return device
}

/** Goes through the connect pages as a person does, while the device connects. Returns its address. */
const link = async (server: SpawnedServer, key: string, model: ShellyModel) => {
  const location = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
  const made = await callAt(server.baseUrl, "POST", "/v1/connections", {
    key,
    body: {
      customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location },
      manufacturerFilters: { manufacturers: ["shelly-websocket"] },
      referenceId: "ada"
    }
  })
  expect(made.status).toBe(201)
  const pages = `${server.baseUrl}${new URL(made.body.url).pathname}`
  let cookie = ""
  const open = async (address: string, init: RequestInit = {}) => {
    const response = await fetch(address, { ...init, ...(cookie !== "" && { headers: { cookie } }) })
    const set = response.headers.getSetCookie().map((line) => line.split(";")[0]!)
    if (set.length > 0) cookie = set.join("; ")
    return response.text()
  }
  const submit = (step: string, fields: Readonly<Record<string, string>>) =>
    open(`${pages}/${step}`, { method: "POST", body: new URLSearchParams(fields) })
  await open(pages)
  await submit("consent", { granted: "yes" })
  const address = /wss?:\/\/[^<"\s]*\/inbound\/shelly\/[0-9A-Z]+-[0-9a-f]{32}/.exec(
    await submit("form", { chargers: "0" })
  )![0]
  const device = await dial(address, model)
  const id = `${model.id}/switch:0`
  await eventually("the page shows the switch", async () => ((await open(pages)).includes(id) ? true : undefined))
  await submit("devices", { device: id, ...location })
  return { address, device }
}

describe("a Shelly at a service", () => {
  test("is switched, goes on after a restart of the service, and its address is in no log and no span", async () => {
    const sink = await startOtlpSink()
    atEnd(() => sink.close())
    const port = await freePort()
    const start = () =>
      spawnServer({
        port,
        dataDir: join(folder.path, "data"),
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_TRACES_SAMPLER_ARG: "1" }
      })
    const first = await start()
    const { serverKey: key } = first.credentials
    const model = plus1pm()
    const { address, device } = await link(first, key, model)

    const read = async ({ baseUrl }: SpawnedServer) =>
      (await callAt(baseUrl, "GET", "/v1/devices?manufacturer=shelly-websocket", { key })).body.data[0]
    const shows = (server: SpawnedServer, chargingState: string) =>
      eventually(`the charger is ${chargingState}`, async () => {
        const found = await read(server)
        return found?.state.chargingState === chargingState ? found : undefined
      })
    const command = async ({ baseUrl }: SpawnedServer, id: string, operatingMode: string, more: object = {}) => {
      const body = { type: "charger:set-operating-mode", input: { operatingMode }, ...more }
      const sent = await callAt(baseUrl, "POST", `/v1/devices/${id}/commands`, { key, body })
      expect(sent.status, sent.text).toBe(201)
      return eventually("the command has ended", async () => {
        const { body } = await callAt(baseUrl, "GET", `/v1/commands/${sent.body.id}`, { key })
        return ["completed", "failed"].includes(body.status) ? { reason: null, ...body } : undefined
      })
    }

    const { id } = await shows(first, "charging")
    expect(await command(first, id, "stop-charging")).toMatchObject({ status: "completed", reason: null })
    await shows(first, "idle")
    expect(await command(first, id, "stop-charging")).toMatchObject({ status: "completed", reason: "already_so" })
    expect(await command(first, id, "start-charging", { revertAfter: 3600 })).toMatchObject({ status: "completed" })
    expect(device.asked("Switch.Set")).toEqual([
      { id: 0, on: false },
      { id: 0, on: true, toggle_after: 3600 }
    ])

    expect(await first.stop()).toBe(0)
    expect(await device.closed).toMatchObject({ code: 1012 })
    const second = await start()
    const again = await dial(address, model)
    await shows(second, "charging")
    // The forced mode of before the restart still holds, and a plain command ends it.
    expect((await read(second)).forcedMode).toMatchObject({ then: "restore" })
    expect(await command(second, id, "stop-charging")).toMatchObject({ status: "completed", reason: null })
    expect(again.asked("Switch.Set")).toEqual([{ id: 0, on: false }])
    const wrong = address.replace(/[0-9a-f]{32}$/, "0".repeat(32))
    await expect(dial(wrong, model)).rejects.toThrow("HTTP 401")
    // A proxy that passes no upgrades on, or a browser, gets the address as a plain request.
    const plain = await fetch(address.replace("ws:", "http:"))
    expect(plain.status).toBe(404)
    const secret = address.slice(-32)
    expect(await plain.text()).not.toContain(secret)
    expect(await second.stop()).toBe(0)

    const text = [first, second].map((server) => `${server.stdout()}${server.stderr()}`).join("\n")
    expect(text).toContain("/inbound/shelly/***")
    expect(text).not.toContain(secret)
    expect(text).not.toContain("0".repeat(32))
    const spans = JSON.stringify(await sink.spans())
    expect(spans).toContain("shelly.call")
    expect(spans).not.toContain(secret)
  })
})
