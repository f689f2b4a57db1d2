import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Reply, callAt, type CallOptions } from "../support/callAt.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { signInAtSimulator, signInHeadless, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import { spawnServer } from "../support/spawnServer.ts"
import { times } from "./fleet.ts"

const KILLS = rounds(4)
const location = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
const person = { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location }

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-crash-connections")
})
afterAll(() => folder.remove())

/** Connects an account while the service is killed after the person's return, once in each workspace. */
const connectThrough = async (name: string, env: Readonly<Record<string, string>>) => {
  const random = new Random(testSeed)
  const dataDir = join(folder.path, name)
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const start = () => spawnServer({ port, dataDir, env })
  let server = await start()
  const { managementKey } = server.credentials
  const call = (method: string, path: string, key: string, body?: object): Promise<Reply> => {
    const options: CallOptions = { key, ...(body !== undefined && { body }) }
    return callAt(baseUrl, method, path, options)
  }
  const must = async (status: number, ...request: Parameters<typeof call>): Promise<any> => {
    const response = await call(...request)
    expect([request[0], request[1], response.status, response.status === status ? "" : response.text]).toEqual([
      request[0],
      request[1],
      status,
      ""
    ])
    return response.body
  }
  const begin = async (key: string) =>
    must(201, "POST", "/v1/connections", key, {
      mode: "headless",
      referenceId: "user-1",
      redirectUrl: "https://example.com/connected",
      manufacturerFilters: { manufacturers: ["simulator"] },
      customerInfo: person
    })
  const outcomes: Array<string> = []
  for (const round of times(KILLS)) {
    const workspace = await must(201, "POST", "/v1/workspaces", managementKey, { name: `Round ${round}` })
    const newKey = { name: "Back end", type: "SERVER", workspaceId: workspace.id }
    const { key } = await must(201, "POST", "/v1/api-keys", managementKey, newKey)
    const session = await begin(key)
    const visit = startVisit(baseUrl)
    const back = await signInAtSimulator(visit, session.url)
    const returned = visit.open(back).catch(() => undefined)
    await setTimeout(random.next() * 60)
    await server.kill9()
    await returned
    server = await start()

    const { status, ...found } = await must(200, "GET", `/v1/connections/${session.id}`, key)
    outcomes.push(status)
    const count = async (path: string) => (await must(200, "GET", path, key)).totalItems
    const stored = [await count("/v1/customers"), await count("/v1/sites"), await count("/v1/devices")]
    if (status === "SUCCESS") {
      expect(stored).toEqual([1, 1, found.deviceIds.length])
      expect(found.deviceIds.length).toBeGreaterThan(0)
      continue
    }
    // Nothing of it is there, and nothing of it is in the way of the next attempt.
    expect(["PENDING", "AUTHORIZING_MANUFACTURER", "ERROR"]).toContain(status)
    expect(stored).toEqual([0, 0, 0])
    const again = await begin(key)
    const end = await signInHeadless(baseUrl, again.url)
    expect(end.searchParams.get("connect_session_id")).toBe(again.id)
    expect((await must(200, "GET", `/v1/connections/${again.id}`, key)).status).toBe("SUCCESS")
  }
  await server.stop()
  return outcomes
}

describe(`a connect session whose service is killed at random moments after the person's return (seed ${testSeed})`, () => {
  const title = "is finished as a whole or not at all, and can be begun again"

  inTurn(
    1,
    () =>
      test(`${title}, on the embedded database`, async () => {
        expect(await connectThrough("embedded", {})).toHaveLength(KILLS)
      }),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(title, async () => {
          expect(await connectThrough("postgres", { DATABASE_URL: databases.url })).toHaveLength(KILLS)
        })
      })
  )
})
