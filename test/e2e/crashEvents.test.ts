import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Reply, callAt, type CallOptions } from "../support/callAt.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { killProcess, processNames, severalProcesses } from "../support/processes.ts"
import { Random } from "../support/Random.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { times } from "./fleet.ts"

const KILLS = rounds(2)
const WRITERS = 6
const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-crash-events")
})
afterAll(() => folder.remove())

/** Kills a service, and resolves to the one that takes its place. */
type Kill = (server: SpawnedServer, start: () => Promise<SpawnedServer>, random: Random) => Promise<SpawnedServer>

const killAll: Kill = async (server, start) => {
  await server.kill9()
  return start()
}

const killOne: Kill = async (server, _, random) => {
  await killProcess(server, random.pick(processNames))
  return server
}

/** Changes customers and pushes readings while the service is killed, and compares the stored records with the events. */
const changeThrough = async (name: string, env: Readonly<Record<string, string>>, kill = killAll) => {
  const random = new Random(testSeed)
  const dataDir = join(folder.path, name)
  const port = await freePort()
  const start = () => spawnServer({ port, dataDir, env: { ...limits, ...env } })
  let server = await start()
  const { manufacturerKey, serverKey } = server.credentials
  const call = (method: string, path: string, key: string, body?: object): Promise<Reply> => {
    const options: CallOptions = { key, ...(body !== undefined && { body }) }
    return callAt(`http://127.0.0.1:${port}`, method, path, options)
  }

  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const site = (await call("POST", "/v1/sites", serverKey, { address })).body
  const [model] = (await call("GET", "/v1/device-models?manufacturer=generic&type=inverter", serverKey)).body.data
  const provision = { manufacturerDeviceId: "1", deviceModelId: model.id, siteId: site.id }
  const device = (await call("POST", "/devices", manufacturerKey, provision)).body
  const customers: Array<string> = []
  for (const _ of times(WRITERS)) customers.push((await call("POST", "/v1/customers", serverKey, {})).body.id)

  /** Repeats a step until the service is killed; the outcome of the last request is unknown. */
  const untilKilled = async ({ signal }: AbortController, step: () => Promise<unknown>) => {
    try {
      while (!signal.aborted) await step()
    } catch {
      return
    }
  }
  let renames = 0
  const rename = async (id: string) => {
    const { firstName } = (await call("GET", `/v1/customers/${id}`, serverKey)).body
    await call("PATCH", `/v1/customers/${id}`, serverKey, { firstName: `${Number(firstName ?? 0) + 1}` })
    renames += 1
  }
  for (const _ of times(KILLS)) {
    const killing = new AbortController()
    const writers = [
      ...customers.map((id) => untilKilled(killing, () => rename(id))),
      untilKilled(killing, () =>
        call("POST", `/devices/${device.id}/telemetry`, manufacturerKey, { state: { power: 1 } })
      ),
      untilKilled(killing, () =>
        call("POST", "/v1/customers/bulk", serverKey, { customers: times(20).map(() => ({})) })
      )
    ]
    const enough = renames + 2 * WRITERS
    await eventually("something has changed", () => (renames >= enough ? true : undefined))
    await setTimeout(random.next() * 200)
    server = await kill(server, start, random)
    killing.abort()
    await Promise.all(writers)
  }

  const events: Array<any> = []
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0
    const { data } = (await call("GET", `/v1/events?after=${after}&perPage=100`, serverKey)).body
    if (data.length === 0) break
    events.push(...data)
  }
  const readData = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data)

  const there: Array<string> = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await call("GET", `/v1/customers?perPage=100&page=${page}`, serverKey)
    there.push(...body.data.map(({ id }: { readonly id: string }) => id))
    pages = body.totalPages
  }
  expect(
    readData("CUSTOMER_CREATED")
      .map(({ customer }) => customer.id)
      .toSorted()
  ).toEqual(there.toSorted())

  const renamed = Map.groupBy(readData("CUSTOMER_UPDATED"), ({ customer }) => customer.id)
  for (const id of customers) {
    const { firstName } = (await call("GET", `/v1/customers/${id}`, serverKey)).body
    const names = (renamed.get(id) ?? []).map(({ customer }) => customer.firstName)
    expect(names).toEqual(times(Number(firstName ?? 0)).map((n) => `${n + 1}`))
  }

  const span = "from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&perPage=1"
  const { totalItems } = (await call("GET", `/v1/devices/${device.id}/history?${span}`, serverKey)).body
  expect(readData("DEVICE_UPDATED")).toHaveLength(totalItems)
  await server.stop()
}

describe(`after every kill -9 there is neither an event without its cause nor a cause without its event (seed ${testSeed})`, () => {
  inTurn(
    1,
    () => test("on the embedded database", () => changeThrough("embedded", {})),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()
        test("on PostgreSQL", () => changeThrough("postgres", { DATABASE_URL: databases.url }))
      }),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()
        test("if any of several processes is killed", () =>
          changeThrough("processes", { DATABASE_URL: databases.url, ...severalProcesses }, killOne))
      })
  )
})
