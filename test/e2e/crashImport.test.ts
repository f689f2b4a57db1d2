import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { spawnServer } from "../support/spawnServer.ts"
import { edp, startEdp } from "./edp.ts"

const kills = rounds(3)
/** How long the tool runs at a time until one of its readings has arrived. */
const STROKE_MS = 20
const sample = fileURLToPath(new URL("../../examples/sample-home/home.csv", import.meta.url))
const rows = readFileSync(sample, "utf8").trim().split("\n").slice(1)
const generated = rows.reduce((sum, row) => sum + Number(row.split(",")[2]), 0)

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-crash-import")
})
afterAll(() => folder.remove())

/** Imports a year while the tool and the service are killed at random moments and restarted. */
const importThrough = async (name: string, env: Readonly<Record<string, string>>) => {
  const random = new Random(testSeed)
  const dataDir = join(folder.path, name)
  const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }
  const start = async () => spawnServer({ port, dataDir, env: { ...limits, ...env } })
  const port = await freePort()
  const args = ["telemetry", "import", sample, "--provision"]
  const settings = { EDP_DATA_DIR: dataDir }
  let server = await start()
  const read = async (path: string) =>
    (await callAt(server.baseUrl, "GET", path, { key: server.credentials.serverKey })).body
  const devices = async (): Promise<ReadonlyArray<Record<string, any>>> =>
    (await read("/v1/devices?referenceId=home")).data
  const total = async (id: string): Promise<number> =>
    (await read(`/v1/devices/${id}/history?from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z&perPage=1`)).totalItems
  const stored = async () => {
    const totals = await Promise.all((await devices()).map(({ id }) => total(id!)))
    return totals.reduce((sum, one) => sum + one, 0)
  }

  const whole = 2 * (rows.length + 1)
  let partial = 0
  let cuts = 0
  for (let kill = 0; kill < kills && partial < whole; kill++) {
    const tool = startEdp(args, settings)
    await eventually("the tool begins to send", () => (tool.stderr().includes("readings") ? true : undefined))
    // A stopped tool can't finish before it is killed; the service may or may not finish what the tool has sent.
    tool.signal("SIGSTOP")
    await eventually("something more has arrived", async () => {
      if ((await stored()) > partial) return true
      tool.signal("SIGCONT")
      await setTimeout(STROKE_MS)
      tool.signal("SIGSTOP")
      return undefined
    })
    await setTimeout(random.next() * 200)
    const killed = server.kill9()
    tool.signal("SIGKILL")
    await Promise.all([killed, tool.ended])
    server = await start()
    partial = await stored()
    if (partial < whole) cuts += 1
  }
  expect(cuts, "the import was cut off several times").toBeGreaterThan(1)

  const run = await edp([...args, "--json"], settings)
  expect(run.code, run.stderr).toBe(0)
  const { accepted, duplicates, refused } = JSON.parse(run.stdout)
  expect({ accepted, duplicates, refused }).toEqual({
    accepted: whole - partial,
    duplicates: partial,
    refused: 0
  })
  const home = await devices()
  expect(await Promise.all(home.map(({ id }) => total(id!)))).toEqual([rows.length + 1, rows.length + 1])
  const inverter = home.find(({ type }) => type === "inverter")
  expect(inverter?.["state"].lifetimeEnergyGenerated).toBe(generated)
  await server.stop()
}

const title = `resumes after every kill -9 of the service and of the tool, and stores every row once (seed ${testSeed})`

describe("the import of a year", () => {
  inTurn(
    1,
    () => test(`on the embedded database ${title}`, () => importThrough("embedded", {})),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(title, () => importThrough("postgres", { DATABASE_URL: databases.url }))
      })
  )
})
