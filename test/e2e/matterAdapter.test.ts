import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type MatterHome, startMatterHome } from "../adapters/matter/MatterHome.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { hiddenFields, offered, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const folder = fileURLToPath(new URL("../../packages/adapters/matter", import.meta.url))

describe("a service that EDP_ADAPTERS gives the Matter adapter", () => {
  let home: MatterHome
  let server: SpawnedServer
  const dataDir = mkdtempSync(join(tmpdir(), "edp-matter-service-"))
  const start = async () => {
    const env = { EDP_ADAPTERS: folder, EDP_MATTER_REPORT_SECONDS: "1", EDP_MATTER_KEEP_ALIVE_SECONDS: "5" }
    server = await spawnServer({ fromSources: true, dataDir, fresh: false, env })
  }
  const call = (method: string, path: string, body?: object) =>
    callAt(server.baseUrl, method, path, {
      key: server.credentials.serverKey,
      ...(body !== undefined && { body })
    })
  const device = async (type: string) => {
    const { body } = await call("GET", "/v1/devices?manufacturer=matter")
    return body.data.find((one: any) => one.type === type)
  }
  const shows = (what: string, type: string, fields: Readonly<Record<string, unknown>>) =>
    eventually(what, async () => {
      const state = (await device(type))?.state
      return state && Object.entries(fields).every(([name, value]) => state[name] === value) ? true : undefined
    })

  beforeAll(async () => {
    home = await startMatterHome()
    await start()
  })
  afterAll(async () => {
    await server?.stop()
    await home?.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test("pairs by the connect page, which says what is wrong with a code", async () => {
    expect((await call("GET", "/v1/manufacturers/matter")).body).toMatchObject({ name: "Matter", connectable: true })
    const location = {
      streetOne: "1 Capitol Mall",
      city: "Sacramento",
      state: "CA",
      postalCode: "95814",
      country: "USA"
    }
    const { body } = await call("POST", "/v1/connections", {
      manufacturerFilters: { manufacturers: ["matter"] },
      customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location }
    })
    const visit = startVisit(server.baseUrl)
    await visit.open(body.url)
    await visit.post(`${body.url}/consent`, [["granted", "yes"]])
    const short = await visit.post(`${body.url}/form`, [["code", "1234"]])
    expect(short.text).toContain("code must be the 11 or 21 digits of a pairing code")
    const wrong = await visit.post(`${body.url}/form`, [["code", home.wrongCode]])
    expect(wrong.text).toContain("code is not the code of the device that was found")
    const form = [
      ["code", home.manualCode],
      ["batteryCapacity", "10000"]
    ] as const
    // On a loaded machine the search may end before the device has responded.
    await eventually("the pairing", async () => {
      const paired = await visit.post(`${body.url}/form`, form)
      if (paired.status !== 303) expect(paired.text).toContain("No device with this code was found")
      return paired.status === 303 ? true : undefined
    })
    const page = await visit.open(body.url)
    const devices = offered(page.text, "device")
    expect(devices, page.text).toHaveLength(6)
    const chosen = devices.map((one) => ["device", one] as const)
    const sent = await visit.post(`${body.url}/devices`, [
      ...hiddenFields(page.text),
      ...chosen,
      ...Object.entries(location)
    ])
    expect(sent.status).toBe(303)
    await shows("a reading", "meter", { power: -800 })
    expect(await device("meter")).toMatchObject({ onlineStatus: "online", manufacturer: "matter" })
    expect(await device("inverter")).toMatchObject({ state: { power: 3200 }, staticState: { power: 5000 } })
    expect(await device("water_heater")).toMatchObject({ state: { waterTemperature: 122, availableHotWater: 70 } })
  })

  test("sends a command, and continues after it was killed without pairing again", async () => {
    const charger = await device("charger")
    const { body: command } = await call("POST", `/v1/devices/${charger.id}/commands`, {
      type: "charger:set-operating-mode",
      input: { operatingMode: "start-charging", targetPowerW: 3680 }
    })
    await eventually("the command", async () => {
      const { body } = await call("GET", `/v1/commands/${command.id}`)
      return body.status === "completed" ? true : undefined
    })
    expect(await home.get("station", "energyEvse")).toMatchObject({ supplyState: 1, maximumChargeCurrent: 16_000 })

    await server.kill9()
    await home.set("grid", "electricalPowerMeasurement", { activePower: 555_000 })
    await start()
    await shows("the reading after the restart", "meter", { power: 555 })
    expect(await home.fabrics()).toBe(1)
  })
})
