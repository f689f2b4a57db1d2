import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type GuardedFolder, guardedFolder } from "./guardedFolder.ts"
import { runServer, spawnServer } from "./spawnServer.ts"

const ownWorkspaces = async (baseUrl: string, key: string) => {
  const response = await fetch(`${baseUrl}/v1/workspaces`, { headers: { "Service-Api-Key": key } })
  return response.status
}

describe("a server of its own process", () => {
  let folder: GuardedFolder
  beforeAll(async () => {
    folder = await guardedFolder("edp-data")
  })
  afterAll(() => folder.remove())

  it("responds with the keys of its first start, ends with 0 on SIGTERM, and its folder goes with it", async () => {
    const server = await spawnServer()
    expect(await ownWorkspaces(server.baseUrl, server.credentials.managementKey)).toBe(200)
    expect(server.credentials.baseUrl).toContain(`:${server.port}`)
    expect(await server.stop()).toBe(0)
    expect(existsSync(server.dataDir)).toBe(false)
  })

  it("keeps a given data folder through kill -9 and starts on it again", async () => {
    const dataDir = join(folder.path, "data")
    const first = await spawnServer({ dataDir })
    const { managementKey } = first.credentials
    await first.kill9()
    expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" })
    const second = await spawnServer({ dataDir })
    expect(second.credentials.managementKey).toBe(managementKey)
    expect(await ownWorkspaces(second.baseUrl, managementKey)).toBe(200)
    await second.stop()
  })

  it("reports how a start that must fail ended", async () => {
    const run = await runServer({ args: ["no-such-command"] })
    expect(run).toMatchObject({ code: 1, signal: null, stdout: "" })
    expect(run.stderr).toContain("no-such-command")
  })

  it("fails with the output when the server ends before it is ready", async () => {
    await expect(spawnServer({ env: { PORT: "not a port" } })).rejects.toThrow(/ended \(1\)[^]*PORT/)
  })
})
