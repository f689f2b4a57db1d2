import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { arrangeCustomers, nobody } from "../../server/customers/arrangeCustomers.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-sites-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const arrange = async (lines: ReadonlyArray<string>) => {
  const place = await arrangeCustomers(app)
  const edp = makeCli(app, place)
  const path = join(folder, `${++files}.csv`)
  writeFileSync(path, lines.join("\n"))
  const report = () =>
    readFileSync(path.replace(".csv", ".report.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  const run = (...flags: ReadonlyArray<string>) =>
    edp("sites", "import", path, "--report", path.replace(".csv", ".report.jsonl"), "--json", ...flags)
  const sites = async (): Promise<ReadonlyArray<any>> => (await edp("sites", "list", "--all", "--json")).json().data
  return { ...place, edp, path, report, run, sites }
}

const header = "referenceId,streetOne,city,state,postalCode,timezone,latitude,longitude,customerId"

describe("edp sites import", () => {
  test("creates the sites of the rows, and reports the id of each", async () => {
    const { report, run, sites } = await arrange([
      header,
      "home-1,1 Capitol Mall,Sacramento,CA,95814,America/Los_Angeles,,,",
      'home-2,"2 Capitol Mall, rear",Sacramento,California,95814-1234,,38.5,-121.5,'
    ])
    const { code, json } = await run()
    expect([code, json()]).toMatchObject([0, { rows: 2, created: 2, exists: 0, failed: 0 }])
    const [second, first] = await sites()
    expect(first).toMatchObject({ referenceId: "home-1", timezone: "America/Los_Angeles" })
    expect(second).toMatchObject({ address: { streetOne: "2 Capitol Mall, rear" }, location: { latitude: 38.5 } })
    expect(report().map(({ id, status }) => [id, status])).toEqual([
      [first.id, "created"],
      [second.id, "created"]
    ])
  })

  test("creates the other rows when one is rejected by the tool or the service", async () => {
    const { report, run, sites } = await arrange([
      header,
      "home-1,1 Capitol Mall,Sacramento,CA,99999,,,,",
      "home-2,2 Capitol Mall,Sacramento,CA,95814,Mars/Base,99,,",
      `home-3,3 Capitol Mall,Sacramento,CA,95814,,,,${nobody}`,
      "home-4,4 Capitol Mall,Sacramento,CA,95814,,,,",
      "home-4,5 Capitol Mall,Sacramento,CA,95814,,,,",
      "home-6,4  capitol MALL,Sacramento,CA,95814,,,,",
      "home-7,7 Capitol Mall,Sacramento,CA"
    ])
    const { code, json } = await run()
    expect([code, json()]).toMatchObject([1, { rows: 7, created: 1, exists: 0, failed: 6 }])
    expect((await sites()).map(({ referenceId }) => referenceId)).toEqual(["home-4"])
    expect(report().map(({ code, fields }) => [code, Object.keys(fields).sort()])).toEqual([
      ["INVALID_LOCATION", []],
      ["VALIDATION_ERROR", ["latitude", "longitude", "timezone"]],
      ["CUSTOMER_NOT_FOUND", []],
      [null, []],
      ["DUPLICATE_ROW", ["referenceId"]],
      ["DUPLICATE_ROW", ["address"]],
      ["ROW_UNREADABLE", []]
    ])
  })

  test("reports an address with a site as existing, however it is spelled", async () => {
    const { report, run, site, sites } = await arrange([
      header,
      "home-1,1 Capitol Mall,Sacramento,CA,95814,,,,",
      "home-2,2 Main Street,Sacramento,CA,95814,,,,",
      "home-3,2 Main St.,Sacramento,California,95814,,,,"
    ])
    const { id } = await site({
      referenceId: "home-1",
      address: { streetOne: "1 CAPITOL MALL", city: "Sacramento", state: "California", postalCode: "95814" }
    })
    const { code, json } = await run()
    expect([code, json()]).toMatchObject([0, { created: 1, exists: 2, failed: 0 }])
    expect(report().map(({ status }) => status)).toEqual(["exists", "created", "exists"])
    expect((await sites()).length).toBe(2)
    await run("--restart", "--look-up")
    expect(report().map(({ id }) => id)).toEqual([id, expect.stringMatching(/^c/u), null])
  })

  test("creates the SERVER key that it needs from a management key, with --provision", async () => {
    const { keys, path } = await arrange([header, "home-1,1 Capitol Mall,Sacramento,CA,95814,,,,"])
    const env = { EDP_DATA_DIR: join(folder, "keys"), EDP_URL: app.url, EDP_KEY_MANAGEMENT: keys.MANAGEMENT }
    const edp = makeCli(app, { keys }, env)
    expect((await edp("sites", "import", path)).stderr).toMatch(/^KEY_MISSING/mu)
    expect((await edp("sites", "import", path, "--provision")).code).toBe(0)
  })
})
