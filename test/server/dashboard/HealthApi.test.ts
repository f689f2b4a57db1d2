import type { SystemHealth } from "@edp/domain/dashboard/SystemHealth"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

const path = "/dashboard/api/health"
const scripted = scriptedAdapter({
  quotas: [
    { scope: "manufacturer", calls: 200, window: 3600, headroom: 0.25 },
    { scope: "account", calls: 40, window: "month", headroom: 0 }
  ]
})
const { slug } = scripted.adapter.manifest

/** Nothing listens on the port of Redis. */
const app = useTestApp({ adapters: [scripted.adapter], env: { REDIS_URL: "redis://127.0.0.1:1" } })
const plain = useTestApp()

const read = async ({ keys }: TestWorkspace, of = app): Promise<SystemHealth> => {
  const response = await of.call("GET", path, { key: keys.MANAGEMENT })
  expect([response.status, response.text]).toEqual([200, expect.anything()])
  return response.body
}

const newId = () => app.run(Effect.flatMap(Ids, (ids) => ids.next))

interface GivenAccount {
  readonly name: string
  readonly status?: string
  /** Seconds from now. */
  readonly expiresIn?: number
  readonly refreshIn?: number
  readonly error?: string
}

const addAccount = async (workspaceId: string, { error, expiresIn, name, refreshIn, status }: GivenAccount) => {
  const id = await newId()
  const lastError =
    error === undefined ? null : { failure: error, message: `It says ${error}`, at: "2026-03-01T12:00:00.000Z" }
  await app.sql(
    (sql) => sql`INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
        expires_at, refresh_at, last_error, created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${slug}, ${id}, ${name}, 'user-1', '{}', ${status ?? "connected"},
        now() + ${expiresIn ?? null}::float8 * interval '1 second', now() + ${refreshIn ?? null}::float8 * interval '1 second',
        ${lastError === null ? null : JSON.stringify(lastError)}::jsonb, now(), now())`
  )
  return id
}

const addDestination = async (
  workspaceId: string,
  given: {
    readonly label: string
    readonly failing?: boolean
    readonly deactivated?: string
    readonly waiting?: number
  }
) => {
  const id = await newId()
  const { deactivated = null, failing = false, label, waiting = 0 } = given
  await app.sql(
    (sql) => sql`INSERT INTO destinations (id, workspace_id, label, destination_type, event_types, url, after_sequence,
        failing_since, deactivated_at, deactivated_reason, created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${label}, 'WEBHOOK', '{}', 'https://example.com', 0,
        CASE WHEN ${failing} THEN now() - interval '2 hours' END,
        CASE WHEN ${deactivated}::text IS NOT NULL THEN now() END, ${deactivated}, now(), now())`
  )
  await app.sql(
    (sql) => sql`WITH queue AS (INSERT INTO delivery_queues (destination_id) VALUES (${id}))
      INSERT INTO deliveries (id, destination_id, subject, lane, sequence, event_id, event_type, next_attempt_at, created_at)
      SELECT ${id} || n, ${id}, 'x', 'x', n, n::text, 'DEVICE_CREATED', now() + interval '1 hour', now() - interval '10 minutes'
      FROM generate_series(1, ${waiting}::int) AS n`
  )
  return id
}

describeKeyChecks(plain, [{ method: "GET", path, allowed: ["MANAGEMENT"] }])

describe("GET /dashboard/api/health", () => {
  let own: TestWorkspace
  let sibling: TestWorkspace
  let stranger: TestWorkspace
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    own = await app.workspace()
    sibling = await app.workspace(own.organizationId)
    stranger = await app.workspace()
    await addAccount(own.workspaceId, { name: "Well", expiresIn: 3600, refreshIn: 1800 })
    ids.failed = await addAccount(sibling.workspaceId, { name: "Refused", status: "failed", error: "unauthorized" })
    ids.expired = await addAccount(own.workspaceId, { name: "Expired", expiresIn: -60, refreshIn: -600 })
    ids.late = await addAccount(own.workspaceId, { name: "Late", expiresIn: 3600, refreshIn: -600 })
    ids.soon = await addAccount(own.workspaceId, { name: "Soon", expiresIn: 86_400 })
    ids.call = await addAccount(own.workspaceId, { name: "Call", error: "unavailable" })
    await addAccount(own.workspaceId, { name: "Far", expiresIn: 30 * 86_400 })
    await addAccount(stranger.workspaceId, { name: "Stranger's", status: "failed", error: "unauthorized" })
    ids.off = await addDestination(own.workspaceId, { label: "Off", deactivated: "It failed for 5 days" })
    ids.failing = await addDestination(sibling.workspaceId, { label: "Failing", failing: true, waiting: 1001 })
    ids.waiting = await addDestination(own.workspaceId, { label: "Waiting", waiting: 2 })
    await addDestination(own.workspaceId, { label: "Idle" })
    await addDestination(stranger.workspaceId, { label: "Stranger's", failing: true, waiting: 1 })
    const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth())).toISOString()
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString()
    await app.sql(
      (sql) => sql`INSERT INTO manufacturer_calls (manufacturer, account_id, window_seconds, window_start, calls) VALUES
        (${slug}, '', 3600, ${hour}::timestamptz, 120), (${slug}, ${ids.call!}, 0, ${month}::timestamptz, 38),
        (${slug}, ${ids.soon!}, 0, ${month}::timestamptz - interval '1 month', 40)`
    )
    await app.sql(
      (sql) => sql`INSERT INTO manufacturer_pauses VALUES (${slug}, ${ids.soon!}, now() + interval '1 hour')`
    )
  })

  test("describes the instance that responds, and those that were seen in the last day", async () => {
    await app.sql(
      (sql) => sql`INSERT INTO instances (id, role, version, node_version, host_name, pid, started_at, seen_at) VALUES
        ('silent', 'worker', '0.9.0', 'v26.0.0', 'worker-1', 17, now() - interval '2 hours', now() - interval '46 seconds'),
        ('live', 'api', '1.0.0', 'v26.0.0', 'api-1', 18, now() - interval '1 hour', now() - interval '30 seconds')`
    )
    const { asOf, instances, service } = await read(own)
    expect(service).toMatchObject({ role: "all", version: "2.0.0", nodeVersion: process.version })
    expect(service.uptimeSeconds).toBeGreaterThan(0)
    expect(Date.parse(asOf) - Date.parse(service.startedAt)).toBeGreaterThan(0)
    expect(instances.value!.map(({ hostName, isSilent, isThis, role }) => [isThis, isSilent, role, hostName])).toEqual([
      [true, false, "all", expect.any(String)],
      [false, false, "api", "api-1"],
      [false, true, "worker", "worker-1"]
    ])
    expect(instances.value![0]).toMatchObject({ pid: process.pid, startedAt: service.startedAt })
  })

  test("lists the accounts of the organization that need attention, the gravest first, and no others", async () => {
    const { accounts } = await read(own)
    expect(accounts.value).toMatchObject({ connected: 6, signInNeeded: 1 })
    expect(accounts.value!.items.map(({ id, trouble }) => [id, trouble])).toEqual([
      [ids.failed, "sign_in_needed"],
      [ids.expired, "expired"],
      [ids.late, "refresh_overdue"],
      [ids.soon, "expires_soon"],
      [ids.call, "call_failed"]
    ])
    expect(accounts.value!.items[0]).toMatchObject({
      workspaceId: sibling.workspaceId,
      manufacturer: slug,
      name: "Refused",
      failure: "unauthorized",
      message: "It says unauthorized",
      since: "2026-03-01T12:00:00.000Z",
      expiresAt: null
    })
  })

  test("lists the organization's destinations that fail, wait or are deactivated", async () => {
    const { destinations } = await read(own)
    expect(destinations.value).toMatchObject({ total: 4, deactivated: 1, failing: 1 })
    const items = destinations.value!.items
    expect(items.map(({ id, isCapped, waiting }) => [id, waiting, isCapped])).toEqual([
      [ids.failing, 1000, true],
      [ids.waiting, 2, false],
      [ids.off, 0, false]
    ])
    expect(items[0]!.oldestSeconds).toBeGreaterThanOrEqual(600)
    expect(items[2]).toMatchObject({ deactivatedReason: "It failed for 5 days", oldestSeconds: null })
  })

  test("shows how much of each quota is used in the present window", async () => {
    const { quotas } = await read(own)
    expect(quotas.value).toMatchObject([
      {
        accountId: ids.call,
        accountName: "Call",
        window: null,
        limit: 40,
        pollingLimit: 40,
        used: 38,
        pausedUntil: null
      },
      { accountId: null, accountName: null, window: 3600, limit: 200, pollingLimit: 150, used: 120 },
      { accountId: ids.soon, used: 0, pausedUntil: expect.any(String) }
    ])
    expect(Date.parse(quotas.value![1]!.resetsAt)).toBeGreaterThan(Date.now())
  })

  test("shows nothing of another organization but the use of quotas that all share", async () => {
    const { accounts, destinations, quotas } = await read(stranger)
    expect(accounts.value!.items.map(({ name }) => name)).toEqual(["Stranger's"])
    expect(destinations.value!.items.map(({ label }) => label)).toEqual(["Stranger's"])
    expect(quotas.value).toMatchObject([{ accountId: null, accountName: null, used: 120 }])
    const text = JSON.stringify(await read(stranger))
    for (const hidden of [own.workspaceId, sibling.workspaceId, own.organizationId, "Refused", "Failing"]) {
      expect(text).not.toContain(hidden)
    }
  })

  test("counts background work that waits, with the age of the oldest where the table has times", async () => {
    const { work } = await read(own)
    const tasks = new Map(work.value!.map((each) => [each.task, each]))
    expect([...tasks.keys()]).toContain("energy_rollups")
    expect(tasks.get("deliveries")).toMatchObject({ waiting: 1004, isCapped: false })
    expect(tasks.get("deliveries")!.oldestSeconds).toBeGreaterThanOrEqual(600)
    expect(tasks.get("commands")).toEqual({ task: "commands", waiting: 0, isCapped: false, oldestSeconds: null })
    expect(Date.parse(work.asOf)).toBeLessThanOrEqual(Date.now())
  })

  test("lists partitions with their ranges and sizes, and whether the next one exists", async () => {
    const { partitions } = await read(own)
    const [readings, events] = partitions.value!
    expect(events).toMatchObject({ table: "events", currentExists: true, nextExists: true })
    expect(events!.total).toBe(events!.partitions.length)
    const today = new Date().toISOString().slice(0, 10)
    const partition = events!.partitions.find(({ from }) => from?.startsWith(today))!
    expect(partition).toMatchObject({ name: `events_${today.replaceAll("-", "")}`, from: `${today}T00:00:00.000Z` })
    expect(partition.bytes).toBeGreaterThan(0)
    expect(readings).toMatchObject({ table: "readings", currentExists: true, nextExists: true })
  })

  test("describes the database and says that Redis is unreachable", async () => {
    const { database, redis } = await read(own)
    expect(database.value).toMatchObject({ kind: "embedded", connections: { most: 4 } })
    const { bytes, migrations, pingMilliseconds, version } = database.value!
    expect(version).toMatch(/^\d+\.\d+/)
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(pingMilliseconds).toBeGreaterThan(0)
    expect(migrations.applied).toBe(migrations.known)
    expect(migrations.latest).toMatch(/^\d{4}_\w+$/)
    expect(redis.value).toEqual({ state: "unreachable", pingMilliseconds: null })
  })

  test("says that Redis is not configured", async () => {
    const { redis } = await read(await plain.workspace(), plain)
    expect(redis).toMatchObject({ value: { state: "not_configured", pingMilliseconds: null }, reason: null })
  })

  test("leaves a part that fails out with the reason, and returns the others", async () => {
    await app.sql((sql) => sql`ALTER TABLE manufacturer_pauses RENAME TO manufacturer_pauses_away`)
    try {
      const { accounts, quotas } = await read(own)
      expect(quotas).toEqual({ asOf: expect.any(String), value: null, reason: "failed" })
      expect(accounts.value).not.toBeNull()
    } finally {
      await app.sql((sql) => sql`ALTER TABLE manufacturer_pauses_away RENAME TO manufacturer_pauses`)
    }
  })
})
