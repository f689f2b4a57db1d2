import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../../support/PostgresServer.ts"
import { rounds } from "../../../support/rounds.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { BASE, openAdrClient, type VtnClient } from "../VtnWorld.ts"

/** Events, and as many reports. */
const OBJECTS = Math.min(1_000_000, rounds(60_000))
const FEEDERS = 500
const CLIENTS = 60

/** One object in ten is another workspace's, one event in three is for all VENs, and the newest ones of a hundred have not ended. */
describePostgres("the lists of the OpenADR server with many objects", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let bl: VtnClient
  let ven: VtnClient
  let idle: VtnClient
  beforeAll(async () => {
    const [place, other] = [await app.workspace(), await app.workspace()]
    bl = await openAdrClient(app, place, "OPENADR_BL")
    ven = await openAdrClient(app, place, "OPENADR_VEN")
    idle = await openAdrClient(app, place, "OPENADR_VEN")
    const owner = `CASE WHEN n % 10 = 0 THEN '${other.workspaceId}' ELSE '${place.workspaceId}' END`
    const client = `CASE WHEN n % ${CLIENTS} = 1 THEN '${ven.clientId}' ELSE 'client-' || n % ${CLIENTS} END`
    const id = (noun: string, n = "n") => `'${noun}-' || lpad((${n})::text, 8, '0')`
    const common = (noun: string, body: string, clientId = client) =>
      `${id(noun)}, ${owner}, ${clientId}, jsonb_build_object(${body}), now(), now()`
    const programs = 200
    // The time limit of the service's statements is too short for this.
    const database = new Client({ connectionString: server.url })
    await database.connect()
    for (const statement of [
      `INSERT INTO vtn_programs (id, workspace_id, client_id, body, created_at, modified_at, program_name)
        SELECT ${common("program", `'programName', 'Program ' || n`)}, 'Program ' || n FROM generate_series(0, ${programs}) n`,
      `INSERT INTO vtn_events (id, workspace_id, client_id, body, created_at, modified_at, vtn_program_id, priority, targets,
          ends_at)
        SELECT ${common("event", `'programID', ${id("program", `n % ${programs}`)}`)}, ${id("program", `n % ${programs}`)}, nullif(abs(hashint4(n)) % 3, 2),
          CASE WHEN n % 3 > 0 THEN ARRAY['feeder-' || n % ${FEEDERS}, 'all'] END,
          CASE WHEN n > ${OBJECTS} * 0.99 THEN now() + interval '1 day' WHEN n % 1000 > 0 THEN now() - interval '1 day' END
        FROM generate_series(1, ${OBJECTS}) n`,
      `INSERT INTO vtn_reports (id, workspace_id, client_id, body, created_at, modified_at, event_key, program_key, client_name)
        SELECT ${common("report", `'eventID', ${id("event", "n % 600")}, 'clientName', 'client-' || n % ${CLIENTS}, 'resources', '[]'::jsonb`)},
          ${id("event", "n % 600")}, ${id("program", `n % ${programs}`)}, 'client-' || n % ${CLIENTS}
        FROM generate_series(1, ${OBJECTS}) n`,
      `INSERT INTO vtn_vens (id, workspace_id, client_id, body, created_at, modified_at, ven_name, targets)
        SELECT ${common("ven", `'venName', 'ven-' || n`, "CASE n WHEN 1 THEN '" + ven.clientId + "' WHEN 2 THEN '" + idle.clientId + "' ELSE 'own-' || n END")},
          'ven-' || n, CASE n WHEN 1 THEN '{feeder-7,all}'::text[] WHEN 2 THEN '{feeder-none}' ELSE ARRAY['feeder-' || n % ${FEEDERS}] END
        FROM generate_series(1, 30000) n`,
      `INSERT INTO vtn_resources (id, workspace_id, client_id, body, created_at, modified_at, ven_id, resource_name, targets)
        SELECT ${common("resource", `'resourceName', 'resource-' || n, 'venID', ${id("ven", "1 + n % 1000")}`)},
          ${id("ven", "1 + n % 1000")}, 'resource-' || n, ARRAY['feeder-' || n % ${FEEDERS}]
        FROM generate_series(1, 30000) n WHERE n % ${CLIENTS} <> 1 OR n % 10 > 0`,
      `INSERT INTO vtn_subscriptions (id, workspace_id, client_id, body, created_at, modified_at, client_name, role, objects)
        SELECT ${common("subscription", `'clientName', 'client-' || n, 'objectOperations', '[]'::jsonb`)}, 'client-' || n, 'VEN', '{EVENT}'
        FROM generate_series(1, 30000) n`,
      // The targets of the resources would be the VEN's.
      `UPDATE vtn_resources SET targets = NULL WHERE client_id = '${ven.clientId}'`,
      "VACUUM ANALYZE vtn_events, vtn_reports, vtn_programs, vtn_vens, vtn_resources, vtn_subscriptions"
    ]) {
      await database.query(statement)
    }
    await database.end()
  }, 600_000)

  const clients = { bl: () => bl, ven: () => ven, idle: () => idle }

  /** The plan of a list, and the number of objects that it returned. */
  const explain = async (who: keyof typeof clients, kind: string, query: string) => {
    let found = -1
    const list = async () => {
      const { body, status } = await app.call("GET", `${BASE}/${kind}?${query}`, {
        headers: { Authorization: `Bearer ${clients[who]().token}` }
      })
      expect(status).toBe(200)
      found = body.length
    }
    const plans = await plansDuring(app, server.log, "WITH page", list)
    expect(plans).toHaveLength(1)
    return { plan: plans[0]!, found }
  }

  /** The rows that a plan has read in all, also those that it left out. */
  const countRead = (plan: string) => {
    const reads = plan.matchAll(/(?:Scan|Scan Backward)[^\n]*actual rows=([\d.]+) loops=(\d+)([^]*?)(?=->|$)/gu)
    return [...reads].reduce((sum, [, rows, loops, rest]) => {
      const [, removed = "0"] = /Rows Removed by (?:Filter|Index Recheck): (\d+)/u.exec(rest!) ?? []
      return sum + (Number(rows) + Number(removed)) * Number(loops)
    }, 0)
  }

  test.each([
    ["bl", "events", "", 50],
    ["bl", "events", "skip=1000&limit=10", 10],
    ["bl", "events", "active=true", 50],
    ["bl", "events", "programID=program-00000007", 50],
    ["bl", "events", "programID=program-00000007&active=true", undefined],
    ["bl", "events", "programID=program-unknown", 0],
    ["bl", "events", "targets=feeder-7", 50],
    ["bl", "events", "targets=feeder-7&targets=all", 50],
    ["bl", "events", "targets=all", 50],
    ["bl", "events", "targets=unknown", 0],
    ["bl", "events", "targets=unknown&active=true", 0],
    ["ven", "events", "", 50],
    ["ven", "events", "active=true", 50],
    ["ven", "events", "targets=feeder-7", 50],
    ["ven", "events", "targets=feeder-7&active=true", 50],
    ["ven", "events", "targets=all&skip=100", 50],
    ["ven", "events", "targets=feeder-8", 50],
    ["ven", "events", "targets=feeder-7&programID=program-00000007", 50],
    ["ven", "events", "programID=program-00000007&active=true", undefined],
    ["idle", "events", "targets=feeder-none", 50],
    ["idle", "events", "targets=feeder-none&active=true", 50],
    ["bl", "reports", "", 50],
    ["bl", "reports", "skip=1000&limit=10", 10],
    ["bl", "reports", "eventID=event-00000007", 50],
    ["bl", "reports", "eventID=event-unknown", 0],
    ["bl", "reports", "programID=program-00000007", 50],
    ["bl", "reports", "programID=program-unknown", 0],
    ["bl", "reports", "clientName=client-7", 50],
    ["bl", "reports", "clientName=unknown", 0],
    ["bl", "reports", "clientName=client-7&eventID=event-00000007", 50],
    ["ven", "reports", "", 50],
    ["ven", "reports", "eventID=event-00000001", 50],
    ["ven", "reports", "eventID=event-00000007", 0],
    ["ven", "reports", "clientName=unknown", 0],
    ["idle", "reports", "", 0],
    ["idle", "reports", "programID=program-00000007", 0],
    ["bl", "programs", "", 50],
    ["ven", "programs", "targets=feeder-7", 50],
    ["bl", "vens", "", 50],
    ["bl", "vens", "venName=ven-1001", 1],
    ["bl", "vens", "targets=feeder-8", undefined],
    ["ven", "vens", "", 1],
    ["bl", "resources", "", 50],
    ["bl", "resources", "venID=ven-00000008", undefined],
    ["bl", "resources", "resourceName=resource-1001", 1],
    ["bl", "resources", "resourceName=unknown", 0],
    ["bl", "resources", "targets=feeder-8", undefined],
    ["ven", "resources", "", 50],
    ["idle", "resources", "", 0],
    ["bl", "subscriptions", "", 50],
    ["ven", "subscriptions", "", 50],
    ["idle", "subscriptions", "", 0]
  ] as const)("for %s, %s by ?%s read hardly more than they show", async (who, kind, query, expected) => {
    const { found, plan } = await explain(who, kind, query)
    if (expected !== undefined) expect(found, plan).toBe(expected)
    expect(plan).not.toMatch(/Seq Scan on vtn_(events|reports|resources|vens|subscriptions)/u)
    // Events in progress, and those of a feeder, are few: they are sorted. What is left out before the page is read in an index.
    expect(countRead(plan), plan).toBeLessThan(Math.max(4000, OBJECTS / 40))
  })

  test("the reports of a client on an event are counted in an index alone", async () => {
    const report = () =>
      app.call("POST", `${BASE}/reports`, {
        headers: { Authorization: `Bearer ${ven.token}` },
        body: { eventID: "event-00000001", clientName: "client-1", resources: [] }
      })
    const [plan] = await plansDuring(app, server.log, "SELECT FROM vtn_reports WHERE event_key", report)
    expect(plan).toMatch(/Index Only Scan using vtn_reports_on_event_by_client/u)
  })
})
