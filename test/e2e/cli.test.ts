import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../support/freePort.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { edp, type Ran, startEdp } from "./edp.ts"

const sample = fileURLToPath(new URL("../../examples/sample-home/home.csv", import.meta.url))
const rows = readFileSync(sample, "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [, load, solar] = line.split(",").map(Number) as [number, number, number]
    return { load, solar }
  })
const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0)
const sums = {
  generated: sum(({ solar }) => solar),
  imported: sum(({ load, solar }) => Math.max(0, load - solar)),
  exported: sum(({ load, solar }) => Math.max(0, solar - load))
}
const readings = 2 * (rows.length + 1)

let server: SpawnedServer
let folder: string
const env = () => ({ EDP_DATA_DIR: server.dataDir })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "edp-cli-"))
  server = await spawnServer()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true })
})

const json = ({ code, stderr, stdout }: Ran) => {
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}
const state = async (device: string) => json(await edp(["devices", "show", device, "--json"], env())).state
const stored = async (device: string, settings: Readonly<Record<string, string>> = env()) => {
  const range = ["--from", "2020-01-01T00:00:00Z", "--to", "2026-12-31T00:00:00Z"]
  return json(await edp(["devices", "history", device, ...range, "--per-page", "1", "--json"], settings)).totalItems
}

describe("the import of the sample home", () => {
  it("stores a year of both devices, whose counters end at the sums of the file", async () => {
    const args = ["telemetry", "import", sample, "--provision", "--timezone", "America/Los_Angeles"]
    const result = json(await edp([...args, "--address", "1 Capitol Mall, Sacramento, CA 95814", "--json"], env()))
    expect(result).toMatchObject({ readings, accepted: readings, duplicates: 0, refused: 0 })
    expect(await stored("home-inverter")).toBe(8761)
    expect(await stored("home-meter")).toBe(8761)
    expect(await state("home-inverter")).toMatchObject({ lifetimeEnergyGenerated: sums.generated })
    expect(await state("home-meter")).toMatchObject({ importedEnergy: sums.imported, exportedEnergy: sums.exported })
  })

  it("adds nothing when run again", async () => {
    const result = json(await edp(["telemetry", "import", sample, "--json"], env()))
    expect(result).toMatchObject({ accepted: 0, duplicates: readings, refused: 0 })
    expect(await stored("home-inverter")).toBe(8761)
  })

  it("shows a summer day as a curve, in the site's time zone", async () => {
    const { code, stdout } = await edp(["devices", "history", "home-inverter", "--day", "2025-06-21", "--plot"], env())
    expect(code).toBe(0)
    expect(stdout).toContain("home inverter, 2025-06-21 (America/Los_Angeles): power, W")
    expect(stdout).toMatch(/00 +03 +06 +09 +12 +15 +18 +21 +24/u)
    expect(stdout).toMatch(/\d\d\.\d\d kWh generated/u)
  })

  it("draws the year's energies into a picture", async () => {
    const picture = join(folder, "year.png")
    const args = ["metrics", "show", "load", "generation", "grid", "--site", "home", "--year", "2025", "--png", picture]
    const { code, stderr, stdout } = await edp(args, env())
    expect([code, stdout, stderr]).toEqual([0, "", `wrote ${picture}\n`])
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe("PNG")
  })

  it("lists both devices", async () => {
    const { data } = json(await edp(["devices", "list", "--reference-id", "home", "--all", "--json"], env()))
    expect(data.map(({ name }: { readonly name: string }) => name).sort()).toEqual(["home inverter", "home meter"])
  })
})

describe("the rotation of a key", () => {
  it("replaces the SERVER key in the credentials file, and the old one stops working", async () => {
    const before = server.credentials.serverKey
    const keys = json(await edp(["keys", "list", "--all", "--json"], env())).data
    const old = keys.find(({ keyPrefix }: { readonly keyPrefix: string }) => before.startsWith(keyPrefix))
    const { replacement, revoked } = json(await edp(["keys", "rotate", old.id, "--yes", "--json"], env()))
    expect(revoked).toBe(old.id)
    expect(server.credentials.serverKey).toBe(replacement.key)
    expect((await edp(["alerts", "list"], env())).code).toBe(0)
    const refused = await edp(["alerts", "list"], { ...env(), EDP_KEY_SERVER: before })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("UNAUTHENTICATED")
  })

  it("replaces the MANAGEMENT key that the tool itself uses", async () => {
    const before = server.credentials.managementKey
    const keys = json(await edp(["keys", "list", "--all", "--json"], env())).data
    const old = keys.find(({ keyPrefix }: { readonly keyPrefix: string }) => before.startsWith(keyPrefix))
    expect((await edp(["keys", "rotate", old.id, "--yes"], env())).code).toBe(0)
    expect(server.credentials.managementKey).not.toBe(before)
    expect((await edp(["keys", "list"], env())).code).toBe(0)
  })
})

describe("the tool", () => {
  it("reports no problem", async () => {
    const { checks } = json(await edp(["doctor", "--json"], env()))
    expect(checks.filter(({ status }: { readonly status: string }) => status !== "ok")).toEqual([])
    expect(checks.length).toBe(11)
  })

  it("makes the keys it needs from a management key alone, and keeps them", async () => {
    const profile = join(folder, "profile.json")
    const { baseUrl, managementKey } = server.credentials
    const alone = { EDP_URL: baseUrl, EDP_KEY_MANAGEMENT: managementKey }
    expect((await edp(["devices", "list", "--profile", profile], alone)).code).toBe(1)
    expect((await edp(["devices", "list", "--profile", profile, "--provision"], alone)).code).toBe(0)
    expect(statSync(profile).mode & 0o777).toBe(0o600)
    expect((await edp(["devices", "list", "--profile", profile], alone)).code).toBe(0)
  })
})

describe("an import", () => {
  it("outlasts a service that is killed in the middle of it, and every reading is there once", async () => {
    const port = await freePort()
    const settings = { EDP_DATA_DIR: join(folder, "killed") }
    const first = await spawnServer({ port, dataDir: settings.EDP_DATA_DIR })
    const running = startEdp(["telemetry", "import", sample, "--provision", "--json"], settings)
    await expect.poll(running.stderr, { interval: 1, timeout: 60_000 }).toContain("readings")
    // A stopped process can't finish before the service is killed.
    running.signal("SIGSTOP")
    await first.kill9()
    const second = await spawnServer({ port, dataDir: settings.EDP_DATA_DIR })
    try {
      const before = (await stored("home-inverter", settings)) + (await stored("home-meter", settings))
      expect(before).toBeLessThan(readings)
      running.signal("SIGCONT")
      const result = json(await running.ended)
      expect(result).toMatchObject({ readings, refused: 0 })
      expect(result.accepted + result.duplicates).toBe(readings)
      expect(await stored("home-inverter", settings)).toBe(8761)
      expect(await stored("home-meter", settings)).toBe(8761)
    } finally {
      running.signal("SIGCONT")
      await second.stop()
    }
  })
})
