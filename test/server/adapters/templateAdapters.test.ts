import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import { addTemplates } from "@edp/server/adapters/templateAdapters"
import { decodeRegisters, decodeSerialNumber } from "@edp/adapter-templates/modbusTemplate"
import type { ModbusTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { Effect, Logger } from "effect"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeModbus, type ModbusServer, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../connections/arrangeConnections.ts"
import { FakeManufacturer } from "../../support/peers/fakeManufacturer.ts"
import { fixtureRegisters } from "../../adapters/templates/fixtureRegisters.ts"

const document = readFileSync(new URL("../../../docs/local-devices.md", import.meta.url), "utf8")
const example: Record<string, unknown> = JSON.parse(/```json\n(.*?)\n```/su.exec(document)![1]!)
const template = (() => {
  const result = readTemplate(example)
  if ("problems" in result) throw new Error(JSON.stringify(result.problems))
  return result.template as ModbusTemplate
})()

const folders: Array<string> = []
const makeFolder = (files: Readonly<Record<string, unknown>>) => {
  const folder = mkdtempSync(join(tmpdir(), "edp-templates-"))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  }
  return folder
}
const ownFolder = makeFolder({ "acme-battery.json": example, "notes.txt": "no template" })
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const load = (folder: string) => Effect.runPromise(addTemplates(builtInAdapters, folder))
const refusal = async (files: Readonly<Record<string, unknown>>) =>
  (await Effect.runPromise(Effect.flip(addTemplates(builtInAdapters, makeFolder(files))))).message

describe("the template in the documentation", () => {
  it("has exactly the reading of its fixture", () => {
    const { registers, serialNumber } = template.fixture
    const words = (address: number) => registers[`1/holding/${address}`]!
    expect(decodeSerialNumber(template, words(100))).toBe(serialNumber)
    const all = new Map(
      Object.entries(registers).flatMap(([place, values]) =>
        values.map((value, n) => [Number(place.split("/")[2]) + n, value] as const)
      )
    )
    const { missing, problems, state, staticState } = decodeRegisters(template.devices[0]!, (_, __, at) => all.get(at))
    expect({ missing, problems, state, staticState }).toEqual({
      missing: [],
      problems: [],
      ...template.fixture.expected["battery"]
    })
  })
})

describe("a folder of templates", () => {
  it("adds its manufacturers, and leaves the others as they are", async () => {
    const adapters = await load(ownFolder)
    expect(adapters.slice(0, -1)).toEqual(builtInAdapters)
    expect(adapters.at(-1)!.manifest).toMatchObject({
      slug: "acme",
      name: "Acme",
      deviceTypes: ["battery"],
      commands: ["battery:set-reserve"]
    })
  })

  it("adds a model to a manufacturer that has templates", async () => {
    const adapters = await load(makeFolder({ "own.json": { ...example, manufacturer: "SMA" } }))
    expect(adapters).toHaveLength(builtInAdapters.length)
    expect(adapters.find(({ manifest }) => manifest.slug === "sma")!.manifest).toMatchObject({
      deviceTypes: ["inverter", "battery"],
      commands: ["battery:set-reserve"]
    })
  })

  it.each([
    ["no JSON", "{", /x\.json: .*JSON/],
    ["a wrong field", { ...example, devices: [] }, /x\.json: devices: Must have at least one of devices/],
    ["a field that templates do not have", { ...example, vendor: 1 }, /x\.json: vendor: Is not known here/],
    ["the slug of a shipped template", { ...example, slug: "victron-gx" }, /x\.json: slug: Must not be victron-gx/],
    [
      "a manufacturer with an adapter of its own",
      { ...example, manufacturer: "Tesla" },
      /Tesla has an adapter of another/
    ]
  ])("is refused with %s, by a line that names it", async (_, content, message) => {
    const line = await refusal({ "x.json": content })
    expect(line).toMatch(message)
    expect(line).not.toContain("\n")
  })

  it("is refused with two templates of one slug", async () => {
    expect(await refusal({ "a.json": example, "b.json": example })).toMatch(/b\.json: slug: Must not be acme-battery/)
  })
})

describeModbus("a device of an operator's template", () => {
  const app = useTestApp({ env: { EDP_TEMPLATES_DIR: ownFolder } })
  let server: ModbusServer
  afterEach(() => server.stop())

  it("is linked by the hosted form, and then read", async () => {
    server = await startModbusServer(fixtureRegisters(template))
    const { must, open } = await arrangeConnections(app, new FakeManufacturer())
    expect(await must(200, "GET", "/v1/manufacturers/acme")).toMatchObject({ name: "Acme", connectable: true })

    const session = await open({
      customerInfo: newPerson(),
      referenceId: "user-1",
      manufacturerFilters: { manufacturers: ["acme"] }
    })
    await session.open()
    const form = await session.show(session.consent())
    expect(form).toMatchObject({ page: "form", manufacturer: "Acme" })
    const wrong = await session.show(session.submitForm({ host: "127.0.0.1", port: String(server.port), unitId: "9" }))
    expect(wrong).toMatchObject({ page: "form", failure: expect.any(String), form: { values: { unitId: "9" } } })
    const system = await session.show(
      session.submitForm({ host: "127.0.0.1", port: String(server.port), unitId: "1", name: "Cellar" })
    )
    if (system.page !== "system") throw new Error(JSON.stringify(system))
    expect(system.devices).toMatchObject([{ manufacturerDeviceId: "ACME-11/battery", name: "Cellar battery" }])
    const done = await session.show(session.chooseDevices(["ACME-11/battery"], system.address?.values ?? null))
    expect(done.page).toBe("done")

    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    const [device] = (await must(200, "GET", "/v1/devices")).data
    expect(device).toMatchObject({
      manufacturer: "acme",
      manufacturerDeviceId: "ACME-11/battery",
      serialNumber: "ACME-11",
      staticState: { capacity: 10_200 },
      availableCommands: [{ slug: "battery:set-reserve" }]
    })
    await eventually("the reading", async () => {
      const { state } = await must(200, "GET", `/v1/devices/${device.id}`)
      return state?.chargePercentage === 50.5 ? true : undefined
    })

    await server.stop()
    await app.sql(
      (sql) => sql`UPDATE account_work SET due_at = now(), read_at = now() WHERE due_at < 'infinity' RETURNING 1`
    )
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the intervention", async () => {
      const { interventions } = await must(200, "GET", `/v1/devices/${device.id}`)
      return interventions[0]?.code === "local_access_disabled" ? true : undefined
    })
  })
})
