import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { chooseIndex } from "@edp/server/devices/DeviceListRepository"
import { DeviceListRepository } from "@edp/server/devices/DeviceListRepository"
import { DeviceSearchRepository } from "@edp/server/devices/DeviceSearchRepository"
import { type DeviceQuery, deviceSelection } from "@edp/server/devices/deviceSelection"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { readRows } from "./readRows.ts"

const DEVICES = 60_000
const PER_PAGE = 50
const now = new Date("2026-03-31T12:00:00.000Z")
const makeId = (n: number) => `c${String(n).padStart(24, "0")}`

/** Each with the index that is to lead through it. */
const single: ReadonlyArray<readonly [query: DeviceQuery, index: string]> = [
  [{}, "devices_by_workspace"],
  [{ type: ["meter"] }, "devices_by_type"],
  [{ type: ["meter", "battery"] }, "devices_by_type"],
  [{ manufacturer: ["generic"] }, "devices_by_manufacturer"],
  [{ manufacturer: ["generic", "simulator"] }, "devices_by_manufacturer"],
  [{ model: ["Rare"] }, "devices_by_model"],
  [{ siteId: [makeId(7)] }, "devices_by_site"],
  [{ referenceId: ["user-7"] }, "devices_by_reference"],
  [{ manufacturerDeviceId: ["INV-77"] }, "devices_by_manufacturer_device"],
  [{ serialNumber: ["SN-77"] }, "devices_by_serial_number"],
  [{ serialNumber: ["nowhere"] }, "devices_by_serial_number"],
  [{ connected: "true" }, "devices_connected"],
  [{ connected: "false" }, "devices_disconnected"]
]
const tagged: ReadonlyArray<readonly [query: DeviceQuery, index: string]> = [
  [{ tag: ["most"] }, "device_tags_pkey"],
  [{ tag: ["few"] }, "device_tags_pkey"],
  [{ tag: ["most", "few"] }, "device_tags_pkey"]
]
const searched: ReadonlyArray<readonly [query: DeviceQuery]> = [
  [{ q: "roof" }],
  [{ q: "roof 777" }],
  [{ q: "nothing" }],
  [{ onlineStatus: ["online"] }],
  [{ onlineStatus: ["offline", "unknown"] }],
  [{ onlineStatus: ["asleep"] }],
  [{ type: ["meter"], tag: ["most"] }],
  [{ type: ["meter"], tag: ["few"] }],
  [{ type: ["meter"], manufacturer: ["generic"], connected: "true", q: "roof" }],
  [{ referenceId: ["user-7"], type: ["meter", "battery"] }]
]

describePostgres("lists of many devices", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ fsync: false, settings: { autovacuum: "off" } })
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  let workspaceId: string
  beforeAll(async () => {
    const { organizationId, ...place } = await app.workspace()
    workspaceId = place.workspaceId
    await app.sql(
      (sql) => sql`INSERT INTO workspaces SELECT 'other-' || n, ${organizationId}, 'Other ' || n, false, 'UTC', now(),
        now() FROM generate_series(0, 49) n`
    )
    await app.sql(
      (sql) => sql`INSERT INTO sites (id, workspace_id, street_one, city, state, postal_code, country, state_key,
          postal_key, address_hash, tags, created_at, updated_at)
        SELECT 'c' || lpad(n::text, 24, '0'), ${workspaceId}, n || ' Main Street', 'City', 'CA', '95814', 'USA', 'CA',
          '95814', 'hash-' || n, '{}', now(), now()
        FROM generate_series(0, 999) n`
    )
    // One device in ten is another workspace's, and the newest of all are: a list by the wrong index walks over them.
    await app.sql(
      (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
          manufacturer_device_id, serial_number, reference_id, model, type, commands, tags, direct, disconnected_at,
          created_at, updated_at)
        SELECT 'c' || lpad(n::text, 24, '0'), workspace, workspace, 'c' || lpad((n % 1000)::text, 24, '0'), 'Roof ' || n,
          (ARRAY['generic', 'simulator'])[1 + n % 2], 'INV-' || n, 'SN-' || n, 'user-' || n % 20000,
          CASE WHEN n % 500 = 0 THEN 'Rare' ELSE 'Usual' END, (ARRAY['battery', 'meter', 'inverter'])[1 + n % 3], '{}',
          CASE WHEN n < 100 THEN '{few}' ELSE '{most}' END::text[], true, CASE WHEN n % 100 = 0 THEN now() END, now(), now()
        FROM (SELECT n, CASE WHEN n % 10 = 1 OR n > ${DEVICES}::int - 2000 THEN 'other-' || n % 50 ELSE ${workspaceId} END
          AS workspace FROM generate_series(0, ${DEVICES}::int - 1) n) AS given`
    )
    await app.sql(
      (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state, reported_status)
        SELECT id, id, ${now}::timestamptz - (right(id, 6)::int % 3) * interval '14 minutes', ${now}, '{}',
          CASE WHEN right(id, 6)::int % 1000 = 2 THEN 'asleep' END
        FROM devices WHERE right(id, 6)::int % 4 <> 3`
    )
  })

  const reading = (query: DeviceQuery, before?: string) =>
    app.run(
      Effect.gen(function* () {
        const lists = yield* DeviceListRepository
        const searches = yield* DeviceSearchRepository
        const selection = deviceSelection({ type: "SERVER", workspaceId } as CurrentKey["Service"], query)!
        const lead = chooseIndex(selection)
        const part = { limit: PER_PAGE + 1, offset: 0, before }
        const count = yield* readRows(
          lead.alone
            ? Effect.map(lists.count(workspaceId, lead), (total) => ({ total, ids: null }))
            : searches.count(selection, part, now)
        )
        const { ids, total } = count.response
        const found = ids ? searches.chosen(ids, now) : searches.list(selection, part, total, now)
        const list = lead.alone ? lists.list(workspaceId, lead, part, now) : found
        return { count, page: yield* readRows(list) }
      })
    )

  /** Each device of a page with its state and its site, and what leads to them. */
  const pageful = (PER_PAGE + 1) * 7

  const byOneIndex = (query: DeviceQuery, index: string) =>
    test(`${JSON.stringify(query)}: every page reads little more than itself, including the last one`, async () => {
      for (const before of [undefined, makeId(60)]) {
        const { page } = await reading(query, before)
        expect([...page.indexes]).toContain(index)
        expect(page.rows).toBeLessThanOrEqual(
          pageful + (query.tag || query.type || query.manufacturer ? 2 * PER_PAGE : 0)
        )
      }
    })

  describe("before the first ANALYZE", () => {
    for (const [query, index] of single) byOneIndex(query, index)
  })

  describe("with statistics", () => {
    beforeAll(() => app.sql((sql) => sql`VACUUM ANALYZE`))
    for (const [query, index] of [...single, ...tagged]) byOneIndex(query, index)

    test.each([...single, ...tagged])(
      "%j: the count reads only matches, by the index unless that is nearly all",
      async (query, index) => {
        const { count } = await reading(query)
        if (Object.keys(query).length === 0) return expect(count.rows).toBeLessThan(1000)
        if (count.response.total > DEVICES / 2) return expect(count.rows).toBeLessThanOrEqual(2 * DEVICES)
        expect([...count.indexes]).toEqual([index])
        expect(count.rows).toBeLessThanOrEqual(count.response.total + 10)
      }
    )

    test.each(searched)("%j: a page reads no more than a few times what its count reads", async (query) => {
      const { count, page } = await reading(query)
      expect(page.rows).toBeLessThanOrEqual(count.rows + 5000)
    })

    test.each([[{ q: "roof" }], [{ onlineStatus: ["online"] }], [{ type: ["meter"], tag: ["most"] }]] as const)(
      "%j: a page of many matches is found among the newest devices",
      async (query) => {
        const { page } = await reading(query)
        expect(page.rows).toBeLessThan(DEVICES / 10)
      }
    )
  })
})
