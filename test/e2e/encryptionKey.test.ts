import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { runServer, spawnServer } from "../support/spawnServer.ts"

const newKey = () => randomBytes(32).toString("base64")
const refused = /^edp: EDP_ENCRYPTION_KEY must be the key that this database's secrets are encrypted with/

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-encryption-key")
})
afterAll(() => folder.remove())

test("without a setting the first start generates the key, readable by its owner only, and later starts use it", async () => {
  const dataDir = join(folder.path, "embedded")
  const first = await spawnServer({ dataDir })
  const body = { destinationType: "WEBHOOK", url: "http://127.0.0.1:9/", eventTypes: ["ALERT_CREATED"] }
  const key = first.credentials.serverKey
  const made = await callAt(first.baseUrl, "POST", "/v1/destinations", { key, body })
  await first.stop()
  expect(statSync(join(dataDir, "encryption.key")).mode & 0o777).toBe(0o600)
  const second = await spawnServer({ dataDir })
  const read = await callAt(second.baseUrl, "GET", `/v1/destinations/${made.body.id}`, { key })
  await second.stop()
  expect(read.body.secret).toBe(made.body.secret)
  expect((await runServer({ dataDir, env: { EDP_ENCRYPTION_KEY: newKey() } })).stderr).toMatch(refused)
})

const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }

describePostgres("the key on PostgreSQL", () => {
  const databases = useDatabases()

  test("is the same for every instance, and re-encrypt replaces the previous key", async () => {
    const [old, next] = [newKey(), newKey()]
    const dataDir = join(folder.path, "postgres")
    const settings = { DATABASE_URL: databases.url, EDP_ALLOW_PRIVATE_DESTINATIONS: "true" }
    const start = (env: Readonly<Record<string, string>>) => spawnServer({ dataDir, env: { ...settings, ...env } })
    const run = (env: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) =>
      runServer({ dataDir, args, env: { ...settings, ...env } })

    const first = await start({ EDP_ENCRYPTION_KEY: old })
    const key = first.credentials.serverKey
    const headers = { Authorization: "Bearer of good news" }
    const body = { destinationType: "WEBHOOK", url: "http://127.0.0.1:9/", eventTypes: ["ALERT_CREATED"], headers }
    const made = await callAt(first.baseUrl, "POST", "/v1/destinations", { key, body })
    await callAt(first.baseUrl, "POST", `/v1/destinations/${made.body.id}/rotate-secret`, { key })
    const session = {
      mode: "headless",
      redirectUrl: "https://example.com/connected",
      manufacturerFilters: { manufacturers: ["simulator"] },
      customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location: address }
    }
    expect((await callAt(first.baseUrl, "POST", "/v1/connections", { key, body: session })).status).toBe(201)
    const read = async (baseUrl: string) =>
      (await callAt(baseUrl, "GET", `/v1/destinations/${made.body.id}`, { key })).body
    const before = await read(first.baseUrl)
    await first.stop()

    expect((await run({ EDP_ENCRYPTION_KEY: next })).stderr).toMatch(refused)
    const both = { EDP_ENCRYPTION_KEY: next, EDP_ENCRYPTION_KEY_PREVIOUS: old }
    const moved = await run(both, ["re-encrypt"])
    expect([moved.code, moved.stdout]).toEqual([
      0,
      expect.stringContaining(
        "1 destinations, 0 accounts, 1 connect sessions, 0 grid connections and 0 publications to Home Assistant were not before"
      )
    ])
    expect((await run({ EDP_ENCRYPTION_KEY: old })).stderr).toMatch(refused)
    const last = await start({ EDP_ENCRYPTION_KEY: next })
    expect(await read(last.baseUrl)).toEqual(before)
    expect(before.headers).toEqual(headers)
    await last.stop()
  })

  test("encrypts at the next start the URLs that an older version stored in plain text", async () => {
    const dataDir = join(folder.path, "urls")
    const database = await databases.create()
    const start = () =>
      spawnServer({ dataDir, env: { DATABASE_URL: database, EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } })
    const first = await start()
    const key = first.credentials.serverKey
    const path = (n: number) => `http://127.0.0.1:9/hooks/${n}?token=good-news`
    const body = { destinationType: "WEBHOOK", eventTypes: ["ALERT_CREATED"] }
    const made = await callAt(first.baseUrl, "POST", "/v1/destinations", { key, body: { ...body, url: path(0) } })
    await first.stop()
    const client = new Client({ connectionString: database })
    await client.connect()
    await client.query(`INSERT INTO destinations (id, workspace_id, destination_type, event_types, url, after_sequence, created_at, updated_at)
      SELECT 'c' || lpad(n::text, 24, '0'), workspace_id, destination_type, event_types, 'http://127.0.0.1:9/hooks/' || n || '?token=good-news',
        after_sequence, now(), now() FROM destinations, generate_series(1, 250) n`)
    const second = await start()
    const { rows } = await client.query(
      "SELECT to_jsonb(d)::text AS text, sealed_url IS NULL AS plain FROM destinations d"
    )
    expect(rows).toHaveLength(251)
    expect(rows.filter(({ plain, text }) => plain || text.includes("good-news"))).toEqual([])
    for (const [id, url] of [
      [made.body.id, path(0)],
      [`c${"250".padStart(24, "0")}`, path(250)]
    ]) {
      expect((await callAt(second.baseUrl, "GET", `/v1/destinations/${id}`, { key })).body.url).toBe(url)
    }
    await second.stop()
    await client.end()
  })
})
