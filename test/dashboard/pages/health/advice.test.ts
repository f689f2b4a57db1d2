import { loadArea, loadLanguage, partMessages } from "@edp/dashboard/i18n/messages"
import { adviceFor, waited } from "@edp/dashboard/pages/health/advice"
import type { SystemHealth } from "@edp/domain/dashboard/SystemHealth"
import { beforeAll, describe, expect, test } from "vitest"

const at = "2026-03-01T12:00:00.000Z"
const id = "cmm7p6yo0l4o8r2u6x0a3d7g1"
const workspaceId = "cmm7p6yo02x6b9d4f7j1m5p8s"

const part = <A>(value: A) => ({ asOf: at, value, reason: null })

const instance = {
  id: "one",
  isThis: true,
  role: "all" as const,
  version: "1.0.0",
  nodeVersion: "v26.10.0",
  startedAt: at,
  hostName: "alpha",
  pid: 17,
  lastSeenAt: at,
  isSilent: false
}

const table = {
  table: "events" as const,
  partitions: [],
  total: 3,
  rows: 10,
  bytes: 1000,
  currentExists: true,
  nextExists: true
}

const well: SystemHealth = {
  asOf: at,
  service: { role: "all", version: "1.0.0", nodeVersion: "v26.10.0", startedAt: at, uptimeSeconds: 60 },
  instances: part([instance]),
  work: part([{ task: "commands" as const, waiting: 3, isCapped: false, oldestSeconds: 5 }]),
  destinations: part({ total: 1, deactivated: 0, failing: 0, items: [] }),
  quotas: part([]),
  accounts: part({ connected: 1, signInNeeded: 0, items: [] }),
  partitions: part([table]),
  database: part({
    kind: "embedded" as const,
    version: "18.6",
    bytes: 1000,
    pingMilliseconds: 0.4,
    migrations: { applied: 41, known: 41, latest: "0068_watch_instances" },
    connections: { most: 4, inUse: 1, waiting: 0 }
  }),
  redis: part({ state: "not_configured" as const, pingMilliseconds: null })
}

const texts = () => partMessages("en", "health")
const find = (changed: Partial<SystemHealth>) => adviceFor({ ...well, ...changed }, texts(), "en")

beforeAll(async () => {
  await loadLanguage("en")
  await loadArea("pages")
})

const destination = {
  id,
  workspaceId,
  label: "Grid operator",
  destinationType: "WEBHOOK",
  waiting: 12,
  isCapped: false,
  oldestSeconds: 4000,
  failingSince: at,
  deactivatedAt: null,
  deactivatedReason: null
}

describe("the advice of the health page", () => {
  test("is none while everything is well, and where nothing is known", () => {
    expect(find({})).toEqual([])
    const unknown = { asOf: at, value: null, reason: "timed_out" as const }
    const parts = { instances: unknown, work: unknown, destinations: unknown, quotas: unknown, accounts: unknown }
    expect(find({ ...parts, partitions: unknown, database: unknown, redis: unknown })).toEqual([])
  })

  test("reports silent instances, mixed versions, and that no instance does background work", () => {
    const silent = { ...instance, id: "two", hostName: "beta", isSilent: true, version: "0.8.0" }
    const [worker, first, second, ...rest] = find({
      instances: part([
        { ...instance, role: "api" as const },
        silent,
        { ...instance, id: "three", role: "api" as const, version: "0.9.0" }
      ])
    })
    expect(worker).toMatchObject({ state: "bad", text: texts().noWorker })
    expect([first!.text, second!.text]).toEqual([
      texts().silentInstance({ host: "beta", pid: 17 }),
      texts().mixedVersions({ versions: "0.9.0, 1.0.0" })
    ])
    expect(rest).toEqual([])
  })

  test("reports late work, but not of deliveries that a failing destination explains", () => {
    const work = part([
      { task: "commands" as const, waiting: 1, isCapped: false, oldestSeconds: 121 },
      { task: "deliveries" as const, waiting: 12, isCapped: false, oldestSeconds: 3601 },
      { task: "energy_rollups" as const, waiting: 5, isCapped: false, oldestSeconds: null }
    ])
    expect(find({ work }).map(({ id }) => id)).toEqual(["commands", "deliveries"])
    const destinations = part({ total: 1, deactivated: 0, failing: 1, items: [destination] })
    expect(find({ work, destinations }).map(({ id }) => id)).toEqual([id, "commands"])
  })

  test("links to the destination and to the account in their workspace", () => {
    const account = {
      id,
      workspaceId,
      manufacturer: "tesla",
      name: "Ada",
      trouble: "sign_in_needed" as const,
      expiresAt: null,
      since: at,
      failure: "unauthorized",
      message: "The refresh token was refused"
    }
    const found = find({
      destinations: part({ total: 1, deactivated: 0, failing: 1, items: [destination] }),
      accounts: part({
        connected: 1,
        signInNeeded: 1,
        items: [account, { ...account, trouble: "call_failed" as const }]
      })
    })
    expect(found.map(({ link }) => link?.href)).toEqual([
      `/dashboard/destinations/${id}?workspace=${workspaceId}`,
      `/dashboard/connections?workspace=${workspaceId}&status=failed&manufacturer=tesla&account=${id}`
    ])
  })

  test("reports a missing partition, a newer database, a slow one, full connections, full quotas and an unreachable Redis", () => {
    const database = well.database.value!
    const quota = {
      manufacturer: "tesla",
      accountId: null,
      accountName: null,
      workspaceId: null,
      window: null,
      limit: 100,
      pollingLimit: 80,
      used: 90,
      resetsAt: at,
      pausedUntil: null
    }
    const found = find({
      partitions: part([{ ...table, nextExists: false }]),
      database: part({
        ...database,
        pingMilliseconds: 251,
        migrations: { ...database.migrations, applied: 42 },
        connections: { most: 4, inUse: 4, waiting: 4 }
      }),
      quotas: part([quota, { ...quota, used: 89, window: 3600 }]),
      redis: part({ state: "unreachable" as const, pingMilliseconds: null })
    })
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      ["newer", "bad"],
      ["events partition", "bad"],
      ["ping", "warn"],
      ["pool", "warn"],
      ["redis", "warn"],
      ["tesla null null", "warn"]
    ])
  })

  test("gives times in the largest unit of which there are two", () => {
    expect([1, 119, 120, 7199, 7200, 172_799, 172_800].map((seconds) => waited("en", seconds))).toEqual([
      "1 second",
      "119 seconds",
      "2 minutes",
      "120 minutes",
      "2 hours",
      "48 hours",
      "2 days"
    ])
  })
})
