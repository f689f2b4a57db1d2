import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { useDatabases } from "../support/Databases.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { edp, startEdp } from "./edp.ts"

const kills = rounds(2)
const devices = 4
const readingsEach = 30_000
const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }
const passphrase = { EDP_PASSPHRASE: "correct horse battery staple" }

let folder: GuardedFolder
let archive: string
let source: { readonly serverKey: string; readonly workspaceId: string; readonly ids: ReadonlyArray<string> }
let histories: ReadonlyArray<string>

const readHistory = async (server: SpawnedServer, id: string, key: string) => {
  const { body } = await callAt(
    server.baseUrl,
    "GET",
    `/v1/devices/${id}/history?from=2020-01-01T00:00:00Z&perPage=100&page=7`,
    { key }
  )
  return JSON.stringify([body.totalItems, body.data])
}

const must = async (server: SpawnedServer, method: string, path: string, key: string, body: unknown) => {
  const response = await callAt(server.baseUrl, method, path, { key, body })
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
  return response.body
}

beforeAll(async () => {
  folder = await guardedFolder("edp-crash-workspace")
  const dataDir = join(folder.path, "source")
  archive = join(folder.path, "workspace.tar")
  const server = await spawnServer({ dataDir, env: limits })
  const { managementKey, manufacturerKey, serverKey, workspaceId } = server.credentials
  const site = await must(server, "POST", "/v1/sites", serverKey, {
    address: { streetOne: "915 L Street", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
  })
  const model = await must(server, "POST", "/v1/device-models", managementKey, {
    manufacturer: "generic",
    name: "Moved meter",
    type: "meter"
  })
  const ids: Array<string> = []
  for (let n = 0; n < devices; n++) {
    const device = await must(server, "POST", "/devices", manufacturerKey, {
      deviceModelId: model.id,
      manufacturerDeviceId: `meter-${n}`,
      siteId: site.id
    })
    ids.push(device.id)
    for (let at = 0; at < readingsEach; at += 1000) {
      await must(server, "POST", `/devices/${device.id}/telemetry`, manufacturerKey, {
        readings: Array.from({ length: 1000 }, (_, i) => ({
          timestamp: new Date(Date.UTC(2026, 0, 1) + (at + i) * 60_000).toISOString(),
          state: { power: at + i }
        }))
      })
    }
  }
  const run = await edp(["workspaces", "export", archive, "--json"], { EDP_DATA_DIR: dataDir, ...passphrase })
  expect(run.code, run.stderr).toBe(0)
  source = { serverKey, workspaceId, ids }
  histories = await Promise.all(ids.map((id) => readHistory(server, id, serverKey)))
  await server.stop()
}, 180_000)
afterAll(() => folder.remove())

/** Imports the workspace while the service is killed at random moments, and the tool with it in every second round. */
const importThrough = async (name: string, env: Readonly<Record<string, string>>) => {
  const random = new Random(testSeed)
  const dataDir = join(folder.path, name)
  const port = await freePort()
  const start = () => spawnServer({ port, dataDir, env: { ...limits, ...env } })
  const settings = { EDP_DATA_DIR: dataDir, ...passphrase }
  // Both installations have begun with a workspace of the same name.
  const importing = ["workspaces", "import", archive, "--name", "Moved"]
  let server = await start()
  const other = server.credentials
  const workspaces = async () =>
    (await callAt(server.baseUrl, "GET", "/v1/workspaces?perPage=100", { key: other.managementKey })).body.data.map(
      ({ id }: any) => id
    )
  for (let kill = 0; kill < kills; kill++) {
    const tool = startEdp([...importing, "--json"], settings)
    await setTimeout(random.next() * 2500)
    const killed = server.kill9()
    if (kill % 2 === 0) tool.signal("SIGKILL")
    await killed
    server = await start()
    await tool.ended
    const finished = (await workspaces()).includes(source.workspaceId)
    const seen = await callAt(server.baseUrl, "GET", "/v1/devices", { key: source.serverKey })
    expect([finished, seen.status]).toEqual([finished, finished ? 200 : 401])
  }
  const run = await edp([...importing, "--json"], settings)
  expect(run.code, run.stderr).toBe(0)
  const { data } = (await callAt(server.baseUrl, "GET", "/v1/devices?perPage=100", { key: source.serverKey })).body
  expect(data.map(({ id }: any) => id).toSorted()).toEqual(source.ids.toSorted())
  const there = await Promise.all(source.ids.map((id) => readHistory(server, id, source.serverKey)))
  expect(there).toEqual(histories)
  expect(JSON.parse(there[0]!)[0]).toBe(readingsEach)
  await server.stop()
}

const title = `stores every reading once, however often the service is killed during the import (seed ${testSeed})`

describe(`a workspace with ${devices * readingsEach} readings`, () => {
  inTurn(
    1,
    () => test(`on the embedded database ${title}`, () => importThrough("embedded", {}), 300_000),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(title, () => importThrough("postgres", { DATABASE_URL: databases.url }), 300_000)
      })
  )
})
