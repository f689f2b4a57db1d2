import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { commandLimits } from "@edp/server/commands/commandLimits"
import { firstIdAt } from "@edp/server/platform/Ids"
import { Effect, Logger } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDirect } from "../readings/ingest/arrangeDirect.ts"
import { commandSweeps } from "./arrangeConfirmations.ts"

const SCHEDULED = 60_000
const DELIVERED = 2000
const ENDED = 20_000
const DEVICES = 500

/** Scheduled for next month, delivered and waiting for their confirmation, and timed out long ago. */
describePostgres("the sweeps over many commands", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })
  const { confirm, findLate, timeOut } = commandSweeps(app)

  let deviceId: string
  let key: string
  beforeAll(async () => {
    const place = await arrangeDirect(app)
    key = place.key
    deviceId = (await place.device("battery")).id
    const state = { chargingState: "idle", charge: 5000, chargePercentage: 50, whConsumed: null, backupReserve: 20 }
    await place.push(deviceId, { state })
    const name = (n: string) => `'c' || lpad(${n}::text, 24, '0')`
    const [columns] = await app.sql<{ readonly names: string }>(
      (sql) => sql`SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
        WHERE attrelid = 'devices'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`
    )
    const statements = [
      `INSERT INTO devices (${columns!.names}) SELECT ${columns!.names} FROM (
        SELECT (jsonb_populate_record(d, jsonb_build_object('id', ${name("n")}, 'manufacturer_device_id', n::text,
          'reference_id', ${name("n")}))).* FROM devices d, generate_series(1, ${DEVICES}) n WHERE d.id = '${deviceId}') AS made`,
      `INSERT INTO device_states SELECT copy.* FROM device_states s, generate_series(1, ${DEVICES}) n,
        jsonb_populate_record(s, jsonb_build_object('device_id', ${name("n")})) AS copy WHERE s.device_id = '${deviceId}'`,
      `INSERT INTO commands (id, workspace_id, device_id, type, input, source, status, reason, issued_at, scheduled_for,
          expires_at, handed_at, delivered_at, executed_at, due_at, deadline)
        SELECT ${name("n")}, '${place.workspaceId}', CASE WHEN status = 'failed' THEN '${deviceId}' ELSE ${name(`(1 + n % ${DEVICES})`)} END,
          'battery:set-reserve', '{"chargePercentage": 30}', 'user', status, CASE WHEN status = 'failed' THEN 'timeout' END,
          now(), CASE WHEN status = 'scheduled' THEN later END, later, given, given, CASE WHEN status = 'failed' THEN given END, later, later
        FROM (SELECT n, now() + interval '30 days' + n * interval '1 second' AS later,
          CASE WHEN n > ${SCHEDULED} THEN now() - interval '1 day' END AS given,
          CASE WHEN n <= ${SCHEDULED} THEN 'scheduled' WHEN n <= ${SCHEDULED + DELIVERED} THEN 'delivered' ELSE 'failed' END AS status
          FROM generate_series(1, ${SCHEDULED + DELIVERED + ENDED}) n) AS made`,
      "ANALYZE commands",
      "ANALYZE devices",
      "ANALYZE device_states"
    ]
    for (const statement of statements) await app.sql((sql) => sql.unsafe(statement))
  })

  const expectIndexed = (plans: ReadonlyArray<string>, most: number) => {
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan on (commands|devices|device_states)/)
      for (const [, rows] of plan.matchAll(/actual rows=([\d.]+)/g)) expect(Number(rows)).toBeLessThanOrEqual(most)
    }
  }

  test.each([
    ["time-outs", "deadline <=", timeOut],
    ["due looks", "c.status = 'delivered' AND c.due_at", confirm],
    ["interrupted calls", "c.interruptions > 1", confirm],
    ["late results", "c.reason = 'timeout'", findLate]
  ])("find no %s without reading any command", async (_, word, sweep) => {
    expectIndexed(await plansDuring(app, server.log, word, sweep), 0)
  })

  test("look at due commands by indexes, 500 at a time", async () => {
    await app.sql(
      (sql) =>
        sql`UPDATE commands SET due_at = now() WHERE status = 'delivered' AND id <= ${`c${String(SCHEDULED + 700).padStart(24, "0")}`} RETURNING 1`
    )
    const plans = await plansDuring(app, server.log, "c.status = 'delivered' AND c.due_at", confirm)
    expect(plans).toHaveLength(4)
    expectIndexed(plans, 500)
  })

  test("a list of a day reads the commands of no more than two days", async () => {
    const { keys, workspaceId } = await app.workspace()
    const [first, step] = [Date.now() - 100 * 86_400_000, 600_000]
    const issued = Array.from({ length: 10_000 }, (_, n) => first + n * step).map((at) => ({
      id: `${firstIdAt(at)}${"0".repeat(16)}`,
      at: new Date(at)
    }))
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO commands (id, workspace_id, device_id, type, input, source, status, issued_at, expires_at, due_at, deadline)
        SELECT id, ${workspaceId}, ${deviceId}, 'battery:set-reserve', '{}', 'user', 'completed', at, at, at, at
        FROM jsonb_to_recordset(${JSON.stringify(issued)}::jsonb) AS given (id text, at timestamptz)`
    )
    await app.sql((sql) => sql.unsafe("ANALYZE commands"))
    const day = { from: issued[5000]!.at.toISOString(), to: issued[5144]!.at.toISOString() }
    const list = async () => {
      const { body } = await app.call("GET", `/v1/commands?${new URLSearchParams(day)}`, { key: keys.SERVER })
      expect([body.totalItems, body.data[0].id]).toEqual([144, issued[5143]!.id])
    }
    const plans = await plansDuring(app, server.log, "c.issued_at >=", list)
    expectIndexed(plans, 144)
    for (const plan of plans) expect(plan).not.toMatch(/Removed by Filter: (?:\d{4,}|[2-9]\d\d)/)
  })

  test("a claim reads the devices that it takes, although the statistics know of none that is due", async () => {
    const step = () => app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    for (const statement of [
      "INSERT INTO device_work (device_id, manufacturer, due_at) SELECT id, manufacturer, 'infinity' FROM devices ON CONFLICT DO NOTHING",
      "ANALYZE device_work",
      "UPDATE device_work SET due_at = now() - interval '1 minute'"
    ])
      await app.sql((sql) => sql.unsafe(statement))
    const plans = await plansDuring(app, server.log, "UPDATE device_work w SET claim = ", step)
    const claims = plans.filter((plan) => plan.includes("WITH RECURSIVE makers"))
    const most = commandLimits.devicesPerManufacturer
    expect(claims).toHaveLength(1)
    expect(claims[0]).toMatch(
      new RegExp(`LockRows .*\\n.*Index Scan using device_work_due .*actual rows=${most}(\\.0+)? `)
    )
    const taken = await app.sql((sql) => sql`SELECT FROM device_work WHERE holder IS NOT NULL`)
    expect(taken).toHaveLength(most)
  })

  test("leave the ended commands of a device unread when its manufacturer takes those that wait", async () => {
    const take = () => app.call("GET", `/devices/${deviceId}/commands?status=pending`, { key })
    expectIndexed(await plansDuring(app, server.log, "c.handed_at IS NOT NULL", take), 10)
  })
})
