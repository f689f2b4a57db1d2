import { describe, expect, it } from "vitest"
import { checkTables, tableRules } from "./checkTables.ts"
import { tablesIn } from "./sqlTables.ts"

const server = "packages/server/src"
const ground = `${server}/platform`

/** The rules that a statement in a file breaks, without exceptions. */
const check = (path: string, text: string) => [
  ...new Set(checkTables([{ path, text }], [], new Set(["unowned"])).map(({ rule }) => rule))
]

/** A file, and a text in it that the rule must refuse. */
// prettier-ignore
const refused: ReadonlyArray<readonly [rule: string, path: string, text: string]> = [
  [tableRules.owned, `${server}/sites/SitesRepository.ts`, "sql`SELECT 1 FROM unowned`"],

  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql`INSERT INTO devices (id) VALUES (${id})`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql<Row>`UPDATE devices d SET name = ${name} FROM held`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "query(sql`DELETE FROM devices WHERE id = ${id}`.unprepared)"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql`TRUNCATE devices`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql`MERGE INTO devices USING given ON given.id = devices.id`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql`LOCK TABLE devices IN EXCLUSIVE MODE`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql`WITH gone AS (DELETE FROM ONLY devices RETURNING id) SELECT id FROM gone`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql`INSERT INTO ${sql(\"devices\")} ${sql.insert(row)}`"],
  [tableRules.written, `${server}/alerts/AlertsRepository.ts`, "sql.unsafe(\"UPDATE devices SET name = ''\")"],
  [tableRules.written, `${server}/app/Health.ts`, "sql`DELETE FROM workspaces`"],
  [tableRules.written, `${server}/main.ts`, "sql`DELETE FROM workspaces`"],
  [tableRules.written, `${server}/events/EventsRepository.ts`, "sql`DELETE FROM events`"],

  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`SELECT name FROM devices`"],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`SELECT FROM alerts a, LATERAL (SELECT 1) AS one, devices`"],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`SELECT FROM alerts LEFT JOIN devices d ON d.id = device_id`"],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`DELETE FROM alerts USING devices WHERE devices.id = device_id`"],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`UPDATE alerts SET title = d.name FROM devices d`"],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`SELECT EXISTS (SELECT FROM devices FOR UPDATE) AS found`"],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "const joins = \"JOIN devices d ON d.id = device_id\""],
  [tableRules.read, `${server}/alerts/AlertsRepository.ts`, "sql`SELECT FROM (devices JOIN alerts ON true)`"],
  [tableRules.read, `${server}/alerts/alertRow.ts`, "sql.literal(`SELECT name FROM devices`)"],

  [tableRules.order, `${server}/sites/SitesRepository.ts`, "sql`SELECT name FROM devices`"],
  [tableRules.order, `${server}/workspaces/WorkspacesRepository.ts`, "sql`SELECT 1 FROM api_keys FOR UPDATE`"],

  [tableRules.ground, `${ground}/sql/lists.ts`, "sql`SELECT name FROM devices`"],
  [tableRules.ground, `${ground}/sql/lists.ts`, "sql`UPDATE devices SET name = ''`"],
  [tableRules.ground, `${ground}/sql/lists.ts`, "const table = \"devices\""],
  [tableRules.ground, `${ground}/sql/lists.ts`, "sql`SELECT FROM given WHERE devices.id = given.id`"],
  [tableRules.ground, `${ground}/outbox/EventOutbox.ts`, "sql`SELECT pg_relation_size(${\"device_states\"})`"]
]

/** Texts that look like the refused ones and are allowed. */
// prettier-ignore
const accepted: ReadonlyArray<readonly [path: string, text: string]> = [
  [`${server}/devices/DevicesRepository.ts`, "sql`INSERT INTO devices (id) SELECT id FROM sites_given`"],
  [`${server}/alerts/AlertsRepository.ts`, "// sql`UPDATE devices SET name = ''`\n/* DELETE FROM devices */"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT 1 -- FROM devices\n FROM alerts /* JOIN devices */`"],
  [`${server}/alerts/AlertsRepository.ts`, "const message = \"Readings come from devices, and update devices\""],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT 'FROM devices' AS text FROM alerts`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`WITH devices AS (SELECT 1) SELECT FROM alerts JOIN devices ON true`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`WITH held (id) AS MATERIALIZED (${one}), devices AS NOT MATERIALIZED (SELECT 1) SELECT FROM devices`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`WITH devices AS (SELECT 1) ${sql`SELECT FROM devices`}`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT devices.name, count(devices) FROM alerts WHERE alerts.type IS DISTINCT FROM devices.type`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT extract(epoch FROM devices), trim(both FROM sites) FROM alerts`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT FROM unnest(${ids}::text[]) AS devices (id) FOR UPDATE OF devices`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`INSERT INTO alerts (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET title = 'devices'`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT FROM alerts ORDER BY id, devices`"],
  [`${server}/alerts/AlertsRepository.ts`, "sql`SELECT relname FROM pg_class JOIN pg_inherits ON true`"],
  [`${server}/alerts/AlertsRepository.ts`, "import { Devices } from \"../devices/Devices.ts\""],
  [`${ground}/outbox/EventOutbox.ts`, "sql`INSERT INTO events (id) SELECT nextval('event_sequence')`"],
  [`${ground}/http/paths.ts`, "const path = \"/v1/devices\"; const name = \"devices of a site\""],
  [`${ground}/sql/migrations/0001_create_ground.ts`, "sql`CREATE TABLE devices (id text); UPDATE devices SET id = ''`"],
  ["test/server/devices/Devices.test.ts", "sql`DELETE FROM devices`"]
]

describe("the rules of tables", () => {
  it.each(refused)("%s: %s may not have `%s`", (rule, path, text) => {
    expect(check(path, text)).toContain(rule)
  })

  it.each(accepted)("%s may have `%s`", (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  it("each refuse something here, but for the one about exceptions", () => {
    const tried = new Set(refused.map(([rule]) => rule))
    expect(Object.values(tableRules).filter((rule) => !tried.has(rule))).toEqual([tableRules.stale])
  })

  const reads = { path: `${server}/alerts/AlertsRepository.ts`, text: "sql`SELECT name FROM devices`" }
  const exception = { reader: "alerts", tables: ["devices"], reason: "an alert copies the device's name" }

  it("allow a read that an exception names", () => {
    expect(checkTables([reads], [exception])).toEqual([])
  })

  it("refuse an exception that nothing needs", () => {
    const rules = checkTables([reads], [{ ...exception, tables: ["devices", "sites"] }]).map(({ rule }) => rule)
    expect(rules).toEqual([tableRules.stale])
  })

  it("have no exceptions for writes, for the order of slices and for the ground", () => {
    const sources = [
      { path: reads.path, text: "sql`DELETE FROM devices`" },
      { path: `${server}/alerts/AlertsRepository.ts`, text: "sql`SELECT 1 FROM dispatches`" },
      { path: `${ground}/sql/lists.ts`, text: "sql`SELECT 1 FROM devices`" }
    ]
    const all = ["alerts", "platform/sql"].map((reader) => ({
      ...exception,
      reader,
      tables: ["devices", "dispatches"]
    }))
    const rules = new Set(checkTables(sources, all).map(({ rule }) => rule))
    expect(rules).toEqual(new Set([tableRules.written, tableRules.order, tableRules.ground, tableRules.stale]))
  })

  it("name the file and the line of a statement", () => {
    const text = "const one = sql`\n  SELECT 1\n  FROM devices`"
    expect(checkTables([{ path: reads.path, text }], []).map(({ place }) => place)).toEqual([`${reads.path}:3`])
    expect(tablesIn("one.ts", text)).toEqual([{ table: "devices", kind: "read", line: 3 }])
  })
})
