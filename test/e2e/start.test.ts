import { execFile } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { type Credentials, runServer, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const readKeys = ({ managementKey, serverKey, manufacturerKey }: Credentials) => [
  managementKey,
  serverKey,
  manufacturerKey
]
const output = (server: SpawnedServer) => server.stdout() + server.stderr()
const permissions = (path: string) => statSync(path).mode & 0o777

/** `script` gives a program a terminal of its own, and copies what it prints. */
const onTerminal = ["/bin/sh", "-c", 'exec script -q -e -f -c "$*" /dev/null', "sh"]

/** The server responds to requests before it prints its banner. */
const banner = (server: SpawnedServer) =>
  eventually("the server says that it is running", () =>
    server.stdout().includes("The Energy Device Platform is running") ? server.stdout() : undefined
  )

const workspaces = async (server: SpawnedServer, key: string) =>
  (await callAt(server.baseUrl, "GET", "/v1/workspaces", { key })).body?.data

/** The guarantees on either database. `settings` are those of both starts. */
const firstAndLaterStart = (settings: () => Promise<Readonly<Record<string, string>>>) => {
  let folder: GuardedFolder
  let env: Readonly<Record<string, string>>
  let server: SpawnedServer
  let credentials: Credentials
  beforeAll(async () => {
    folder = await guardedFolder("edp-start")
    env = await settings()
    server = await spawnServer({ dataDir: join(folder.path, "data"), env, fresh: true })
    credentials = server.credentials
  })
  afterAll(async () => {
    await server.stop()
    await folder.remove()
  })

  test("the first start prints the address, the reference and the file with the keys, but no key", async () => {
    const text = await banner(server)
    expect(text).toContain(`${server.baseUrl}/v1 `)
    expect(text).toContain(`${server.baseUrl}/v1/docs)`)
    await eventually("it tells where the keys are", () =>
      server.stdout().includes(`The first keys are in ${join(server.dataDir, "credentials.json")}`) ? true : undefined
    )
    for (const key of readKeys(credentials)) expect(output(server)).not.toContain(key.slice(0, 12))
    expect(server.stderr()).toBe("")
  })

  test("it stores the keys in a file that only its owner may read", () => {
    const path = join(server.dataDir, "credentials.json")
    expect(permissions(path)).toBe(0o600)
    expect(permissions(server.dataDir)).toBe(0o700)
    expect(Object.keys(credentials)).toEqual([
      "baseUrl",
      "organizationId",
      "workspaceId",
      "managementKey",
      "serverKey",
      "manufacturerKey"
    ])
    expect(credentials.baseUrl).toBe(server.baseUrl)
  })

  test("the keys belong to one organization with one workspace", async () => {
    const { managementKey: key, organizationId, workspaceId } = credentials
    expect(await workspaces(server, key)).toMatchObject([{ id: workspaceId, organizationId }])
    const { body } = await callAt(server.baseUrl, "GET", "/v1/api-keys", { key })
    expect(body.totalItems).toBe(3)
    expect(body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "MANAGEMENT", ownerId: "bootstrap" }),
        expect.objectContaining({ type: "SERVER", ownerId: null }),
        expect.objectContaining({ type: "MANUFACTURER", manufacturerScope: ["simulator", "generic"] })
      ])
    )
  })

  test("a later start keeps everything and prints no secret", async () => {
    const { managementKey: key, workspaceId } = credentials
    const renamed = await callAt(server.baseUrl, "PATCH", `/v1/workspaces/${workspaceId}`, {
      key,
      body: { name: "Kept" }
    })
    expect(renamed.status).toBe(200)
    expect(await server.stop()).toBe(0)
    server = await spawnServer({ dataDir: server.dataDir, env })
    const text = await banner(server)
    expect(text).toContain(`${server.baseUrl}/v1/docs`)
    for (const each of readKeys(credentials)) {
      expect(output(server)).not.toContain(each.slice(0, 12))
      expect(await callAt(server.baseUrl, "GET", "/v1/manufacturers", { key: each })).toMatchObject({ status: 200 })
    }
    expect(server.credentials).toEqual(credentials)
    expect(await workspaces(server, key)).toMatchObject([{ id: workspaceId, name: "Kept" }])
  })
}

describe("on a terminal", () => {
  let server: SpawnedServer
  let text: string
  beforeAll(async () => {
    server = await spawnServer({ through: onTerminal })
    text = await eventually("the server says all that it has to say", () =>
      server.stdout().includes("Embedded database in") ? server.stdout().replaceAll("\r\n", "\n") : undefined
    )
  })
  afterAll(() => server.stop())

  test("the first start prints the address, the reference and the keys", () => {
    expect(text).toContain(`${server.baseUrl}/v1\n`)
    expect(text).toContain(`${server.baseUrl}/v1/docs\n`)
    for (const key of readKeys(server.credentials)) expect(text).toContain(key)
  })

  test("the printed curl command works in a shell", async () => {
    const commands = text.split("\n").filter((line) => line.trim().startsWith("curl "))
    expect(commands).toHaveLength(1)
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", `${commands[0]} --fail --silent --max-time 10`])
    const { data, totalItems } = JSON.parse(stdout)
    expect(data).toHaveLength(3)
    expect(totalItems).toBeGreaterThan(3)
  })
})

describe("on the embedded database", () => {
  firstAndLaterStart(async () => ({}))
})

describePostgres("on PostgreSQL", () => {
  const databases = useDatabases()

  firstAndLaterStart(async () => ({ DATABASE_URL: await databases.createEmpty() }))

  test("only the credentials are written to the data folder", async () => {
    const server = await spawnServer({ env: { DATABASE_URL: databases.url } })
    expect(existsSync(join(server.dataDir, "pgdata"))).toBe(false)
    expect(existsSync(join(server.dataDir, "credentials.json"))).toBe(true)
    await server.stop()
  })
})

describe("migrate", () => {
  test("migrates the database without serving, and leaves the first keys to the first start", async () => {
    const folder = await guardedFolder("edp-migrate")
    const dataDir = join(folder.path, "data")
    const migrate = () => runServer({ args: ["migrate"], dataDir })
    expect(await migrate()).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Applied migrations: /)
    })
    expect(await migrate()).toMatchObject({ code: 0, stderr: "", stdout: "The database is up to date\n" })
    expect(existsSync(join(dataDir, "credentials.json"))).toBe(false)
    const server = await spawnServer({ dataDir })
    expect(await banner(server)).toContain(`The first keys are in ${join(dataDir, "credentials.json")}`)
    await server.stop()
    await folder.remove()
  })
})
