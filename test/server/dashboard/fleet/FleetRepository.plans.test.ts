import { everyAlert } from "@edp/domain/alerts/AlertConfiguration"
import type { FleetFilters } from "@edp/domain/dashboard/Fleet"
import { FleetCountsRepository } from "@edp/server/dashboard/fleet/FleetCountsRepository"
import { type FleetSort, FleetRepository } from "@edp/server/dashboard/fleet/FleetRepository"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, expect, test } from "vitest"
import { seedFleet } from "../../../support/fleet.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { readRows } from "../../devices/readRows.ts"

const DEVICES = 20_000
const LIMIT = 100
const repositories = Layer.merge(FleetRepository.layer, FleetCountsRepository.layer)

describePostgres("statements on a large fleet", () => {
  let server: PostgresServer
  let workspaceId: string
  beforeAll(async () => {
    server = await startPostgres({ fsync: false, settings: { autovacuum: "off" } })
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })
  beforeAll(async () => {
    workspaceId = (await app.workspace()).workspaceId
    await app.run(seedFleet({ workspaceId, devices: DEVICES }))
    const other = await app.workspace()
    await app.run(seedFleet({ workspaceId: other.workspaceId, devices: 5000 }))
    await app.sql((sql) => sql`VACUUM ANALYZE`)
  })

  const selection = (filters: FleetFilters) => ({ workspaceId, filters, now: new Date() })
  const reading = <A, E>(
    read: (repository: FleetRepository["Service"], counts: FleetCountsRepository["Service"]) => Effect.Effect<A, E>
  ) =>
    app.run(
      Effect.gen(function* () {
        return yield* readRows(read(yield* FleetRepository, yield* FleetCountsRepository))
      }).pipe(Effect.provide(repositories))
    )
  const window = (filters: FleetFilters, sort: FleetSort, offset: number, total: number) =>
    reading((repository) => repository.ids(selection(filters), sort, LIMIT, offset, total))

  test.each([
    [{}, "newest", "devices_by_workspace"],
    [{}, "name", "devices_by_name"],
    [{ type: ["battery"] }, "newest", "devices_by_type"],
    [{ manufacturer: ["generic"] }, "newest", "devices_by_manufacturer"],
    [{ tag: ["pilot"] }, "newest", "device_tags_pkey"]
  ] as ReadonlyArray<readonly [FleetFilters, FleetSort, string]>)(
    "%j by %s: an index has the window, which reads no more than the rows before it",
    async (filters, sort, index) => {
      for (const offset of [0, 1000]) {
        const { indexes, rows } = await window(filters, sort, offset, DEVICES)
        expect([...indexes]).toContain(index)
        expect(rows).toBeLessThanOrEqual(offset + LIMIT + 10)
      }
    }
  )

  test("the details of a window are looked up by the ids of its rows", async () => {
    const { response: ids } = await window({}, "newest", 10_000, DEVICES)
    const { response, rows } = await reading((repository) => repository.rows(selection({}), everyAlert, ids))
    expect(response.map(({ id }) => id)).toEqual(ids)
    expect(rows).toBeLessThan(DEVICES / 2)
  })

  test.each(["SN-000012", "Garage battery 14", "c"])("the search for %s reads the matches of an index", async (q) => {
    const { response: total, rows } = await reading((repository) => repository.count(selection({ q }), 100))
    if (q === "c") expect(total).toBe(100)
    else expect(rows).toBeLessThanOrEqual(3 * total + 30)
  })

  test("a window by reachability reads no more than all devices with their states", async () => {
    for (const offset of [0, 8000]) {
      const { rows } = await window({ onlineStatus: ["online"] }, "newest", offset, DEVICES * 0.8)
      expect(rows).toBeLessThan(3 * DEVICES)
    }
  })

  test("the map of a small box reads the sites of its latitudes and their devices", async () => {
    const box = { west: -122.6, south: 37.2, east: -121.7, north: 38 }
    const { response, indexes, rows } = await reading((_, counts) =>
      counts.cells(selection({}), everyAlert, box, 0.1, 4096)
    )
    expect(response.length).toBeGreaterThan(5)
    expect([...indexes]).toContain("sites_by_place")
    expect(rows).toBeLessThan(DEVICES)
  })

  test("the map of the whole earth reads each device with its state and site once, and its sites and alerts once more", async () => {
    const earth = { west: -180, south: -90, east: 180, north: 90 }
    const { rows } = await reading((_, counts) => counts.cells(selection({}), everyAlert, earth, 2.8125, 4096))
    // There are half as many sites as devices. Alerts are placed by the devices and sites once more; a scan meets those of others.
    expect(rows).toBeLessThan(6 * DEVICES)
  })

  test("the numbers of the whole fleet read each device and its state once, for few groups", async () => {
    const { expectedGroups, rows } = await reading((_, counts) => counts.groups(selection({})))
    expect(rows).toBeLessThan(3 * DEVICES)
    expect(expectedGroups).toBeLessThan(1000)
  })

  test.each(["last-reported", "longest-silent"] as const)(
    "devices by %s are sorted by several processes where the planner has some",
    async (sort) => {
      const { response, rows, steps } = await app.run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const repository = yield* FleetRepository
          // As for a fleet for which a process more pays.
          yield* sql`SET LOCAL parallel_setup_cost = 0`
          yield* sql`SET LOCAL parallel_tuple_cost = 0`
          yield* sql`SET LOCAL min_parallel_table_scan_size = 0`
          return yield* readRows(repository.ids(selection({}), sort, LIMIT, 1000, DEVICES))
        }).pipe(
          (effect) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect)),
          Effect.provide(repositories)
        )
      )
      expect(response).toHaveLength(LIMIT)
      expect(rows).toBeLessThan(3 * DEVICES)
      expect([...steps]).toContain("Gather Merge")
    }
  )
})
