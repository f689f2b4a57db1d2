import { afterAll, beforeAll, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../../../support/PostgresServer.ts"
import { type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"

const ROWS = 60_000
const seventh = `c${"7".padStart(24, "0")}`

/** The plan of every statement, in the log of a server with as many rows as make the planner choose. */
describePostgres("pages of large lists", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({
      fsync: false,
      settings: {
        shared_preload_libraries: "auto_explain",
        "auto_explain.log_min_duration": "0",
        "auto_explain.log_format": "text"
      }
    })
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await app.workspace()
    // One row in ten is another workspace's: among many, an average workspace is small, and this one is not.
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO workspaces SELECT 'other-' || n, ${workspace.organizationId}, 'Other ' || n, false, 'UTC',
          now(), now() FROM generate_series(0, 49) n`
    )
    await app.sql(
      (sql) => sql`INSERT INTO alerts (id, workspace_id, external_id, source_system, type, severity, status, title,
          device_id, site_id, occurrence_count, last_occurred_at, created_at, updated_at, manufacturer_device_id)
        SELECT 'c' || lpad(n::text, 24, '0'), CASE WHEN n % 10 = 0 THEN 'other-' || n / 10 % 50 ELSE ${workspace.workspaceId} END,
          CASE WHEN n % 2 = 0 THEN 'ext-' || n END, CASE WHEN n % 500 = 1 THEN 'rare' ELSE 'usual' END,
          CASE WHEN n % 500 = 1 THEN 'SAFETY' ELSE 'UNKNOWN' END, CASE WHEN n % 500 = 1 THEN 'CRITICAL' ELSE 'INFO' END,
          CASE WHEN n % 500 = 1 THEN 'OPEN' ELSE 'RESOLVED' END, 'Title', 'c' || lpad((n % 2000)::text, 24, '0'), 'c' || lpad((n % 2000)::text, 24, '0'), 1,
          now(), now(), now(), 'inverter-' || n % 2000
        FROM generate_series(1, ${ROWS}::int) n`
    )
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO sites (id, workspace_id, name, reference_id, street_one, city, state, postal_code, country,
          state_key, postal_key, address_hash, tags, created_at, updated_at)
        SELECT 'c' || lpad(n::text, 24, '0'), CASE WHEN n % 10 = 0 THEN 'other-' || n / 10 % 50 ELSE ${workspace.workspaceId} END,
          'Home ' || n, 'home-' || n, n || ' Main Street', 'City', 'CA', '95814', 'USA',
          CASE WHEN n % 500 = 1 THEN 'NY' ELSE 'CA' END, lpad((n % 2000)::text, 5, '0'), 'hash-' || n,
          CASE WHEN n % 500 = 1 THEN '{rare}'::text[] ELSE '{usual}' END, now(), now()
        FROM generate_series(1, ${ROWS}::int) n`
    )
    await app.sql((sql) => sql`ANALYZE alerts`)
    await app.sql((sql) => sql`ANALYZE sites`)
  })

  /** The server's log of the requested page. */
  const readPlan = async (table: string, path: string) => {
    const before = server.log().length
    const response = await app.call("GET", path, { key: workspace.keys.SERVER })
    expect(response.status).toBe(200)
    const marker = `end_${before}`
    await app.sql((sql) => sql.unsafe(`SELECT 1 AS ${marker}`))
    while (!server.log().slice(before).includes(marker)) await new Promise(setImmediate)
    const plans = server.log().slice(before).split("duration:")
    const planWith = (word: string) =>
      plans.find((plan) => plan.includes(word) && plan.includes(`FROM ${table}`)) ?? "no such statement"
    return { page: planWith("LIMIT"), count: planWith("count(*)::int AS n"), found: response.body.totalItems as number }
  }

  test.each([
    ["", ROWS * 0.9],
    [`id=${seventh}`, 1],
    ["externalId=ext-1002", 1],
    ["severity=CRITICAL", 120],
    ["severity=CRITICAL,WARNING", 120],
    ["status=OPEN", 120],
    ["status=OPEN,ACKNOWLEDGED,IGNORED", 120],
    ["status=RESOLVED", ROWS * 0.9 - 120],
    ["type=SAFETY", 120],
    ["type=SAFETY,GENERATOR", 120],
    ["type=GENERATOR,SENSOR", 0],
    [`siteId=${seventh}`, 30],
    [`deviceId=${seventh}`, 30],
    ["sourceSystem=rare", 120],
    ["manufacturerDeviceId=inverter-7", 30],
    ["from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z", 0],
    ["status=OPEN&severity=CRITICAL&from=2000-01-01T00:00:00Z", 0]
  ])("alerts by ?%s are never read completely", async (query, expected) => {
    const { page, found } = await readPlan("alerts", `/v1/alerts?${query}`)
    expect(found).toBe(expected)
    expect(page).toMatch(/Index.* Scan/)
    // The total, from "alerts alerts_1", may be counted by a scan where nearly all rows match.
    expect(page).not.toMatch(/Seq Scan on alerts +\(/)
  })

  test.each([
    ["", ROWS * 0.9],
    ["referenceId=home-1001", 1],
    ["state=NY", 120],
    ["state=Georgia", 0],
    ["postalCode=00077", 30],
    ["tag=rare", 120],
    ["tag=unknown", 0],
    ["tag=usual", ROWS * 0.9 - 120],
    ["q=home%201001", 10],
    ["q=1001%20main", 1],
    ["q=nothing", 0],
    ["q=home", ROWS * 0.9]
  ])("sites by ?%s are never read completely", async (query, expected) => {
    const { page, found } = await readPlan("sites", `/v1/sites?${query}`)
    expect(found).toBe(expected)
    expect(page).toMatch(/Index.* Scan/)
    expect(page).not.toMatch(/Seq Scan on sites +\(/)
  })

  test("alerts by two unused types use the index of types instead of a scan", async () => {
    expect((await readPlan("alerts", "/v1/alerts?type=GENERATOR,SENSOR")).page).toContain("alerts_by_type")
  })

  test("sites by a rare prefix are counted by an index, also after many broad prefixes", async () => {
    // Each connection has then had its chance to settle for one plan for all beginnings.
    for (let time = 0; time < 100; time++) await app.call("GET", "/v1/sites?q=home", { key: workspace.keys.SERVER })
    expect((await readPlan("sites", "/v1/sites?q=home%2077")).count).toContain("~>=~ 'home 77'")
  })

  test("sites by a reference use its index", async () => {
    expect((await readPlan("sites", "/v1/sites?referenceId=home-1001")).page).toContain("sites_by_reference")
  })

  test("sites by a rare tag use the index of tags instead of a scan", async () => {
    expect((await readPlan("sites", "/v1/sites?tag=rare")).page).toContain("sites_by_tag")
  })
})
