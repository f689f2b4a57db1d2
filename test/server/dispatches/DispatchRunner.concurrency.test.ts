import { DispatchRunner } from "@edp/server/dispatches/DispatchRunner"
import { Effect, Logger } from "effect"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { eventually } from "../../support/eventually.ts"
import { movableClock } from "../../support/movableClock.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDispatches, charge, MINUTE } from "./arrangeDispatches.ts"
import { atOnce } from "../../support/races.ts"

/** Within this time all devices of a large dispatch have their commands, in milliseconds; the machine of the tests may be busy. */
const PROMPT = 30_000

describePostgres("due dispatches on two instances", () => {
  const databases = useDatabases()
  const clock = movableClock(Date.now())
  const apps = [
    useTestApp({ databaseUrl: () => databases.url, clock }),
    useTestApp({ databaseUrl: () => databases.url, clock })
  ] as const
  const [app] = apps
  let holder: Client
  let watcher: Client
  beforeAll(async () => {
    holder = new Client({ connectionString: databases.adminUrl })
    watcher = new Client({ connectionString: databases.adminUrl })
    await Promise.all([holder.connect(), watcher.connect()])
  })
  afterAll(() => Promise.all([holder.end(), watcher.end()]))

  const runOn = (instance: (typeof apps)[number]) =>
    instance.run(Effect.flatMap(DispatchRunner, ({ runDue }) => runDue).pipe(Effect.provide(Logger.layer([]))))

  /** Enrolled sites with a battery each. */
  const arrange = async (sites: number) => {
    const place = await arrangeDispatches(app, clock)
    const { instance, workspaceId } = place
    const site = (await place.site()).id
    const [columns] = await app.sql<{ readonly names: string }>(
      (sql) => sql`SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
        WHERE attrelid = 'sites'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`
    )
    const name = `substr('${site}', 1, 13) || lpad(n::text, 12, '0')`
    for (const statement of [
      `INSERT INTO sites (${columns!.names}) SELECT ${columns!.names} FROM (
        SELECT (jsonb_populate_record(s, jsonb_build_object('id', ${name}, 'address_hash', n::text,
          'hashed_address', n::text))).* FROM sites s, generate_series(1, ${sites}) n WHERE s.id = '${site}') AS made`,
      `INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer, manufacturer_device_id,
          reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
        SELECT ${name}, '${workspaceId}', '${workspaceId}', ${name}, 'Battery', 'generic', ${name}, 'user-1',
          'Generic battery', 'battery', '{battery:set-operating-mode}', '{}', true, now(), now(), now()
        FROM generate_series(1, ${sites}) n`,
      `INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id, site_id, status,
          tags, submits, submitted_at, approved_at, created_at, updated_at)
        SELECT ${name}, '${workspaceId}', '${instance.id}', 'customerId', ${name}, ${name}, 'approved', '{}', true,
          now() - interval '1 hour', now() - interval '1 hour', now(), now() FROM generate_series(1, ${sites}) n`
    ]) {
      await app.sql((sql) => sql.unsafe(statement))
    }
    return place
  }

  test("are issued once to each of 10,000 devices, promptly, whatever number of runs there are at a time", async () => {
    const { create, issued, live, read } = await arrange(10_000)
    const { id } = await create()
    clock.move(MINUTE)
    const begun = performance.now()
    await atOnce(4, (index) => runOn(apps[index % 2]!))
    await runOn(app)
    expect(performance.now() - begun).toBeLessThan(PROMPT)
    const rows = await issued()
    expect([rows.length, new Set(rows.map(({ deviceId }) => deviceId)).size]).toEqual([10_000, 10_000])
    expect((await read(id)).participants).toMatchObject({ notified: 0, running: 10_000 })
    clock.move(60 * MINUTE)
    await Promise.all(apps.map(runOn))
    await runOn(app)
    expect(await issued()).toHaveLength(10_000)
    expect(await live()).toEqual([])
    expect((await read(id)).participants).toMatchObject({ done: 10_000 })
  })

  test("are issued once to each device when the connection dies between the claim and the commit", async () => {
    const { create, issued, read } = await arrange(40)
    const { id } = await create({ intervals: [{ ...(await create()).intervals[0], actions: charge }] })
    clock.move(MINUTE)
    await holder.query("BEGIN; LOCK TABLE commands IN ACCESS EXCLUSIVE MODE")
    const run = runOn(app)
    const waiting = "FROM pg_locks WHERE relation = 'commands'::regclass AND NOT granted"
    await eventually("the run waits with its devices", async () => {
      const { rows } = await watcher.query(`SELECT pid ${waiting}`)
      return rows.length > 0 ? true : undefined
    })
    await watcher.query(`SELECT pg_terminate_backend(pid) ${waiting}`)
    await holder.query("COMMIT")
    await run
    await runOn(apps[1])
    const rows = await issued()
    expect([rows.length, new Set(rows.map(({ deviceId }) => deviceId)).size]).toEqual([40, 40])
    expect(await read(id)).toMatchObject({ status: "running" })
  })
})
