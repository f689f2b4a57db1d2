import { AuditLogsRepository } from "@edp/server/audit/AuditLogsRepository"
import { type AuditQuery, auditSelection } from "@edp/server/audit/auditSelection"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { readRows } from "../devices/readRows.ts"

const ROWS = 60_000
const PER_PAGE = 50
/** From a fifth of the rows on to nine tenths there is nothing but refused uses. */
const [QUIET_FROM, QUIET_TO] = [ROWS * 0.2, ROWS * 0.9]
/** Issued at the milliseconds that the number is in base 36. */
const makeId = (n: number) => `c${String(n).padStart(8, "0")}${"0".repeat(16)}`
const endpoint = "GET /v1/organizations"
const [workspaceOne, refusedOne, writerOne] = ["cworkspace", "crefused", "cwriter0"].map(
  (kind) => kind + "1".padStart(25 - kind.length, "0")
) as [string, string, string]

/** Each with the index that is to lead through it. */
const single: ReadonlyArray<readonly [query: AuditQuery, index: string]> = [
  [{}, "audit_logs_pkey"],
  [{ action: ["access.refused"] }, "audit_logs_by_action"],
  [{ action: ["api-key.create"] }, "audit_logs_by_action"],
  [{ action: ["api-key.create", "workspace.update"] }, "audit_logs_by_action"],
  [{ action: ["device-model.create"] }, "audit_logs_by_action"],
  [{ resourceType: ["api-key"] }, "audit_logs_by_action"],
  [{ resourceType: ["collection", "manufacturer"] }, "audit_logs_by_action"],
  [{ resourceId: [makeId(77)] }, "audit_logs_by_resource"],
  [{ resourceId: [makeId(77), endpoint] }, "audit_logs_by_resource"],
  [{ resourceId: [endpoint] }, "audit_logs_by_resource"],
  [{ actorId: [writerOne] }, "audit_logs_by_actor"],
  [{ actorId: [refusedOne, writerOne, "nobody"] }, "audit_logs_by_actor"],
  [{ workspaceId: [workspaceOne] }, "audit_logs_by_workspace"],
  [{ workspaceId: ["nowhere"] }, "audit_logs_by_workspace"]
]
const together: ReadonlyArray<readonly [query: AuditQuery]> = [
  [{ actorId: [writerOne], action: ["access.refused"] }],
  [{ actorId: [refusedOne], resourceType: ["api-key", "workspace"] }],
  [{ actorId: [refusedOne], action: ["access.refused"] }],
  [{ actorId: [writerOne], action: ["workspace.update"] }],
  [{ workspaceId: [workspaceOne], action: ["workspace.update"] }],
  [{ workspaceId: [workspaceOne], resourceType: ["endpoint"] }],
  [{ workspaceId: ["nowhere"], actorId: [refusedOne] }],
  [{ workspaceId: [workspaceOne], actorId: [writerOne] }],
  [{ resourceId: [endpoint], action: ["api-key.create"] }],
  [{ resourceId: [endpoint], actorId: [writerOne] }],
  [{ resourceId: [endpoint], actorId: [refusedOne] }],
  [{ resourceId: [makeId(77)], actorId: [refusedOne] }],
  [{ resourceId: [makeId(77)], workspaceId: [workspaceOne], resourceType: ["api-key"] }]
]

const every = [...single, ...together].map(([query]) => [query] as const)

describePostgres("the audit log of a busy organization", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ fsync: false, settings: { autovacuum: "off" } })
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let organizationId: string
  beforeAll(async () => {
    organizationId = (await app.workspace()).organizationId
    const other = (await app.workspace()).organizationId
    const actions = ["api-key.create", "api-key.update", "workspace.update", "collection.create"]
    await app.sql(
      (sql) => sql`INSERT INTO audit_logs (id, organization_id, workspace_id, action, resource_id, actor_id, actor_type,
          request_id, reason, uses, last_at, created_at)
        SELECT 'c' || lpad(n::text, 8, '0') || repeat('0', 16), CASE WHEN n % 10 = 0 THEN ${other} ELSE ${organizationId} END,
          'cworkspace' || lpad((n % 3)::text, 15, '0'), CASE WHEN quiet THEN 'access.refused' ELSE (${actions}::text[])[1 + n % 4] END,
          CASE WHEN quiet THEN (ARRAY[${endpoint}, 'GET /v1/sites', 'POST /v1/api-keys'])[1 + n % 3]
            ELSE 'c' || lpad((n % 2000)::text, 8, '0') || repeat('0', 16) END,
          CASE WHEN quiet THEN 'crefused' ELSE 'cwriter0' END || lpad((n % 4)::text, 17, '0'), 'SERVER', 'request-' || n,
          CASE WHEN quiet THEN 'FORBIDDEN' END, CASE WHEN quiet THEN 1 END, CASE WHEN quiet THEN now() END, now()
        FROM (SELECT n, n > ${QUIET_FROM}::int AND n < ${QUIET_TO}::int AS quiet
          FROM generate_series(1, ${ROWS}::int) n) AS given`
    )
  })

  const reading = (query: AuditQuery, before?: string) =>
    app.run(
      Effect.gen(function* () {
        const logs = yield* AuditLogsRepository
        const selection = auditSelection(organizationId, query)
        const page = yield* readRows(logs.list(selection, { limit: PER_PAGE + 1, offset: 0, before }))
        return { page, count: yield* readRows(logs.count(selection)) }
      })
    )

  /** At most a page of each requested action and value, and those that were requested. */
  const mergedPages = 20 * (PER_PAGE + 1) + 100

  describe.each(["before the first ANALYZE", "with statistics"])("%s", (state) => {
    beforeAll(async () => {
      if (state === "with statistics") await app.sql((sql) => sql`VACUUM ANALYZE`)
    })

    test.each(single)("%j: every page is read by its index only, including the last one", async (query, index) => {
      for (const before of [undefined, makeId(60)]) {
        const { page } = await reading(query, before)
        expect([...page.indexes]).toEqual([index])
        expect(page.rows).toBeLessThanOrEqual(mergedPages)
      }
    })
  })

  test.each(together)("%j: a page reads little more than itself", async (query) => {
    const { page } = await reading(query)
    expect(page.rows).toBeLessThanOrEqual(mergedPages)
  })

  test.each(every)("%j: a page of old records reads no newer ones", async (query) => {
    const { page } = await reading({ ...query, to: new Date(Number.parseInt("60", 36)).toISOString() })
    expect(page.response.every(({ id }) => id < makeId(60))).toBe(true)
    expect(page.rows).toBeLessThanOrEqual(mergedPages)
  })

  test.each(every)("%j: the count reads only matches, unless those are most of all", async (query) => {
    const { count } = await reading(query)
    if (count.response > ROWS / 100) return expect(count.rows).toBeLessThanOrEqual(ROWS + 10)
    expect(count.rows).toBeLessThanOrEqual(4 * count.response + 100)
  })
})
