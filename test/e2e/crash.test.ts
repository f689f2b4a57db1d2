import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres, startPostgres } from "../support/PostgresServer.ts"
import { killProcess, processNames, severalProcesses } from "../support/processes.ts"
import { Random } from "../support/Random.ts"
import { type Credentials, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { asPushes, Importer, type Reading } from "./crash/Importer.ts"
import { readHistory, makeHome } from "./crash/home.ts"
import { times } from "./fleet.ts"

const readingsPerDevice = 3000
const kills = rounds(2)

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-crash")
})
afterAll(() => folder.remove())

/** A service that is restarted at the same address after every kill. */
class Service {
  server!: SpawnedServer
  private readonly options: Parameters<typeof spawnServer>[0] & object

  constructor(options: Parameters<typeof spawnServer>[0] & object) {
    this.options = options
  }

  async start() {
    this.server = await spawnServer(this.options)
  }
}

const newService = async (name: string, env: Readonly<Record<string, string>>) => {
  const unlimited = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }
  const service = new Service({
    port: await freePort(),
    dataDir: join(folder.path, name),
    env: { ...unlimited, ...env }
  })
  await service.start()
  return service
}

/** Every acknowledged reading is stored, every stored reading was sent and is stored once, and the newest one is the state. */
const expectStored = async (
  baseUrl: string,
  key: string,
  sent: ReadonlyArray<Reading>,
  acknowledged: ReadonlyArray<Reading>
) => {
  const { deviceId } = sent[0]!
  const { stored, totalItems } = await readHistory(baseUrl, key, deviceId)
  const states = new Map(stored.map(({ timestamp, state }) => [timestamp, state]))
  expect(states.size).toBe(stored.length)
  expect(totalItems).toBe(stored.length)
  const expected = new Map(sent.map(({ timestamp, state }) => [timestamp, state]))
  // One comparison of thousands of readings is much cheaper than thousands of comparisons.
  expect(stored.filter(({ timestamp, state }) => !isDeepStrictEqual(state, expected.get(timestamp)))).toEqual([])
  const own = acknowledged.filter((reading) => reading.deviceId === deviceId)
  expect(own.filter(({ timestamp }) => !states.has(timestamp))).toEqual([])
  const { body: device } = await callAt(baseUrl, "GET", `/v1/devices/${deviceId}`, { key })
  expect(device.state.createdAt).toBe(stored.at(-1)?.timestamp)
  return stored.length
}

type Crash = (service: Service) => Promise<void>

const killService: Crash = async (service) => {
  await service.server.kill9()
  await service.start()
}

/** Imports in parts, with a crash at a random moment of each; returns how many requests were cut off. */
const importThrough = async (service: Service, crashes: ReadonlyArray<Crash>) => {
  const random = new Random(testSeed)
  const { baseUrl } = service.server
  const credentials: Credentials = service.server.credentials
  const home = await makeHome(baseUrl, credentials, readingsPerDevice)
  const importer = new Importer(baseUrl, credentials.manufacturerKey, asPushes(home, random))
  const check = async () => {
    const counts = []
    for (const readings of home)
      counts.push(await expectStored(baseUrl, credentials.serverKey, readings, importer.acknowledged))
    return counts
  }
  for (const [at, crash] of crashes.entries()) {
    let responsesToGo = 1 + random.below(2 * Math.floor(importer.left / (crashes.length - at + 1)))
    const due = Promise.withResolvers<void>()
    const sending = importer.run(() => --responsesToGo === 0 && due.resolve())
    await Promise.race([due.promise, sending])
    await setTimeout(random.next() * 20)
    await crash(service)
    importer.halt()
    await sending
    await check()
  }
  await importer.run()
  expect(importer.left).toBe(0)
  expect(await check()).toEqual(home.map(() => readingsPerDevice))
  return importer.failed
}

describe("kill -9 during an import", () => {
  const title = `loses no acknowledged reading, stores none twice, and needs no intervention (seed ${testSeed})`
  const ofService = Array.from({ length: kills }, () => killService)

  inTurn(
    1,
    () =>
      test(`killing the service on the embedded database ${title}`, async () => {
        const service = await newService("embedded", {})
        expect(await importThrough(service, ofService)).toBeGreaterThan(kills)
        await service.server.stop()
      }),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(`killing the service ${title}`, async () => {
          const service = await newService("service", { DATABASE_URL: databases.url })
          expect(await importThrough(service, ofService)).toBeGreaterThan(kills)
          await service.server.stop()
        })
      }),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(`killing each of its processes ${title}`, async () => {
          const service = await newService("processes", { DATABASE_URL: databases.url, ...severalProcesses })
          const killEach = times(Math.ceil(kills / 2)).flatMap(() =>
            processNames.map(
              (name): Crash =>
                ({ server }) =>
                  killProcess(server, name)
            )
          )
          expect(await importThrough(service, killEach)).toBeGreaterThan(0)
          expect(await service.server.stop()).toBe(0)
        })
      }),
    () =>
      describePostgres("on PostgreSQL", () => {
        test(`killing the database ${title}`, async () => {
          const postgres = await startPostgres()
          onTestFinished(() => postgres.stop())
          const killDatabase: Crash = async ({ server }) => {
            await postgres.kill9()
            await postgres.restart()
            await eventually("the service finds its database again", async () => {
              const { status } = await callAt(server.baseUrl, "GET", "/health/ready")
              return status === 200 ? true : undefined
            })
          }
          const service = await newService("database", { DATABASE_URL: postgres.url })
          const { pid } = service.server
          expect(
            await importThrough(
              service,
              Array.from({ length: kills }, () => killDatabase)
            )
          ).toBeGreaterThan(kills)
          expect(service.server.pid).toBe(pid)
          expect(await service.server.stop()).toBe(0)
        })
      })
  )
})
