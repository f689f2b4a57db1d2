import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../../../support/callAt.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { type GuardedFolder, guardedFolder } from "../../../support/guardedFolder.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { runServer, type SpawnedServer, spawnServer } from "../../../support/spawnServer.ts"

describePostgres("an installation on the embedded database", () => {
  const databases = useDatabases()
  let folder: GuardedFolder
  beforeAll(async () => {
    folder = await guardedFolder("edp-copy")
  })
  afterAll(() => folder.remove())

  test("is copied into an empty PostgreSQL database, and shows the same there", async () => {
    const dataDir = join(folder.path, "data")
    // `spawnServer` gives servers on PostgreSQL a key; this one goes on with that of its folder.
    const env = { DATABASE_URL: databases.url }
    const embedded = await spawnServer({ dataDir })
    const { managementKey, serverKey: key } = embedded.credentials
    const address = { streetOne: "915 L Street", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
    for (const tag of ["north", "south"]) {
      const body = { address: { ...address, streetTwo: tag }, tags: [tag] }
      expect((await callAt(embedded.baseUrl, "POST", "/v1/sites", { key, body })).status).toBe(201)
    }
    const lists = [
      "/v1/sites",
      "/v1/events",
      "/v1/tags",
      "/v1/device-models?perPage=100",
      "/v1/manufacturers?perPage=100"
    ]
    const read = (server: SpawnedServer) =>
      Promise.all([
        ...lists.map(async (path) => (await callAt(server.baseUrl, "GET", path, { key })).text),
        callAt(server.baseUrl, "GET", "/v1/audit-logs", { key: managementKey }).then(({ text }) => text)
      ])
    const before = await read(embedded)
    await embedded.stop()

    const copied = await runServer({ dataDir, env, args: ["copy-to-postgres"] })
    expect(copied.stderr).toBe("")
    expect(copied.stdout).toMatch(/Copied [\d,]+ rows/)
    const ownKey = readFileSync(join(dataDir, "encryption.key"), "utf8").trim()
    const server = await spawnServer({ dataDir, env: { ...env, EDP_ENCRYPTION_KEY: ownKey } })
    expect(await read(server)).toEqual(before)
    const body = { firstName: "Ada" }
    expect((await callAt(server.baseUrl, "POST", "/v1/customers", { key, body })).status).toBe(201)
    const { data } = (await callAt(server.baseUrl, "GET", "/v1/events", { key })).body
    expect(data[0].sequence).toBe(data[1].sequence + 1)
    await server.stop()

    const again = await runServer({ dataDir, env, args: ["copy-to-postgres"] })
    expect(again.stderr).toContain("is not empty")
  })
})
