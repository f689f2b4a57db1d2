import { DispatchRunner } from "@edp/server/dispatches/DispatchRunner"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { plansDuring, startExplaining } from "../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { rounds } from "../../support/rounds.ts"
import { arrangeDispatches, MINUTE } from "./arrangeDispatches.ts"

/** Dispatches of the past, and the devices of each. 1,000 of them have a million devices. */
const PAST = Math.min(1000, rounds(150))
const DEVICES = 1000
const HOMES = 3

describePostgres("the runner of dispatches among many that have ended", () => {
  let server: PostgresServer
  const clock = movableClock(Date.now())
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url, clock })
  const run = () => app.run(Effect.flatMap(DispatchRunner, ({ runDue }) => runDue))
  const note = () => app.run(Effect.flatMap(DispatchRunner, ({ recordOutcomes }) => recordOutcomes))

  let place: Awaited<ReturnType<typeof arrangeDispatches>>
  let dispatchId: string
  let siteId: string
  beforeAll(async () => {
    place = await arrangeDispatches(app, clock)
    for (let n = 0; n < HOMES; n++) siteId = (await place.home()).siteId
    const name = (n: string) => `'c' || lpad(${n}::text, 24, '0')`
    const { id } = await place.create({ status: "draft" })
    for (const statement of [
      `INSERT INTO dispatches SELECT copy.* FROM dispatches d, generate_series(1, ${PAST}) n,
        jsonb_populate_record(d, jsonb_build_object('id', ${name("n")}, 'status', 'completed',
          'starts_at', now() - interval '30 days', 'ends_at', now() - interval '29 days')) AS copy WHERE d.id = '${id}'`,
      `INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out, starts_at, reasons,
          updated_at)
        SELECT ${name("d")}, ${name("n")}, ${name("n")}, ${name("n")}, 'done', false, now(), '[]', now()
        FROM generate_series(1, ${PAST}) d, generate_series(1, ${DEVICES}) n`,
      `INSERT INTO dispatch_devices (dispatch_id, device_id, site_id, type, phase, interval_index, outcome)
        SELECT ${name("d")}, ${name("n")}, ${name("n")}, 'battery', 'ended', 0, 'completed'
        FROM generate_series(1, ${PAST}) d, generate_series(1, ${DEVICES}) n`,
      `INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id, site_id, status,
          tags, submits, approved_at, unenrolled_at, created_at, updated_at)
        SELECT ${name("n")}, '${place.workspaceId}', '${place.instance.id}', 'customerId', ${name("n")}, ${name("n")},
          'unenrolled', '{}', true, now() - interval '30 days', now() - interval '20 days', now(), now()
        FROM generate_series(1, 20000) n`,
      "ANALYZE"
    ]) {
      await app.sql((sql) => sql.unsafe(statement))
    }
    dispatchId = (await place.create({})).id
  }, 300_000)

  const expectIndexed = (plans: ReadonlyArray<string>, most: number) => {
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      // The dispatches themselves are few here, so that reading them all may be cheaper than an index.
      expect(plan).not.toMatch(/Seq Scan on (dispatch_sites|dispatch_devices|enrollments)/)
      for (const [, rows, loops] of plan.matchAll(/actual rows=([\d.]+) loops=(\d+)/g)) {
        expect(Number(rows) * Number(loops), plan).toBeLessThanOrEqual(most)
      }
    }
  }

  test("begins a dispatch, commands its devices and ends it by indexes alone", async () => {
    clock.move(MINUTE)
    const most = HOMES * 4
    const begin = async () => expectIndexed(await plansDuring(app, server.log, "dispatch", run), most)
    await begin()
    expect(await place.issued()).toHaveLength(HOMES)
    expectIndexed(await plansDuring(app, server.log, "late_result ->>", note), most)
    for (const { deviceId } of await place.issued()) await place.settle(deviceId, "completed")
    expectIndexed(await plansDuring(app, server.log, "dispatch", note), most)
    expectIndexed(await plansDuring(app, server.log, "dispatch", () => place.optOut(dispatchId, siteId)), most)
    clock.move(60 * MINUTE)
    await begin()
    expect((await place.read(dispatchId)).status).toBe("completed")
  })

  test("finds nothing to do without reading any row", async () => {
    await app.sql((sql) => sql`UPDATE dispatches SET due_at = NULL, status = 'completed' RETURNING 1`)
    await app.sql((sql) => sql`UPDATE dispatch_devices SET due_at = NULL WHERE due_at IS NOT NULL RETURNING 1`)
    expectIndexed(await plansDuring(app, server.log, "dispatch", run), 0)
    expectIndexed(await plansDuring(app, server.log, "dispatch", note), 0)
  })

  test("lists a page of participants with their reasons by indexes", async () => {
    const [old] = await app.sql<{ readonly id: string }>((sql) => sql`SELECT id FROM dispatches ORDER BY id LIMIT 1`)
    const list = () => place.get(`/v1/dispatches/${old!.id}/participants?page=2&perPage=20`)
    const plans = await plansDuring(app, server.log, "dispatch_devices", list)
    expectIndexed(plans, 60)
  })
})
