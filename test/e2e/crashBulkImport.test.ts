import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
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

const kills = rounds(2)
const rows = 6_000
const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }

/** One row of a hundred has a postal code that does not exist, one has no city. */
const city = (row: number) => (row % 100 === 50 ? "" : "Sacramento")
const postalCode = (row: number) => (row % 100 === 0 ? "99999" : "95814")
const bad = (rows / 100) * 2
const file = [
  "referenceId,streetOne,city,state,postalCode",
  ...Array.from(
    { length: rows },
    (_, at) => `site-${at + 1},${at + 1} Main Street,${city(at + 1)},CA,${postalCode(at + 1)}`
  )
].join("\n")

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-crash-bulk")
})
afterAll(() => folder.remove())

/** A journal that is being replaced is absent for a moment. */
const lineCount = (path: string) => {
  try {
    return readFileSync(path, "utf8").split("\n").length - 1
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0
    throw error
  }
}

/** Imports sites while the tool, and the service with `killService`, are killed at random moments. */
const importThrough = async (name: string, env: Readonly<Record<string, string>>, killService: boolean) => {
  const random = new Random(testSeed)
  const dataDir = join(folder.path, name)
  const path = join(folder.path, `${name}.csv`)
  writeFileSync(path, file)
  const report = `${path}.report.csv`
  const settled = () => lineCount(`${report}.journal`) - 1
  const port = await freePort()
  const start = () => spawnServer({ port, dataDir, env: { ...limits, ...env } })
  const settings = { EDP_DATA_DIR: dataDir }
  let server = await start()

  let before = 0
  for (let kill = 0; kill < kills; kill++) {
    const tool = startEdp(["sites", "import", path], settings)
    await eventually("more rows are settled", () => (settled() > before ? true : undefined))
    await setTimeout(random.next() * 100)
    const killed = killService ? server.kill9() : undefined
    tool.signal("SIGKILL")
    await Promise.all([killed, tool.ended])
    if (killService) server = await start()
    before = settled()
  }
  expect(before, "the import was cut off every time").toBeLessThan(rows)

  const run = await edp(["sites", "import", path, "--json"], settings)
  expect(run.code, run.stderr).toBe(1)
  const { created, exists, failed } = JSON.parse(run.stdout)
  expect({ settled: created + exists, failed }).toEqual({ settled: rows - bad, failed: bad })

  const { serverKey: key } = server.credentials
  const list = async (page: number): Promise<any> =>
    (await callAt(server.baseUrl, "GET", `/v1/sites?perPage=100&page=${page}`, { key })).body
  const { totalItems, totalPages } = await list(1)
  expect(totalItems).toBe(rows - bad)
  const ids = new Map<string, string>()
  for (let page = 1; page <= totalPages; page++) {
    for (const { id, referenceId } of (await list(page)).data) ids.set(referenceId, id)
  }
  expect(ids.size).toBe(rows - bad)
  const lines = readFileSync(report, "utf8").trimEnd().split("\r\n").slice(1)
  expect(lines.length).toBe(rows)
  const untrue = lines.filter((line) => {
    const [, , status, id, referenceId = ""] = line.split(",")
    return status === "created" ? id !== ids.get(referenceId) : ids.has(referenceId) !== (status === "exists")
  })
  expect(untrue).toEqual([])
  await server.stop()
  return { created, exists }
}

const both = `resumes after every kill -9 of the service and of the tool, and creates nothing twice (seed ${testSeed})`

describe("the import of 6,000 sites", () => {
  inTurn(
    1,
    () =>
      test(`resumes after every kill -9 of the tool, and reports everything that it created (seed ${testSeed})`, async () => {
        expect(await importThrough("tool", {}, false)).toEqual({ created: rows - bad, exists: 0 })
      }),
    () => test(`on the embedded database ${both}`, () => importThrough("embedded", {}, true)),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(both, () => importThrough("postgres", { DATABASE_URL: databases.url }, true))
      })
  )
})
