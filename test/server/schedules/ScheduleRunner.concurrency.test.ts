import { Client } from "pg"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { eventually } from "../../support/eventually.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeSchedules, at, charge, idle, rule } from "./arrangeSchedules.ts"
import { ScheduleRunner } from "@edp/server/schedules/ScheduleRunner"
import { Effect } from "effect"
import { atOnce } from "../../support/races.ts"

const DUE = "2026-06-01T22:00:00Z"
const night = rule("22:00", "06:00", charge)

describePostgres("due transitions on two instances", () => {
  const databases = useDatabases()
  const apps = [
    useTestApp({ databaseUrl: () => databases.url }),
    useTestApp({ databaseUrl: () => databases.url })
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
  beforeEach(() => app.sql((sql) => sql`DELETE FROM schedules`))

  const runOn = (instance: (typeof apps)[number]) =>
    instance.run(at(DUE)(Effect.flatMap(ScheduleRunner, ({ runDue }) => runDue)))

  /** Batteries of a tag, some of which have a schedule of their own; all are due. */
  const arrange = async (devices: number, own: number) => {
    const place = await arrangeSchedules(app)
    const { workspaceId } = place
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id,
          reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
        SELECT ${workspaceId} || n, ${workspaceId}, ${workspaceId}, 'Battery', 'generic', n, 'user-1', 'Generic battery',
          'battery', '{battery:set-operating-mode}', '{fleet}', true, now(), now(), now()
        FROM generate_series(1, ${devices}::int) n`
    )
    const { id } = await place.create({ target: { tag: "fleet" }, rules: [night], defaultMode: idle })
    await app.sql(
      (sql) => sql`INSERT INTO schedules (id, workspace_id, name, device_id, device_type, timezone, default_mode, rules,
          enabled, created_at, updated_at)
        SELECT 'own' || device.id, workspace_id, 'Own', device.id, device_type, schedule.timezone, default_mode, rules,
          true, now(), now()
        FROM schedules schedule JOIN (SELECT id, workspace_id FROM devices ORDER BY id) device USING (workspace_id)
        WHERE schedule.id = ${id} ORDER BY device.id LIMIT ${own}`
    )
    await app.sql((sql) => sql`UPDATE schedules SET next_transition_at = ${new Date(DUE)}`)
    return place
  }

  test("are issued once to each device, whatever number of runs there are at a time", async () => {
    const { issued } = await arrange(1500, 1200)
    const moved = await atOnce(8, (index) => runOn(apps[index % 2]!))
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(1201)
    const rows = await issued()
    expect([rows.length, new Set(rows.map(({ deviceId }) => deviceId)).size]).toEqual([1500, 1500])
    expect(rows.filter(({ sourceId }) => sourceId.startsWith("own"))).toHaveLength(1200)
    expect(await runOn(app)).toBe(0)
    const left = await app.sql(
      (sql) => sql`SELECT FROM schedules WHERE next_transition_at IS DISTINCT FROM '2026-06-02T06:00:00Z'`
    )
    expect(left).toEqual([])
  })

  test("are issued once to each device when the connection dies between the claim and the commit", async () => {
    const { issued } = await arrange(40, 20)
    await holder.query("BEGIN; LOCK TABLE commands IN ACCESS EXCLUSIVE MODE")
    const run = runOn(app)
    const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query LIKE '%commands%' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`
    await eventually("the run waits with its claim", async () => {
      const { rows } = await watcher.query(`SELECT pid ${waiting}`)
      return rows.length > 0 ? true : undefined
    })
    await watcher.query(`SELECT pg_terminate_backend(pid) ${waiting}`)
    await holder.query("COMMIT")
    expect(await run).toBe(21)
    const rows = await issued()
    expect([rows.length, new Set(rows.map(({ deviceId }) => deviceId)).size]).toEqual([40, 40])
    expect(await runOn(apps[1])).toBe(0)
  })
})
