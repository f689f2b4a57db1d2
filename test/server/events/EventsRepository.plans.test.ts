import { afterAll, beforeAll, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { someAddress } from "../../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

const EVENTS = 60_000
const device = `c${"7".padStart(24, "0")}`

/** One event in ten is another workspace's, one in five hundred of a rare type, and all happened within the last day. */
describePostgres("the feed of many events", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let workspace: TestWorkspace
  /** The day that all events are of. */
  let day: string
  beforeAll(async () => {
    workspace = await app.workspace()
    await app.sql((sql) => sql`SELECT ensure_events_partition((now() AT TIME ZONE 'UTC')::date)`)
    // An event of a site is expected in all of them.
    await app.call("POST", "/v1/sites", { key: workspace.keys.SERVER, body: { address: someAddress() } })
    const [created] = await app.sql<{ readonly payload: string }>(
      (sql) => sql`DELETE FROM events WHERE workspace_id = ${workspace.workspaceId} RETURNING payload::text`
    )
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO events (id, sequence, workspace_id, type, subject, device_id, site_id, created_at, payload)
        SELECT 'c' || lpad(n::text, 24, '0'), nextval('event_sequence'), CASE WHEN n % 10 = 0 THEN 'other' ELSE ${workspace.workspaceId} END,
          CASE WHEN n % 500 = 1 THEN 'SITE_CREATED' ELSE 'SITE_UPDATED' END, 's', 'c' || lpad((n % 2000)::text, 24, '0'),
          'c' || lpad((n % 1000)::text, 24, '0'), date_trunc('day', now(), 'UTC') + n * interval '1 millisecond', ${created!.payload}::jsonb
        FROM generate_series(1, ${EVENTS}::int) n`
    )
    await app.sql((sql) => sql`ANALYZE events`)
    const [table] = await app.sql<{ readonly name: string }>(
      (sql) =>
        sql`SELECT tableoid::regclass::text AS name FROM events WHERE sequence = (SELECT max(sequence) FROM events)`
    )
    day = table!.name
  })

  test.each([
    ["perPage=100", 100],
    ["type=SITE_CREATED", 10],
    ["type=SITE_CREATED&type=SITE_DELETED", 10],
    ["type=ALERT_CREATED", 0],
    [`deviceId=${device}`, 10],
    [`siteId=${device}&type=SITE_CREATED`, 0],
    ["after=0", 10],
    ["after=59000&perPage=100", 100],
    ["after=0&type=ALERT_CREATED", 0]
  ])("by ?%s is read by an index, with hardly more rows than shown", async (query, expected) => {
    let found = -1
    const ask = async () => {
      const { body } = await app.call("GET", `/v1/events?${query}`, { key: workspace.keys.SERVER })
      found = body.data.length
    }
    const plans = await plansDuring(app, server.log, "ORDER BY events.sequence", ask)
    expect(found).toBe(expected)
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      // The total, an InitPlan, counts up to 100,000 events in any order.
      const page = plan.replace(/\t {2}InitPlan [\s\S]*?(?=\t {2}->)/, "")
      expect(page).not.toContain(`Seq Scan on ${day}`)
      for (const [, rows] of page.matchAll(/actual rows=([\d.]+)/g)) expect(Number(rows)).toBeLessThan(300)
    }
  })
})
