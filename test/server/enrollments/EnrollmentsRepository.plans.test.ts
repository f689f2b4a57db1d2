import { afterAll, beforeAll, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { aBattery, arrangeEnrollments } from "./arrangeEnrollments.ts"

/** Enough that a statement that reads a whole table takes 80 times its bound below. */
const ENROLLMENTS = 40_000
const AT_ONCE = 1000
const PER_PAGE = 100

/** Enrollments of as many customers, each with a site and a battery; every tenth waits for a device. */
describePostgres("the reads of many enrollments", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let place: Awaited<ReturnType<typeof arrangeEnrollments>>
  let instanceId: string
  const name = (n: string) => `'c' || lpad(${n}::text, 24, '0')`
  const id = (n: number) => `c${String(n).padStart(24, "0")}`

  beforeAll(async () => {
    place = await arrangeEnrollments(app)
    instanceId = (await place.instance({ eligibility: aBattery })).id
    const { customerId, deviceId, siteId } = await place.home()
    const { id: enrollmentId } = await place.enroll(instanceId, customerId, { siteId })
    const copies = async (table: string, source: string, changes: string) => {
      const [columns] = await app.sql<{ readonly names: string }>(
        (sql) => sql`SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
          WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`
      )
      for (let first = 1; first <= ENROLLMENTS; first += AT_ONCE) {
        await app.sql((sql) =>
          sql.unsafe(`INSERT INTO ${table} (${columns!.names}) SELECT ${columns!.names} FROM (
            SELECT (jsonb_populate_record(one, jsonb_build_object('id', ${name("n")}, ${changes}))).*
            FROM ${table} one, generate_series(${first}, ${first + AT_ONCE - 1}) n WHERE one.id = '${source}') AS made`)
        )
      }
    }
    await copies("customers", customerId, `'reference_id', n::text`)
    await copies("sites", siteId, `'address_hash', n::text`)
    await copies(
      "devices",
      deviceId,
      `'site_id', CASE WHEN n % 10 = 0 THEN NULL ELSE ${name("n")} END, 'manufacturer_device_id', n::text, 'reference_id', n::text`
    )
    await copies(
      "enrollments",
      enrollmentId,
      `'customer_id', ${name("n")}, 'site_id', CASE WHEN n % 2 = 0 THEN NULL ELSE ${name("n")} END,
        'status', CASE WHEN n % 10 = 0 THEN 'candidate' WHEN n % 1000 = 1 THEN 'rejected' ELSE 'approved' END,
        'approved_at', now(), 'reference_id', n::text, 'tags', jsonb_build_array('group-' || n % 500)`
    )
    const statements = [
      `INSERT INTO customer_sites SELECT workspace_id, id, id FROM customers WHERE id <= '${id(ENROLLMENTS)}'`,
      ...["customers", "sites", "devices", "enrollments", "customer_sites"].map((table) => `ANALYZE ${table}`)
    ]
    for (const statement of statements) await app.sql((sql) => sql.unsafe(statement))
  }, 240_000)

  const tables = /Seq Scan on (enrollments|devices|sites|customers|customer_sites)/

  const expectBounded = (plans: ReadonlyArray<string>, most: number) => {
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan).not.toMatch(tables)
      for (const [, rows] of plan.matchAll(/actual rows=([\d.]+)/g))
        expect(Number(rows), plan).toBeLessThanOrEqual(most)
    }
  }

  const list = (query: string) => async () => {
    const response = await place.call(
      "GET",
      `/v1/programInstances/${instanceId}/enrollments?perPage=${PER_PAGE}${query}`
    )
    expect(response.status).toBe(200)
    expect(response.body.data.length).toBeGreaterThan(0)
  }

  test.each([
    ["without filters", ""],
    ["by status", "&status=rejected"],
    ["by customer", `&customerId=${id(4711)}`],
    ["by site", `&siteId=${id(4711)}`],
    ["by reference", "&referenceId=4711"],
    ["by tag", "&tag=group-77"]
  ])("list a page %s by an index", async (_, query) => {
    const plans = await plansDuring(app, server.log, "reference_description AS", list(query))
    expectBounded(plans, 500)
  })

  test("find the sites of a page by indexes, in one statement", async () => {
    const plans = await plansDuring(app, server.log, "WITH given AS MATERIALIZED", list(""))
    expect(plans).toHaveLength(1)
    expectBounded(plans, 500)
  })

  test("count the enrollments of a filter by an index", async () => {
    const plans = await plansDuring(app, server.log, "count(*)::int AS n FROM enrollments", list("&tag=group-77"))
    expectBounded(plans, 500)
  })

  test("look at waiting candidates by their index, 2000 at a time, and judge none without a device", async () => {
    const plans = await plansDuring(app, server.log, "WITH walked AS MATERIALIZED", () => place.sweep())
    expect(plans).toHaveLength(ENROLLMENTS / 10 / 2000 + 1)
    expectBounded(plans, 2000)
  })

  test("find whether a customer is enrolled by the index of live enrollments", async () => {
    const body = { identificationType: "customerId", customerId: id(4711) }
    const plans = await plansDuring(app, server.log, "SELECT customer_id AS id FROM enrollments", () =>
      place.check(instanceId, body)
    )
    expectBounded(plans, 10)
  })
})
