import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { type Credentials, launchServer, runServer, spawnServer } from "../support/spawnServer.ts"

const kills = rounds(1)
const workspaces = 4
const destinationsEach = 50
const newKey = () => randomBytes(32).toString("base64")

/** An installation whose operator's commands are killed. */
class Installation {
  readonly #random = new Random(testSeed)
  readonly #dataDir: string
  readonly #env: Readonly<Record<string, string>>

  constructor(dataDir: string, env: Readonly<Record<string, string>>) {
    this.#dataDir = dataDir
    this.#env = { EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_READ: "1000000", ...env }
  }

  #options(env: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) {
    return { dataDir: this.#dataDir, args, env: { ...this.#env, ...env } }
  }

  /** Starts the service, uses it and stops it. */
  async use<A>(env: Readonly<Record<string, string>>, run: (baseUrl: string, credentials: Credentials) => Promise<A>) {
    const server = await spawnServer(this.#options(env))
    try {
      return await run(server.baseUrl, server.credentials)
    } finally {
      expect(await server.stop()).toBe(0)
    }
  }

  run(env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) {
    return runServer(this.#options(env, args))
  }

  /** Kills the command at a random moment; returns whether it had finished nevertheless. */
  async kill(env: Readonly<Record<string, string>>, within: number, ...args: ReadonlyArray<string>) {
    const { server, cleaned } = await launchServer(this.#options(env, args))
    await Promise.race([server.exited, setTimeout(within * (0.1 + this.#random.next()))])
    if (server.running()) server.kill("SIGKILL")
    await cleaned
    return (await server.exited).code === 0
  }
}

const timed = async <A>(run: () => Promise<A>) => {
  const begun = performance.now()
  const result = await run()
  return { result, took: performance.now() - begun }
}

const made = async (baseUrl: string, path: string, key: string, body: object) => {
  const response = await callAt(baseUrl, "POST", path, { key, body })
  expect(response.status, response.text).toBe(201)
  return response.body
}

/** The secrets of all destinations, by id. */
const listSecrets = async (baseUrl: string, { managementKey }: Credentials, places: ReadonlyArray<string>) => {
  const secrets: Record<string, unknown> = {}
  for (const workspaceId of places) {
    const path = `/v1/destinations?perPage=100&workspaceId=${workspaceId}`
    const { body } = await callAt(baseUrl, "GET", path, { key: managementKey })
    for (const { id, secret, headers } of body.data) secrets[id] = { secret, headers }
  }
  return secrets
}

/** Workspaces with destinations that have secrets. */
const fill = async (baseUrl: string, { managementKey }: Credentials) => {
  const places: Array<string> = []
  for (let n = 0; n < workspaces; n++) {
    const { id } = await made(baseUrl, "/v1/workspaces", managementKey, { name: `Workspace ${n}` })
    const body = {
      destinationType: "WEBHOOK",
      url: "http://127.0.0.1:9/",
      eventTypes: ["ALERT_CREATED"],
      headers: { Authorization: `Bearer ${n}` }
    }
    const serverKey = (
      await made(baseUrl, "/v1/api-keys", managementKey, { name: "Back end", type: "SERVER", workspaceId: id })
    ).key
    for (let m = 0; m < destinationsEach; m++) await made(baseUrl, "/v1/destinations", serverKey, body)
    places.push(id)
  }
  return places
}

const reEncryption = async (installation: Installation) => {
  let [previous, current] = [newKey(), newKey()]
  const both = () => ({ EDP_ENCRYPTION_KEY: current, EDP_ENCRYPTION_KEY_PREVIOUS: previous })
  const { places, before } = await installation.use({ EDP_ENCRYPTION_KEY: previous }, async (baseUrl, credentials) => {
    const places = await fill(baseUrl, credentials)
    return { places, before: await listSecrets(baseUrl, credentials, places) }
  })
  expect(Object.keys(before)).toHaveLength(workspaces * destinationsEach)
  let { took } = await timed(() => installation.run(both(), "re-encrypt"))
  let cutOff = 0
  for (let n = 0; n < kills || cutOff === 0; n++) {
    ;[previous, current] = [current, newKey()]
    const killed = await timed(() => installation.kill(both(), took, "re-encrypt"))
    // Measured anew when it finishes, since the machine may have been busier before.
    if (killed.result) took = killed.took
    else cutOff += 1
    const after = await installation.use(both(), (baseUrl, credentials) => listSecrets(baseUrl, credentials, places))
    expect(after).toEqual(before)
    const done = await installation.run(both(), "re-encrypt")
    expect([done.code, done.stderr]).toEqual([0, ""])
  }
  const last = { EDP_ENCRYPTION_KEY: current }
  expect(await installation.use(last, (baseUrl, credentials) => listSecrets(baseUrl, credentials, places))).toEqual(
    before
  )
}

const readKeys = (baseUrl: string, key: string) => callAt(baseUrl, "GET", "/v1/api-keys?perPage=100", { key })

/** Commands that make a MANAGEMENT key and show it at the end. */
const newKeys = async (installation: Installation, ...args: ReadonlyArray<string>) => {
  const count = await installation.use({}, async (baseUrl, { managementKey }) => {
    return (await readKeys(baseUrl, managementKey)).body.totalItems
  })
  const { took } = await timed(() => installation.run({}, ...args))
  for (let n = 0; n < kills; n++) {
    await installation.kill({}, took, ...args)
    await installation.use({}, async (baseUrl, { managementKey }) => {
      expect((await readKeys(baseUrl, managementKey)).status).toBe(200)
    })
  }
  const { code, stdout } = await installation.run({}, ...args)
  expect(code).toBe(0)
  const [key] = /mgmt_[0-9A-Za-z]+/.exec(stdout)!
  await installation.use({}, async (baseUrl) => {
    const { status, body } = await readKeys(baseUrl, key)
    expect(status).toBe(200)
    expect(body.totalItems).toBeGreaterThan(args[0] === "recover-key" ? count : 0)
    expect((await callAt(baseUrl, "GET", "/v1/workspaces", { key })).body.totalItems).toBeGreaterThan(0)
  })
}

type NewInstallation = (name: string) => Promise<Installation>

const guarantees = [
  (installation: NewInstallation) =>
    test(`re-encrypt leaves every secret readable (seed ${testSeed})`, async () =>
      reEncryption(await installation("re-encrypt"))),
  (installation: NewInstallation) =>
    test(`recover-key keeps old keys working and the service usable (seed ${testSeed})`, async () =>
      newKeys(await installation("recover-key"), "recover-key")),
  (installation: NewInstallation) =>
    test(`create-organization keeps the service usable for all organizations (seed ${testSeed})`, async () =>
      newKeys(await installation("create-organization"), "create-organization", "Another one"))
]

describe("a command that is killed at any moment", () => {
  let folder: GuardedFolder
  beforeAll(async () => {
    folder = await guardedFolder("edp-killed-commands")
  })
  afterAll(() => folder.remove())

  const onEmbedded = (guarantee: (typeof guarantees)[number]) =>
    describe("on the embedded database", () =>
      void guarantee(async (name) => new Installation(join(folder.path, `embedded-${name}`), {})))

  const onPostgres = (guarantee: (typeof guarantees)[number]) =>
    describePostgres("on PostgreSQL", () => {
      const databases = useDatabases()
      guarantee(
        async (name) =>
          new Installation(join(folder.path, `postgres-${name}`), {
            DATABASE_URL: await databases.create(),
            EDP_ALLOW_PRIVATE_DESTINATIONS: "true"
          })
      )
    })

  inTurn(2, ...guarantees.flatMap((guarantee) => [() => onEmbedded(guarantee), () => onPostgres(guarantee)]))
})
