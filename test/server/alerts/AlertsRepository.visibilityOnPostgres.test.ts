import { AlertType } from "@edp/domain/alerts/Alert"
import { type AlertRules, everyAlert } from "@edp/domain/alerts/AlertConfiguration"
import { AlertsRepository } from "@edp/server/alerts/AlertsRepository"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { readRows } from "../devices/readRows.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"

const path = "/dashboard/api/alert-configuration"
const ALERTS = 40_000

/** Several instances over one database, and as many alerts as make the planner choose. */
describePostgres("a saved alert configuration", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ fsync: false, settings: { autovacuum: "off" } })
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })
  const another = useTestApp({ databaseUrl: () => server.url })

  test("applies on every instance from the next request on, and so does its deletion", async () => {
    const { create, keys } = await arrangeAlerts(app)
    await create({ severity: "INFO" })
    await create({ severity: "CRITICAL" })
    const totals = async () => {
      const lists = [app, another].map((instance) => instance.call("GET", "/v1/alerts", { key: keys.SERVER }))
      return (await Promise.all(lists)).map(({ body }) => [body.totalItems, body.data.length])
    }
    for (let time = 0; time < 10; time++) {
      const [saving, clearing] = time % 2 === 0 ? [app, another] : [another, app]
      const body = { minimumSeverity: "WARNING" }
      expect((await saving.call("PUT", path, { key: keys.MANAGEMENT, body })).status).toBe(200)
      expect(await totals()).toEqual([
        [1, 1],
        [1, 1]
      ])
      expect((await clearing.call("DELETE", path, { key: keys.MANAGEMENT })).status).toBe(204)
      expect(await totals()).toEqual([
        [2, 2],
        [2, 2]
      ])
    }
  })

  test("is one of several saved concurrently", async () => {
    const { keys } = await arrangeAlerts(app)
    const bodies = Array.from({ length: 20 }, (_, n) => ({
      types: { mode: "SHOW", values: ["SAFETY"] },
      sourceSystems: { mode: "HIDE", values: [`source-${n}`] }
    }))
    const save = (body: object, n: number) =>
      (n % 2 === 0 ? app : another).call("PUT", path, { key: keys.MANAGEMENT, body })
    const saved = await Promise.all(bodies.map(save))
    expect(saved.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const { body } = await app.call("GET", path, { key: keys.MANAGEMENT })
    expect(saved.map((response) => response.body)).toContainEqual(body)
  })

  test("is saved before its workspace is deleted, or not at all", async () => {
    const { keys, organizationId } = await arrangeAlerts(app)
    for (let time = 0; time < 10; time++) {
      const { workspaceId } = await app.workspace(organizationId)
      const [saved, deleted] = await Promise.all([
        app.call("PUT", `${path}?workspaceId=${workspaceId}`, { key: keys.MANAGEMENT, body: {} }),
        another.call("DELETE", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT })
      ])
      expect([200, 404]).toContain(saved.status)
      expect(deleted.status).toBe(204)
      const left = await app.sql((sql) => sql`SELECT FROM alert_configurations WHERE workspace_id = ${workspaceId}`)
      expect(left).toEqual([])
    }
  })

  test("is counted by an index, and finds few matches without reading all alerts", async () => {
    const { workspaceId } = await arrangeAlerts(app)
    await app.sql(
      (sql) => sql`INSERT INTO alerts (id, workspace_id, source_system, type, subtype, severity, status, title,
          occurrence_count, last_occurred_at, created_at, updated_at)
        SELECT 'c' || lpad(n::text, 24, '0'), ${workspaceId}, 'source-' || n % 5,
          CASE WHEN n < 5 THEN 'SAFETY' ELSE (ARRAY['SENSOR', 'UNKNOWN', 'HARDWARE_FAULT'])[1 + n % 3] END,
          CASE WHEN n < 5 THEN 'GPIO_SHUTDOWN' WHEN n % 2 = 0 THEN 'LOW_SOE' END,
          CASE WHEN n % 10 = 0 THEN 'CRITICAL' WHEN n % 10 < 4 THEN 'WARNING' ELSE 'INFO' END,
          CASE WHEN n % 20 = 0 THEN 'OPEN' ELSE 'RESOLVED' END, 'Title', 1, now(), now(), now()
        FROM generate_series(1, ${ALERTS}::int) AS n`
    )
    await app.sql((sql) => sql`VACUUM ANALYZE alerts`)
    const read = (rules: Partial<AlertRules>, filters = {}) =>
      app.run(
        Effect.gen(function* () {
          const alerts = yield* AlertsRepository
          const all = { ...everyAlert, ...rules }
          return {
            page: yield* readRows(alerts.list(workspaceId, filters, all, 10, 0)),
            count: yield* readRows(alerts.count(workspaceId, filters, all))
          }
        })
      )

    const broad: Partial<AlertRules> = {
      minimumSeverity: "WARNING",
      types: { mode: "HIDE", values: ["SENSOR"] },
      subtypes: { mode: "HIDE", values: ["SLEEP_MODE"] },
      sourceSystems: { mode: "HIDE", values: ["source-1"] }
    }
    const { count, page } = await read(broad)
    expect(count.indexes).toEqual(new Set(["alerts_by_visibility"]))
    expect(count.rows).toBeLessThan(ALERTS * 0.5)
    expect(page.response).toHaveLength(10)
    // The statement of the page counts, too.
    expect(page.rows - count.rows).toBeLessThan(200)

    const open = await read({ minimumSeverity: "CRITICAL" }, { status: ["OPEN"] })
    expect(open.count.response).toBe(ALERTS / 20)
    expect(open.count.rows).toBeLessThan(ALERTS / 10 + 100)

    const narrow: ReadonlyArray<Partial<AlertRules>> = [
      { types: { mode: "SHOW", values: ["SAFETY"] } },
      { types: { mode: "HIDE", values: AlertType.literals.filter((type) => type !== "SAFETY") } },
      { subtypes: { mode: "SHOW", values: ["GPIO_SHUTDOWN"] } },
      { minimumSeverity: "WARNING", subtypes: { mode: "SHOW", values: ["GPIO_SHUTDOWN", "BATTERY_FAULT"] } }
    ]
    for (const rules of narrow) {
      const found = await read(rules)
      expect(found.page.response.length).toBeGreaterThan(2)
      expect([rules, found.page.rows < 100, found.count.rows < 100]).toEqual([rules, true, true])
    }
  })
})
