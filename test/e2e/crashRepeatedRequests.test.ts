import { randomUUID } from "node:crypto"
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
import { killProcess, severalProcesses } from "../support/processes.ts"
import { Random } from "../support/Random.ts"
import { type Credentials, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const cutOffAtLeast = rounds(60)
const atOnce = 40

const unlimited = {
  EDP_RATE_LIMIT_READ: "1000000",
  EDP_RATE_LIMIT_WRITE: "1000000",
  EDP_RATE_LIMIT_BULK: "1000000"
}

/** A POST that has another effect each time it runs: only its Idempotency-Key prevents that. */
interface Post {
  readonly name: string
  readonly key: string
  readonly path: string
  readonly body: object
  response?: string
}

/** A home with a device for every push, so that the readings of each can be counted. */
const arrange = async (baseUrl: string, { serverKey, manufacturerKey }: Credentials) => {
  const call = async (path: string, key: string, body: object) => {
    const response = await callAt(baseUrl, "POST", path, { key, body })
    expect(response.status, response.text).toBe(201)
    return response.body.id as string
  }
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const siteId = await call("/v1/sites", serverKey, { address })
  const models = await callAt(baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=meter", { key: serverKey })
  const deviceModelId = models.body.data[0].id
  const device = () => call("/devices", manufacturerKey, { manufacturerDeviceId: randomUUID(), deviceModelId, siteId })

  const post = async (n: number): Promise<Post> => {
    const name = randomUUID()
    switch (n % 4) {
      case 0:
        return {
          name,
          key: serverKey,
          path: "/v1/alerts",
          body: { siteId, title: name, sourceSystem: "watch", severity: "INFO" }
        }
      case 1:
        return { name, key: serverKey, path: "/v1/customers", body: { firstName: name } }
      case 2:
        return {
          name,
          key: manufacturerKey,
          path: `/devices/${await device()}/telemetry`,
          body: { state: { power: 1 } }
        }
      default:
        return {
          name,
          key: manufacturerKey,
          path: "/devices/telemetry",
          body: { readings: [{ deviceId: await device(), state: { power: 1 } }] }
        }
    }
  }

  const list = async (path: string) => {
    const found: Array<any> = []
    for (let page = 1; ; page++) {
      const { body } = await callAt(baseUrl, "GET", `${path}?perPage=100&page=${page}`, { key: serverKey })
      found.push(...body.data)
      if (page >= body.totalPages) return found
    }
  }

  /** Counts the effects of each request. */
  const effects = async (posts: ReadonlyArray<Post>) => {
    const alerts = await list("/v1/alerts")
    const customers = await list("/v1/customers")
    return Promise.all(
      posts.map(async ({ name, path, body }) => {
        if (path === "/v1/alerts") return alerts.filter(({ title }) => title === name).length
        if (path === "/v1/customers") return customers.filter(({ firstName }) => firstName === name).length
        const id = path === "/devices/telemetry" ? (body as any).readings[0].deviceId : path.split("/")[2]
        const history = await callAt(baseUrl, "GET", `/v1/devices/${id}/history`, { key: serverKey })
        return history.body.totalItems as number
      })
    )
  }
  return { post, effects }
}

/** Resolves to whether the request was answered with its effect; otherwise its outcome is unknown. */
const send = async (baseUrl: string, post: Post) => {
  const headers = { "Idempotency-Key": post.name }
  const response = await callAt(baseUrl, "POST", post.path, { key: post.key, body: post.body, headers }).catch(
    () => undefined
  )
  if (response === undefined || response.status >= 500) return false
  expect(response.status, response.text).toBeLessThan(300)
  expect(response.text).toBe((post.response ??= response.text))
  return true
}

const sendUntilAnswered = (baseUrl: string, post: Post) =>
  eventually(`a response to ${post.path}`, async () => ((await send(baseUrl, post)) ? true : undefined))

/** With several processes it kills one of those that take requests. */
const killThrough = async (folder: string, env: Readonly<Record<string, string>>) => {
  const isOne = env["EDP_PROCESSES"] === undefined
  const random = new Random(testSeed)
  const options = { port: await freePort(), dataDir: folder, env: { ...unlimited, ...env } }
  let server = await spawnServer(options)
  const { baseUrl } = server
  const { post, effects } = await arrange(baseUrl, server.credentials)
  const all: Array<Post> = []
  let cutOff = 0
  while (cutOff < cutOffAtLeast) {
    const posts = await Promise.all(Array.from({ length: atOnce }, (_, n) => post(n)))
    all.push(...posts)
    const sending = posts.map((each) => send(baseUrl, each))
    await Promise.race([Promise.any(sending), setTimeout(random.below(60))])
    await setTimeout(random.below(20))
    await (isOne ? server.kill9() : killProcess(server, random.pick(["api-1", "api-2"])))
    const answered = await Promise.all(sending)
    cutOff += answered.filter((was) => !was).length
    if (isOne) server = await spawnServer(options)
    await Promise.all(posts.map((each) => sendUntilAnswered(baseUrl, each)))
  }
  expect(await effects(all)).toEqual(all.map(() => 1))
  await server.stop()
}

describe("requests that kill -9 cuts off, repeated with their Idempotency-Key", () => {
  let folder: GuardedFolder
  beforeAll(async () => {
    folder = await guardedFolder("edp-repeated")
  })
  afterAll(() => folder.remove())
  const title = `take effect exactly once (seed ${testSeed})`

  inTurn(
    1,
    () => test(`on the embedded database ${title}`, () => killThrough(join(folder.path, "embedded"), {})),
    () =>
      describePostgres("on PostgreSQL", () => {
        const databases = useDatabases()

        test(title, async () => {
          await killThrough(join(folder.path, "postgres"), { DATABASE_URL: databases.url })
        })
      }),
    () =>
      describePostgres("on several processes", () => {
        const databases = useDatabases()

        test(title, async () => {
          await killThrough(join(folder.path, "processes"), { DATABASE_URL: databases.url, ...severalProcesses })
        })
      })
  )
})

describePostgres("requests to a frozen instance, repeated at another one", () => {
  const databases = useDatabases()
  let frozen: SpawnedServer
  let other: SpawnedServer
  beforeAll(async () => {
    // The database ends the frozen instance's open transactions.
    const env = { ...unlimited, DATABASE_URL: databases.url }
    frozen = await spawnServer({ env })
    other = await spawnServer({ env })
  })
  afterAll(async () => {
    await Promise.all([frozen.stop(), other.stop()])
  })

  test(`take effect exactly once (seed ${testSeed})`, async () => {
    const random = new Random(testSeed)
    const { post, effects } = await arrange(frozen.baseUrl, frozen.credentials)
    const all: Array<Post> = []
    for (let round = 0; round < 4; round++) {
      const posts = await Promise.all(Array.from({ length: atOnce }, (_, n) => post(n)))
      all.push(...posts)
      const sending = posts.map((each) => send(frozen.baseUrl, each))
      await Promise.race([Promise.any(sending), setTimeout(random.below(60))])
      process.kill(frozen.pid, "SIGSTOP")
      // The other instance runs some of them; others wait for a transaction of the frozen one.
      const once = await Promise.all(posts.map((each) => send(other.baseUrl, each)))
      process.kill(frozen.pid, "SIGCONT")
      await Promise.all(sending)
      await Promise.all(posts.filter((_, n) => !once[n]).map((each) => sendUntilAnswered(other.baseUrl, each)))
    }
    expect(await effects(all)).toEqual(all.map(() => 1))
  })
})
