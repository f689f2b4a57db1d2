import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { runServer, spawnServer } from "../support/spawnServer.ts"
import { edp } from "./edp.ts"

let folder: GuardedFolder
let folders = 0
const newDataDir = () => join(folder.path, `data-${++folders}`)
beforeAll(async () => {
  folder = await guardedFolder("edp-keys")
})
afterAll(() => folder.remove())

const apiKeys = async (baseUrl: string, key: string) =>
  (await callAt(baseUrl, "GET", "/v1/api-keys", { key })).body?.data as ReadonlyArray<Record<string, unknown>>

describe("EDP_BOOTSTRAP_MANAGEMENT_KEY", () => {
  test("is the only key that the first start creates, and is never printed", async () => {
    const key = generateKey("MANAGEMENT", randomBytes)
    const server = await spawnServer({ env: { EDP_BOOTSTRAP_MANAGEMENT_KEY: key } })
    expect(await apiKeys(server.baseUrl, key)).toMatchObject([{ type: "MANAGEMENT", ownerId: "bootstrap" }])
    expect(existsSync(join(server.dataDir, "credentials.json"))).toBe(false)
    expect(await server.stop()).toBe(0)
    expect(server.stdout() + server.stderr()).not.toContain(key.slice(0, 12))
  })

  test("changes nothing on a database that already has keys", async () => {
    const dataDir = newDataDir()
    const first = await spawnServer({ dataDir })
    await first.stop()
    const late = generateKey("MANAGEMENT", randomBytes)
    const second = await spawnServer({ dataDir, env: { EDP_BOOTSTRAP_MANAGEMENT_KEY: late } })
    expect((await callAt(second.baseUrl, "GET", "/v1/api-keys", { key: late })).status).toBe(401)
    expect(await apiKeys(second.baseUrl, first.credentials.managementKey)).toHaveLength(3)
    await second.stop()
  })

  const good = generateKey("MANAGEMENT", randomBytes)
  test.each([
    ["mistyped", good.slice(0, -1) + (good.endsWith("a") ? "b" : "a")],
    ["of another type", generateKey("SERVER", randomBytes)],
    ["no key at all", "correct-horse-battery-staple"]
  ])("is refused when it is %s, and not repeated", async (_, key) => {
    const dataDir = newDataDir()
    const run = await runServer({ dataDir, env: { EDP_BOOTSTRAP_MANAGEMENT_KEY: key } })
    expect(run).toMatchObject({ code: 1, stdout: "" })
    expect(run.stderr).toMatch(/^edp: EDP_BOOTSTRAP_MANAGEMENT_KEY must be .*\n$/)
    expect(run.stderr).not.toContain(key)
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe("recover-key", () => {
  test("creates a new MANAGEMENT key when all are lost, and shows it once", async () => {
    const dataDir = newDataDir()
    const first = await spawnServer({ dataDir })
    await first.stop()
    const run = await runServer({ args: ["recover-key"], dataDir })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    const [key] = /mgmt_[0-9A-Za-z]+/.exec(run.stdout)!
    const server = await spawnServer({ dataDir })
    expect((await apiKeys(server.baseUrl, key)).map(({ name }) => name)).toEqual([
      "Recovered",
      "First",
      "First",
      "First"
    ])
    expect(server.credentials).toEqual(first.credentials)
    await server.stop()
  })

  test("refuses an empty database in one line", async () => {
    const run = await runServer({ args: ["recover-key"], dataDir: newDataDir() })
    expect(run).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^edp: the database is empty.*\n$/)
    })
  })

  test("refuses the folder of a running server, and does not disturb it", async () => {
    const server = await spawnServer({ dataDir: newDataDir() })
    const run = await runServer({ args: ["recover-key"], dataDir: server.dataDir })
    expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^edp: another server .*\n$/) })
    expect(await apiKeys(server.baseUrl, server.credentials.managementKey)).toHaveLength(3)
    await server.stop()
  })
})

describe("create-organization", () => {
  test("creates an organization with a workspace and a MANAGEMENT key, which is shown once", async () => {
    const dataDir = newDataDir()
    const first = await spawnServer({ dataDir })
    await first.stop()
    const run = await runServer({ args: ["create-organization", "Acme Energy"], dataDir })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    const [key] = /mgmt_[0-9A-Za-z]+/.exec(run.stdout)!
    const server = await spawnServer({ dataDir })
    const read = async (path: string) => (await callAt(server.baseUrl, "GET", path, { key })).body.data
    const [organization] = await read("/v1/organizations")
    expect(organization.name).toBe("Acme Energy")
    expect(run.stdout).toContain(organization.id)
    const [workspace] = await read("/v1/workspaces")
    expect(workspace.organizationId).toBe(organization.id)
    expect(run.stdout).toContain(workspace.id)
    expect((await read("/v1/api-keys")).map(({ type }: any) => type)).toEqual(["MANAGEMENT"])
    expect(await apiKeys(server.baseUrl, first.credentials.managementKey)).toHaveLength(3)
    expect(server.credentials).toEqual(first.credentials)
    await server.stop()
  })

  test("is available from the command line, with the server's settings", async () => {
    const dataDir = newDataDir()
    const server = await spawnServer({ dataDir })
    const env = { HOME: folder.path, EDP_DATA_DIR: dataDir }
    const busy = await edp(["organizations", "create", "Acme Energy", "--json"], env)
    expect([busy.code, busy.stdout]).toEqual([1, ""])
    expect(busy.stderr).toContain("another server")
    await server.stop()
    const made = await edp(["organizations", "create", "Acme Energy", "--json"], env)
    expect([made.code, made.stderr]).toEqual([0, ""])
    const { managementKey, organizationId } = JSON.parse(made.stdout)
    const again = await spawnServer({ dataDir })
    const { body } = await callAt(again.baseUrl, "GET", "/v1/organizations", { key: managementKey })
    expect(body.data).toEqual([expect.objectContaining({ id: organizationId, name: "Acme Energy" })])
    await again.stop()
  })

  test("refuses an empty database, and an invalid name, in one line", async () => {
    const dataDir = newDataDir()
    const empty = await runServer({ args: ["create-organization", "Acme Energy"], dataDir })
    expect(empty).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^edp: the database is empty.*\n$/)
    })
    for (const name of [[], [""], ["x".repeat(101)]]) {
      const run = await runServer({ args: ["create-organization", ...name], dataDir })
      expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^edp: .*1 to 100.*\n$/) })
    }
  })
})
