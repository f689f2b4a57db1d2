import { randomBytes } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { startCommandCloud } from "../support/CommandCloud.ts"
import { crashSeed } from "../support/crashes.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { sharedEncryptionKey, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { stopAll, times } from "./fleet.ts"

const adapter = new URL("../support/commandCloudAdapter.ts", import.meta.url).href
const key = Buffer.from(sharedEncryptionKey, "base64")
const newId = () => `c${randomBytes(12).toString("hex")}`

const homes = 80
const optedOut = 10
/** The length of each interval, in milliseconds: long enough for a server to be replaced on a busy machine. */
const LASTS = 90_000
const original = { mode: "self-consumption", power: "5000" }

describePostgres("two instances that run dispatches", () => {
  const databases = useDatabases()
  let cloud: Awaited<ReturnType<typeof startCommandCloud>>
  let database: Client
  let servers: Array<SpawnedServer>
  let credentials: SpawnedServer["credentials"]
  const start = () =>
    spawnServer({
      env: {
        DATABASE_URL: databases.url,
        EDP_COMMANDCLOUD_BASE_URL: cloud.url,
        EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "yes",
        EDP_RATE_LIMIT_READ: "1000000",
        EDP_RATE_LIMIT_WRITE: "1000000",
        NODE_OPTIONS: `--import=${adapter}`
      }
    })
  beforeAll(async () => {
    cloud = await startCommandCloud(10)
    servers = [await start()]
    ;({ credentials } = servers[0]!)
    servers.push(await start())
    database = new Client({ connectionString: databases.url })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await stopAll(servers)
    cloud.stop()
  })

  const call = async (method: string, path: string, body?: object, apiKey?: string): Promise<any> => {
    const answer = await callAt(servers[0]!.baseUrl, method, path, {
      key: apiKey ?? credentials.serverKey,
      ...(body && { body })
    })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }

  /** An enrolled home with a battery. */
  const home = async (instanceId: string, workspaceId: string) => {
    const [accountId, deviceId, enrollmentId, name] = [newId(), newId(), newId(), newId()]
    const sealed = Buffer.from(seal(key, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), "{}"))
    const made = await call("POST", "/v1/sites", {
      address: { streetOne: `${name} Road`, city: "Sacramento", state: "CA", postalCode: "95814" }
    })
    await database.query(
      `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
        sealed_credentials, created_at, updated_at)
        VALUES ($1, $2, 'commandcloud', $3, 'Account', 'user-1', '{}', 'connected', $4, now(), now())`,
      [accountId, workspaceId, name, sealed]
    )
    await database.query(
      `INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, site_id, name, manufacturer,
        manufacturer_device_id, reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
        VALUES ($1, $2, $2, $3, $4, 'Battery', 'commandcloud', $5, 'user-1', 'Battery', 'battery',
          '{battery:set-reserve,battery:set-operating-mode}', '{}', false, now(), now(), now())`,
      [deviceId, workspaceId, accountId, made.id, name]
    )
    await database.query(
      `INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id, site_id, status,
        tags, submits, submitted_at, approved_at, created_at, updated_at)
        VALUES ($1, $2, $3, 'customerId', $1, $4, 'approved', '{}', true, now(), now(), now(), now())`,
      [enrollmentId, workspaceId, instanceId, made.id]
    )
    cloud.settings.set(name, original)
    return { siteId: made.id as string, deviceId, name }
  }

  /** The devices that a killed worker had are taken over at once, as after two minutes. */
  const replace = async (killed: SpawnedServer) => {
    servers.splice(servers.indexOf(killed), 1)
    await killed.kill9()
    const claims = async () =>
      (await database.query("SELECT claim FROM device_work WHERE claim IS NOT NULL")).rows.map(({ claim }) => claim)
    const before = await claims()
    servers.push(await start())
    await setTimeout(1000)
    const held = new Set(await claims())
    await database.query("UPDATE device_work SET lease_until = clock_timestamp() WHERE claim = ANY($1)", [
      before.filter((claim) => held.has(claim))
    ])
  }

  test(
    `command each battery once in each interval and give all their settings back, though they are killed (seed ${crashSeed})`,
    { timeout: 400_000 },
    async () => {
      const random = new Random(crashSeed)
      const { workspaceId } = credentials
      const program = { slug: `crash-${Date.now().toString(36)}`, name: "Crash" }
      await call("POST", "/v1/programs", program, credentials.managementKey)
      const texts = { title: "Crash", description: "", eligibilityCriteria: "", programTerms: "" }
      const body = { slug: program.slug, programSlug: program.slug, ...texts }
      const instance = await call("POST", "/v1/programInstances", body)
      const all: Array<Awaited<ReturnType<typeof home>>> = []
      for (const _ of times(homes)) all.push(await home(instance.id, workspaceId))
      const begin = Date.now() + 8000
      const interval = (at: number, operatingMode: string) => ({
        startsAt: new Date(begin + at).toISOString(),
        durationSeconds: LASTS / 1000,
        actions: { battery: { operatingMode } }
      })
      const { id } = await call("POST", `/v1/programInstances/${instance.id}/dispatches`, {
        name: "Crash",
        intervals: [interval(0, "discharge"), interval(LASTS, "charge")],
        randomizeStartSeconds: 3
      })
      const out = all.slice(0, optedOut)
      for (const { siteId } of out) await call("POST", `/v1/dispatches/${id}/participants/${siteId}/opt-out`)
      expect(Date.now()).toBeLessThan(begin)

      // Around the start, at the change of the interval and at the end.
      for (const at of [0, LASTS, 2 * LASTS]) {
        await setTimeout(Math.max(0, begin + at + random.next() * 3000 - Date.now()))
        await replace(random.pick(servers))
      }
      const dispatch = await eventually(
        "all settings are back",
        async () => {
          const { rows } = await database.query("SELECT due_at FROM dispatches WHERE id = $1", [id])
          return rows[0].due_at === null ? await call("GET", `/v1/dispatches/${id}`) : undefined
        },
        120_000
      )
      expect(dispatch).toMatchObject({
        status: "completed",
        participants: { done: homes - optedOut, opted_out: optedOut }
      })
      const { rows } = await database.query(
        `SELECT device_id, array_agg(input ->> 'operatingMode' ORDER BY id) AS modes FROM commands
          WHERE source_id = $1 GROUP BY device_id`,
        [id]
      )
      expect(rows).toHaveLength(homes - optedOut)
      for (const { modes } of rows) expect(modes).toEqual(["discharge", "charge"])
      const moved = new Set(cloud.calls.map(({ device }) => device))
      for (const { name } of out) expect(moved.has(name)).toBe(false)
      for (const { name } of all) expect(cloud.settings.get(name), name).toEqual(original)
      expect(cloud.overlaps).toEqual([])
    }
  )
})
