import { afterAll, beforeAll, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import type { VtnClient } from "../VtnWorld.ts"
import { arrangeScopes, showSites } from "./arrangeScopes.ts"

const SITES = 20_000

/** A VEN with the resources of many sites, among as many sites of other programs and as many VENs as a program has customers. */
describePostgres("the reads of a VEN with many sites", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let world: Awaited<ReturnType<typeof arrangeScopes>>
  let client: VtnClient
  let siteId: string

  beforeAll(async () => {
    world = await arrangeScopes(app)
    const { enrollmentId, ...home } = await world.enrolled({ name: "Home" })
    siteId = home.siteId
    const run = (statement: string) => app.sql((sql) => sql.unsafe(statement))
    const name = (n: string) => `'c' || lpad(${n}, 24, '0')`
    const other = await world.instance
    const copies = (table: string, source: string, changes: string) =>
      run(`INSERT INTO ${table} SELECT (jsonb_populate_record(one, jsonb_build_object('id', ${name("n::text")}, ${changes}))).*
        FROM ${table} one, generate_series(1, ${SITES}) n WHERE one.id = '${source}' RETURNING 1`)
    await copies(
      "sites",
      siteId,
      `'address_hash', n::text, 'name', 'Home ' || n, 'tags', jsonb_build_array('feeder-' || n % 7)`
    )
    await copies("enrollments", enrollmentId, `'site_id', ${name("n::text")}, 'customer_id', ${name("n::text")}`)
    client = await world.ven({ programInstanceId: other.id })
    await run(`INSERT INTO api_keys (id, organization_id, workspace_id, name, type, key_hash, key_prefix, scope_customer_id, created_at)
      SELECT ${name("n::text || 'k'")}, '${world.organizationId}', '${world.workspaceId}', 'n', 'OPENADR_VEN', sha256(n::text::bytea), 'p',
        ${name("n::text")}, now() FROM generate_series(1, ${SITES}) n RETURNING 1`)
    await run("DELETE FROM vtn_site_work RETURNING 1")
    const [{ id: venId }] = (await client.ok("GET", "/vens")) as [{ id: string }]
    await run(`INSERT INTO vtn_resources (id, workspace_id, client_id, body, created_at, modified_at, ven_id, resource_name, targets, site_id)
      SELECT ${name("n::text || 'r'")}, '${world.workspaceId}', '${client.clientId}', jsonb_build_object('resourceName', 'Home ' || n, 'venID', '${venId}'),
        now(), now(), '${venId}', 'Home ' || n, ARRAY['feeder-' || n % 7], ${name("n::text")}
      FROM generate_series(1, ${SITES}) n RETURNING 1`)
    for (const table of [
      "sites",
      "enrollments",
      "api_keys",
      "vtn_resources",
      "vtn_resource_targets",
      "vtn_site_work"
    ]) {
      await run(`ANALYZE ${table}`)
    }
  }, 240_000)

  const expectBounded = (plans: ReadonlyArray<string>, most: number) => {
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      for (const [, rows] of plan.matchAll(/actual rows=([\d.]+)/gu))
        expect(Number(rows), plan).toBeLessThanOrEqual(most)
      for (const [, rows] of plan.matchAll(/Rows Removed by (?:Filter|Join Filter): (\d+)/gu))
        expect(Number(rows), plan).toBeLessThanOrEqual(most)
    }
  }

  test("a changed site is compared by indexes", async () => {
    await world.changeSite(siteId, { name: "Cabin" })
    const plans = await plansDuring(app, server.log, "in_scope", () => showSites(app))
    expectBounded(plans, 50)
  })

  test("a walk through the scope reads a page of enrollments", async () => {
    await app.sql(
      (sql) => sql`INSERT INTO vtn_site_work (workspace_id, kind, item, due_at)
        VALUES (${world.workspaceId}, 'client', ${client.clientId}, '-infinity') RETURNING 1`
    )
    await app.sql(
      (sql) => sql`UPDATE vtn_site_work SET reached = ${`c${String(SITES - 120).padStart(24, "0")}`} RETURNING 1`
    )
    const plans = await plansDuring(app, server.log, "vtn_site_work", () => showSites(app))
    expectBounded(plans, 300)
    const pages = await plansDuring(app, server.log, `"activatesAt"`, async () => {
      await app.sql(
        (sql) => sql`INSERT INTO vtn_site_work (workspace_id, kind, item, reached, due_at)
          VALUES (${world.workspaceId}, 'client', ${client.clientId}, ${`c${String(SITES - 20).padStart(24, "0")}`}, '-infinity') RETURNING 1`
      )
      await showSites(app)
    })
    expectBounded(pages, 200)
  })

  test("events are found by targets without reading all resources", async () => {
    const { id: programID } = await world.bl.ok("POST", "/programs", { programName: "Peak", targets: ["feeder-3"] })
    const { id } = await world.bl.ok("POST", "/events", { programID, targets: ["feeder-3"] })
    for (const path of ["/events?targets=feeder-3&targets=feeder-99", `/events/${id}`]) {
      const plans = await plansDuring(app, server.log, "vtn_resource_targets", async () => {
        expect([await client.ok("GET", path)].flat()).toMatchObject([{ id }])
      })
      expectBounded(plans, 50)
    }
  })

  test("a page of resources, and those that a report names, are found by indexes", async () => {
    const pages = await plansDuring(app, server.log, 'FROM "vtn_resources" AS object', () =>
      client.ok("GET", "/resources?limit=50")
    )
    expectBounded(pages, 60)
    const [{ id: eventID }] = (await client.ok("GET", "/events?targets=feeder-3")) as [{ id: string }]
    const resources = ["Home 1", "Home 2", "x"].map((resourceName) => ({ resourceName, intervals: [] }))
    const named = await plansDuring(app, server.log, "jsonb_object_agg", () =>
      client.ok("POST", "/reports", { eventID, clientName: "v", resources })
    )
    expectBounded(named, 50)
  })
})
