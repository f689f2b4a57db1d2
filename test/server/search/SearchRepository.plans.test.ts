import { afterAll, beforeAll, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"

const DEVICES = 20_000

describePostgres("a search among many devices", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let key: string
  beforeAll(async () => {
    const { keys, organizationId, workspaceId } = await app.workspace()
    key = keys.SERVER
    await app.sql(
      (sql) => sql`INSERT INTO workspaces VALUES ('other', ${organizationId}, 'Other', false, 'UTC', now(), now())`
    )
    // The oldest devices have words that none of the newest has: many of them one word, few of them the other.
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id,
          serial_number, reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT 'c' || lpad(n::text, 24, '0'), workspace, workspace,
          CASE WHEN n < 400 THEN 'Vintage ' WHEN n < 5000 THEN 'Antique ' ELSE 'Usual ' END || 'battery ' || n, 'generic', 'INV-' || n,
          'SN-' || n, 'user-' || n % 2000, 'Model', 'battery', '{}', '{}', true, now(), now()
        FROM (SELECT n, CASE WHEN n % 4 = 1 THEN 'other' ELSE ${workspaceId} END AS workspace
          FROM generate_series(0, ${DEVICES}::int - 1) n) AS given`
    )
    await app.sql((sql) => sql`VACUUM ANALYZE devices`)
  }, 120_000)

  /** The statement that searches devices, with the numbers of rows that it read. */
  const planFor = async (query: string) => {
    const [plan, ...others] = await plansDuring(app, server.log, "devices_by_workspace", async () => {
      const response = await app.call("GET", `/v1/search?query=${query}&types=device`, { key })
      expect(response.body.data.length, response.text).toBeGreaterThan(0)
    })
    expect(others.map((each) => each.slice(0, 300))).toEqual([])
    return plan!
  }

  /** The parts of a plan that use the index of texts; those that never ran are left out. */
  const indexReads = (plan: string) =>
    [...plan.matchAll(/Index Scan on devices_by_text[^\n]*\((actual rows=[^)]*|never executed)\)/g)]
      .map(([, reads]) => reads!)
      .filter((reads) => reads !== "never executed")

  test("finds what few rows contain by the index of texts, and reads no row that does not match", async () => {
    for (const query of ["SN-12346", "antique+battery+4996", "sn-1234"]) {
      const plan = await planFor(query)
      expect(indexReads(plan), plan).toHaveLength(1)
      expect(plan).not.toMatch(/Seq Scan on devices/)
      const [, candidates] = /Bitmap Heap Scan on devices.*?\(actual rows=(\d+)/.exec(plan) ?? []
      expect(Number(candidates)).toBeLessThanOrEqual(60)
    }
  })

  test("leaves the index alone for what many of the newest rows contain", async () => {
    expect(indexReads(await planFor("battery"))).toEqual([])
    expect(indexReads(await planFor("usual+bat"))).toEqual([])
  })

  test("leaves the index alone for what a sample of all rows contains, where only old rows do", async () => {
    const plan = await planFor("antique")
    expect(indexReads(plan), plan).toEqual([])
    const [, sampled] = /Sample Scan on devices.*?\(actual rows=(\d+)/.exec(plan) ?? []
    expect(Number(sampled)).toBe(40)
  })

  test("stops reading rows by the index once there are enough", async () => {
    const plan = await planFor("vintage")
    expect(indexReads(plan), plan).toHaveLength(1)
    const [, candidates] = /Bitmap Heap Scan on devices.*?\(actual rows=(\d+)/.exec(plan) ?? []
    expect(Number(candidates)).toBeLessThanOrEqual(60)
  })
})
