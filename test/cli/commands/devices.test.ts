import { writeFileSync } from "node:fs"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { arrangeCustomers } from "../../server/customers/arrangeCustomers.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "edp-devices-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const arrange = async () => {
  const place = await arrangeCustomers(app)
  const site = await place.site({ referenceId: "home-1", name: "Home" })
  return { ...place, home: site, edp: makeCli(app, place) }
}
const meter = ["devices", "create", "--manufacturer-device-id", "shed-meter", "--type", "meter", "--site", "Home"]

describe("edp devices", () => {
  test("create provisions a device at a site given by name, and repeating it returns the same device", async () => {
    const { edp, home } = await arrange()
    const made = (await edp(...meter, "--name", "Shed", "--serial-number", "SN-1", "--tag", "pilot", "--json")).json()
    expect(made).toMatchObject({
      manufacturer: "generic",
      manufacturerDeviceId: "shed-meter",
      type: "meter",
      siteId: home.id,
      name: "Shed",
      serialNumber: "SN-1",
      tags: ["pilot"]
    })
    const again = await edp(...meter, "--name", "Shed", "--serial-number", "SN-1", "--tag", "pilot", "--json")
    expect(again.json().id).toBe(made.id)
    const other = await edp(...meter, "--name", "Barn")
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("PARAMETER_MISMATCH")])
  })

  test("list shows the id and the name of the site, and a device is found by its shown name", async () => {
    const { edp } = await arrange()
    await edp(...meter, "--name", "Shed")
    const found = (await edp("devices", "show", "Shed", "--json")).json()
    const table = await edp("devices", "list")
    expect(table.stdout.split("\n").map((line) => line.split(/ {2,}/u))).toEqual([
      ["ID", "NAME", "TYPE", "SITE", "ONLINE"],
      [found.id, "Shed", "meter", "Home", "unknown"]
    ])
    expect(found.manufacturerDeviceId).toBe("shed-meter")
    const csv = (await edp("devices", "list", "--output", "csv")).stdout.split("\n")
    expect(csv[0]).toBe(
      "id,name,type,site,online,last_reading,manufacturer,manufacturers_id,model,tags,interventions,site_id"
    )
    expect(csv[1]).toMatch(new RegExp(`^${found.id},Shed,meter,Home,unknown,,generic,shed-meter,`, "u"))
  })

  test("show prints what blocks a device, and what a person does about it", async () => {
    const { edp } = await arrange()
    const { id } = (await edp(...meter, "--name", "Shed", "--json")).json()
    const interventions = [
      {
        code: "terms_not_accepted",
        blocks: ["telemetry"],
        title: "The terms are not accepted",
        steps: ["Sign in", "Accept the terms"],
        actor: "owner"
      }
    ]
    await app.sql(
      (sql) =>
        sql`UPDATE devices SET interventions = ${JSON.stringify(interventions)}::jsonb WHERE id = ${id} RETURNING 1`
    )
    const shown = (await edp("devices", "show", id)).stdout
    expect(shown).toContain("intervention terms_not_accepted")
    expect(shown).toContain("The terms are not accepted. Sign in. Accept the terms (by: owner; blocks: telemetry)")
    expect((await edp("devices", "list", "--wide")).stdout).toContain("terms_not_accepted")
  })

  test("reports a name that several devices have, with their ids", async () => {
    const { edp } = await arrange()
    const first = (await edp(...meter, "--name", "Same name", "--json")).json()
    const second = (await edp(...meter.with(3, "barn-meter"), "--name", "Same name", "--json")).json()
    const shown = await edp("devices", "show", "Same name")
    expect(shown.stderr).toContain("DEVICE_AMBIGUOUS")
    for (const { id } of [first, second]) expect(shown.stderr).toContain(id)
  })

  test("update changes the given fields and clears others", async () => {
    const { edp, site } = await arrange()
    const barn = await site({
      name: "Barn",
      address: { streetOne: "9 B Street", city: "Davis", state: "CA", postalCode: "95616" }
    })
    await edp(...meter, "--tag", "pilot")
    const moved = ["--site", "Barn", "--name", "Barn meter", "--clear", "tags"]
    const changed = (await edp("devices", "update", "shed-meter", ...moved, "--json")).json()
    expect(changed).toMatchObject({ name: "Barn meter", siteId: barn.id, tags: [] })
    expect((await edp("devices", "update", "shed-meter", "--clear", "site", "--json")).json().siteId).toBeNull()
    expect(await edp("devices", "update", "shed-meter")).toMatchObject({ code: 2 })
  })

  test("push stores a reading from flags, and several from a file", async () => {
    const { edp } = await arrange()
    await edp(...meter)
    const taken = ["--timestamp", "2026-01-01T08:15:00Z", "--online-status", "online"]
    const one = await edp("devices", "push", "shed-meter", "power=340", "importedEnergy=120", ...taken, "--json")
    expect(one.json()).toMatchObject({
      accepted: 1,
      duplicates: 0,
      latest: { createdAt: "2026-01-01T08:15:00.000Z", power: 340, importedEnergy: 120 }
    })
    const file = join(folder, "readings.json")
    const readings = [10, 20].map((minute) => ({ timestamp: `2026-01-01T09:${minute}:00Z`, state: { power: minute } }))
    writeFileSync(file, JSON.stringify({ readings }))
    const several = await edp("devices", "push", "shed-meter", "--data", `@${file}`)
    expect(several.stdout).toMatch(/^accepted +2\nduplicates +0\nnewest reading +2026-01-01T09:20:00.000Z$/u)
    const wrong = await edp("devices", "push", "shed-meter", "pwr=1")
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("VALIDATION_ERROR")])
  })

  test.each([
    ["create without a type or a model", meter.toSpliced(4, 2)],
    ["create with both", [...meter, "--model", "x"]],
    ["push without a field", ["devices", "push", "shed-meter"]],
    ["push of an argument that is not a field", ["devices", "push", "shed-meter", "340"]],
    ["push of fields and a body", ["devices", "push", "shed-meter", "power=1", "--data", "{}"]],
    [
      "push of a body with a time beside it",
      ["devices", "push", "x", "--data", "{}", "--timestamp", "2026-01-01T08:15:00Z"]
    ],
    ["delete without a yes", ["devices", "delete", "shed-meter"]]
  ])("%s exits with 2", async (_, args) => {
    const { edp } = await arrange()
    if (args[1] === "delete") await edp(...meter)
    expect(await edp(...args)).toMatchObject({ code: 2, stdout: "" })
  })

  test("delete removes the device from the workspace", async () => {
    const { edp } = await arrange()
    const { id } = (await edp(...meter, "--name", "Shed", "--json")).json()
    expect((await edp("devices", "delete", "shed-meter", "--yes")).stdout).toBe('The device "Shed" is removed.')
    expect((await edp("devices", "show", id)).stderr).toContain("DEVICE_NOT_FOUND")
  })
})

describe("edp alerts", () => {
  test("create adds an alert of a device at the device's site, and show prints it", async () => {
    const { edp, home } = await arrange()
    const { id } = (await edp(...meter, "--name", "Shed", "--json")).json()
    const alertFlags = ["--title", "No response", "--severity", "WARNING", "--type", "COMMUNICATIONS"]
    const made = (await edp("alerts", "create", ...alertFlags, "--device", "Shed", "--json")).json()
    expect(made).toMatchObject({ status: "OPEN", siteId: home.id, deviceId: id, sourceSystem: "edp-cli" })
    expect((await edp("alerts", "show", made.id, "--json")).json()).toEqual(made)
    const atSite = (
      await edp("alerts", "create", ...alertFlags, "--site", "home-1", "--source-system", "me", "--json")
    ).json()
    expect(atSite).toMatchObject({ siteId: home.id, deviceId: null, sourceSystem: "me" })
    expect(await edp("alerts", "create", ...alertFlags)).toMatchObject({ code: 2, stdout: "" })
  })
})

describe("the members of a manual collection", () => {
  test("are added and removed by name, all or none", async () => {
    const { edp } = await arrange()
    await edp(...meter, "--name", "Shed")
    const named = ["--name", "Favourites", "--type", "DEVICE", "--kept", "--json"]
    const { id } = (await edp("collections", "create", ...named)).json()
    expect((await edp("collections", "add", id, "Shed", "nowhere")).stderr).toContain("DEVICE_NOT_FOUND")
    expect((await edp("collections", "members", id, "--json")).json().data).toEqual([])
    expect((await edp("collections", "add", id, "Shed", "shed-meter")).stdout).toBe('1 member added: "Favourites".')
    expect((await edp("collections", "members", id)).stdout.split("\n").map((line) => line.split(/ {2,}/u)[1])).toEqual(
      ["KIND", "meter"]
    )
    expect((await edp("collections", "remove", id, "Shed")).stdout).toBe('1 member removed: "Favourites".')
    expect((await edp("collections", "members", id, "--json")).json().data).toEqual([])
  })
})
