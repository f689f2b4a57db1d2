import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { launchServer, spawnServer } from "../support/spawnServer.ts"

const random = new Random(testSeed)

let folder: GuardedFolder
let folders = 0
beforeAll(async () => {
  folder = await guardedFolder("edp-interrupted")
})
afterAll(() => folder.remove())

/** Whatever state the first start was in, the next one completes with working keys in the credentials file. */
const startsWhole = async (dataDir: string, env: Readonly<Record<string, string>>) => {
  const server = await spawnServer({ dataDir, env, fresh: true })
  const { managementKey, serverKey, manufacturerKey } = server.credentials
  for (const key of [managementKey, serverKey, manufacturerKey]) {
    expect((await callAt(server.baseUrl, "GET", "/v1/manufacturers", { key })).status).toBe(200)
  }
  const { body } = await callAt(server.baseUrl, "GET", "/v1/api-keys", { key: managementKey })
  expect(body.totalItems).toBe(3)
  expect(await server.stop()).toBe(0)
}

const interrupt = async (
  signal: "SIGKILL" | "SIGTERM",
  dataDir: string,
  env: Readonly<Record<string, string>>,
  at: number
) => {
  const { server, cleaned } = await launchServer({ dataDir, env })
  // SIGTERM ends Node.js by itself until the program handles it, which it does before it makes the folder.
  if (signal === "SIGTERM") await eventually("the program runs", () => (existsSync(dataDir) ? true : undefined))
  await setTimeout(at)
  server.kill(signal)
  await cleaned
  return { ...(await server.exited), stderr: server.stderr() }
}

const interruptions = rounds(2)

/** Random moments, one in each equal part of the duration of a complete start. */
const momentsIn = (startMs: number) =>
  Array.from({ length: interruptions }, (_, part) => ((part + random.next()) / interruptions) * startMs)

const timeOfStart = async (env: Readonly<Record<string, string>>) => {
  const whole = await spawnServer({ env, fresh: true })
  await whole.stop()
  return whole.readyAfterMs
}

const newDataDir = () => join(folder.path, `data-${++folders}`)

describe("the very first start", () => {
  inTurn(
    1,
    () =>
      test(`on the embedded database survives a kill at any moment, twice in a row (seed ${testSeed})`, async () => {
        const startMs = await timeOfStart({})
        for (const moment of momentsIn(startMs)) {
          const dataDir = newDataDir()
          await interrupt("SIGKILL", dataDir, {}, moment)
          await interrupt("SIGKILL", dataDir, {}, random.next() * startMs)
          await startsWhole(dataDir, {})
        }
      }),
    () =>
      test("on the embedded database exits cleanly on SIGTERM before it is ready", async () => {
        const startMs = await timeOfStart({})
        for (const moment of momentsIn(startMs / 2)) {
          const dataDir = newDataDir()
          const { code, signal, stderr } = await interrupt("SIGTERM", dataDir, {}, moment)
          expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" })
          await startsWhole(dataDir, {})
        }
      }),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(`survives a kill at any moment (seed ${testSeed})`, async () => {
          const startMs = await timeOfStart({ DATABASE_URL: await databases.createEmpty() })
          for (const moment of momentsIn(startMs)) {
            const [dataDir, env] = [newDataDir(), { DATABASE_URL: await databases.createEmpty() }]
            await interrupt("SIGKILL", dataDir, env, moment)
            await startsWhole(dataDir, env)
          }
        })
      })
  )
})
