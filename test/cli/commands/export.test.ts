import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "../../server/devices/arrangeDevices.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-export-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Rows of a query of DuckDB on files. */
const ask = async (sql: string) => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect()
  return (await connection.runAndReadAll(sql)).getRowObjectsJson()
}

const from = "2026-02-01T00:00:00Z"
const to = "2026-03-01T00:00:00Z"
const span = ["--from", from, "--to", to]

describe("edp export", () => {
  let place: Awaited<ReturnType<typeof arrangeDevices>>
  let run: ReturnType<typeof makeCli>
  let site: string
  const expected = { n: 0, power: 0, ofSite: 0 }

  beforeAll(async () => {
    place = await arrangeDevices(app)
    run = makeCli(app, place)
    site = (await place.site()).id
    for (const [index, siteId] of [site, null, site].entries()) {
      const device = await place.device({ siteId, type: "meter" })
      const readings = Array.from({ length: 3000 }, (_, n) => ({
        at: new Date(Date.parse("2026-01-31T12:00:00Z") + n * 600_000 + index),
        state: { power: n + index, importedEnergy: 1e9 + n / 3 }
      }))
      await place.read(device, ...readings)
      for (const { at, state } of readings) {
        if (at < new Date(from) || at >= new Date(to)) continue
        expected.n += 1
        expected.power += state.power
        if (siteId !== null) expected.ofSite += state.power
      }
    }
    await place.call("POST", "/v1/customers", { firstName: "Ada", lastName: 'O"Hara, née Okafor' })
  })

  test.each(["parquet", "csv", "ndjson"])(
    "writes readings as %s, in which DuckDB finds the same sums",
    async (format) => {
      const file = join(folder, `readings.${format}`)
      const done = await run("export", "readings", file, ...span, "--json")
      expect(done.json()).toMatchObject({ readings: expected.n, format })
      const reader = { parquet: "read_parquet", csv: "read_csv", ndjson: "read_json_auto" }[format]
      const [row] = await ask(
        `SELECT count(*)::int AS n, sum(power)::double AS power, count(DISTINCT "deviceId")::int AS devices,
        min(timestamp)::text < '2026-02-01 00:20' AS first FROM ${reader}('${file}')`
      )
      expect(row).toEqual({ n: expected.n, power: expected.power, devices: 3, first: true })
      expect(existsSync(`${file}.part`) || existsSync(`${file}.part.json`)).toBe(false)
    }
  )

  test("writes the readings of a site alone", async () => {
    const file = join(folder, "site.parquet")
    await run("export", "readings", file, ...span, "--site", site)
    const [row] = await ask(`SELECT sum(power)::double AS power, list(DISTINCT "siteId")::text AS sites FROM '${file}'`)
    expect(row).toEqual({ power: expected.ofSite, sites: `[${site}]` })
  })

  test("continues after the last page that was stored", async () => {
    const whole = join(folder, "whole.ndjson")
    await run("export", "readings", whole, ...span)
    const lines = readFileSync(whole, "utf8").trimEnd().split("\n")
    const half = lines.slice(0, 4000)
    const file = join(folder, "resumed.ndjson")
    const last = JSON.parse(half.at(-1)!)
    const text = `${half.join("\n")}\n`
    // A page that was written when the process ended, before its place was stored.
    writeFileSync(`${file}.part`, `${text}${lines[4000]!.slice(0, 20)}`)
    const of = JSON.stringify(["readings", from, to, [], [], []])
    const place = { deviceId: last.deviceId, timestamp: last.timestamp }
    const state = { of, place, bytes: Buffer.byteLength(text), rows: 4000, done: false }
    writeFileSync(`${file}.part.json`, JSON.stringify(state))
    const other = await run("export", "events", file, ...span)
    expect(other.stderr).toContain("EXPORT_OF_OTHER_DATA")
    const done = await run("export", "readings", file, ...span)
    expect(done.stderr).toContain("Continuing after 4,000 readings")
    expect(readFileSync(file, "utf8")).toBe(readFileSync(whole, "utf8"))
  })

  test("writes events with their data as JSON", async () => {
    const file = join(folder, "events.parquet")
    const wide = ["--from", "2026-01-01T00:00:00Z", "--to", "2100-01-01T00:00:00Z"]
    await run("export", "events", file, ...wide)
    const [row] = await ask(
      `SELECT data->>'$.customer.lastName' AS name FROM '${file}' WHERE type = 'CUSTOMER_CREATED'`
    )
    expect(row).toEqual({ name: 'O"Hara, née Okafor' })
    const commands = await run("export", "commands", join(folder, "commands.csv"), ...wide, "--json")
    expect(commands.json()).toMatchObject({ commands: 0, format: "csv" })
  })
})
