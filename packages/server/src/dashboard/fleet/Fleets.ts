import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  FLEET_CELLS_LIMIT,
  FLEET_CSV_LIMIT,
  FLEET_OFFSET_LIMIT,
  FLEET_WINDOW_LIMIT,
  type Fleet,
  type FleetCsvQuery,
  type FleetDevices,
  type FleetFilters,
  type FleetMap,
  type FleetMapQuery,
  type FleetWindow
} from "@edp/domain/dashboard/Fleet"
import { Clock, Context, Effect, Layer, Option, type Schema, Stream } from "effect"
import { AlertConfigurations } from "../../alerts/AlertConfigurations.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { reusing } from "../../platform/batching/reusing.ts"
import { cellSize, makeBox, wholeEarth } from "./fleetGrid.ts"
import { FleetCountsRepository } from "./FleetCountsRepository.ts"
import { type FleetSelection, FleetRepository } from "./FleetRepository.ts"
import { fleetCsvHeader, fleetCsvRows } from "./fleetCsv.ts"
import { toFleetDevice } from "./fleetRow.ts"
import { sumGroups } from "./fleetSums.ts"

type Caller = CurrentKey["Service"]
type Window = Schema.Struct.Type<typeof FleetWindow>
type CsvQuery = Schema.Struct.Type<typeof FleetCsvQuery>
type MapQuery = Schema.Struct.Type<typeof FleetMapQuery>

/** Rows of a file that are read together. */
const CSV_ROWS = 2000

/** The most that is counted. */
const COUNT_LIMIT = FLEET_OFFSET_LIMIT + FLEET_WINDOW_LIMIT

const KEPT_RESULTS = 500
/** Maps and windows are up to some 100 KB each. */
const KEPT_LISTS = 100

/** A file, and the number of devices that it has no room for. */
export interface FleetCsv {
  readonly text: Stream.Stream<string, DatabaseUnavailable>
  readonly leftOut: number
}

const onlyFilters = (given: FleetFilters): FleetFilters => {
  const { manufacturer, onlineStatus, q, siteId, status, tag, type } = given
  return { manufacturer, onlineStatus, q, siteId, status, tag, type } as FleetFilters
}

/** Numbers, rows and locations of a workspace's devices for the page of the fleet. */
export class Fleets extends Context.Service<
  Fleets,
  {
    readonly count: (caller: Caller, filters: FleetFilters) => Effect.Effect<Fleet, DatabaseUnavailable>
    readonly devices: (caller: Caller, query: Window) => Effect.Effect<FleetDevices, DatabaseUnavailable>
    readonly csv: (caller: Caller, query: CsvQuery) => Effect.Effect<FleetCsv, DatabaseUnavailable>
    readonly map: (caller: Caller, query: MapQuery) => Effect.Effect<FleetMap, DatabaseUnavailable>
  }
>()("@edp/server/Fleets") {
  static readonly layer = Layer.effect(
    Fleets,
    Effect.gen(function* () {
      const repository = yield* FleetRepository
      const counts = yield* FleetCountsRepository
      const configurations = yield* AlertConfigurations

      const select = Effect.fnUntraced(function* (workspaceId: string, given: FleetFilters) {
        const now = new Date(yield* Clock.currentTimeMillis)
        return { workspaceId, filters: onlyFilters(given), now } satisfies FleetSelection
      })

      const total = yield* reusing(KEPT_RESULTS, (workspaceId: string, filters: FleetFilters) =>
        Effect.flatMap(select(workspaceId, filters), (selection) => repository.count(selection, COUNT_LIMIT))
      )

      const count = yield* reusing(KEPT_RESULTS, (workspaceId: string, filters: FleetFilters) =>
        Effect.gen(function* () {
          const selection = yield* select(workspaceId, filters)
          const rules = yield* configurations.readRules(workspaceId)
          const [groups, alerts, totals] = yield* Effect.all(
            [counts.groups(selection), counts.alerts(selection, rules), counts.totals(workspaceId)] as const,
            { concurrency: 3 }
          )
          return {
            ...sumGroups(groups, alerts),
            sites: totals.sites,
            customers: totals.customers,
            accountsNeedingAction: totals.accounts,
            asOf: selection.now.toISOString()
          } satisfies Fleet
        })
      )

      const map = yield* reusing(KEPT_LISTS, (workspaceId: string, { bbox, zoom = 3, ...filters }: MapQuery) =>
        Effect.gen(function* () {
          const selection = yield* select(workspaceId, filters)
          const rules = yield* configurations.readRules(workspaceId)
          const box = bbox === undefined ? wholeEarth : makeBox(bbox)
          const [cells, withoutCoordinates, withoutSite] = yield* Effect.all(
            [
              counts.cells(selection, rules, box, cellSize(box, zoom), FLEET_CELLS_LIMIT),
              counts.unplaced(selection),
              counts.withoutSite(selection)
            ] as const,
            { concurrency: 3 }
          )
          return {
            cells: cells.map(({ id, name, ...cell }) => ({ ...cell, ...(name !== null && { site: { id, name } }) })),
            withoutCoordinates,
            withoutSite,
            asOf: selection.now.toISOString()
          } satisfies FleetMap
        })
      )

      const read = Effect.fnUntraced(function* (selection: FleetSelection, ids: ReadonlyArray<string>) {
        if (ids.length === 0) return []
        const rules = yield* configurations.readRules(selection.workspaceId)
        return (yield* repository.rows(selection, rules, ids)).map(toFleetDevice)
      })

      const window = yield* reusing(KEPT_LISTS, (workspaceId: string, query: Window) =>
        Effect.gen(function* () {
          const { limit = 100, offset = 0, sort = "newest" } = query
          const selection = yield* select(workspaceId, query)
          const counted = yield* total(workspaceId, selection.filters)
          const ids = yield* repository.ids(selection, sort, limit, offset, counted)
          const data = yield* read(selection, ids)
          // Devices may have been added since the count, so the total is never lower than what the window shows.
          const totalItems = data.length === 0 ? counted : Math.max(counted, offset + data.length)
          return { data, totalItems, offset, limit, asOf: selection.now.toISOString() } satisfies FleetDevices
        })
      )

      return {
        count: Effect.fn("Fleets.count")(({ workspaceId }, filters) => count(workspaceId, onlyFilters(filters))),
        devices: Effect.fn("Fleets.devices")(({ workspaceId }, query) => window(workspaceId, query)),
        csv: Effect.fn("Fleets.csv")(function* ({ workspaceId }, query) {
          const selection = { ...(yield* select(workspaceId, query)), ids: query.id }
          const counted = query.id === undefined ? yield* total(workspaceId, selection.filters) : query.id.length
          const rows = Stream.paginate({ before: undefined as string | undefined, left: FLEET_CSV_LIMIT }, (state) =>
            Effect.gen(function* () {
              const limit = Math.min(CSV_ROWS, state.left)
              const ids = yield* repository.before(selection, state.before, limit)
              const text = fleetCsvRows(yield* read(selection, ids))
              const left = state.left - ids.length
              const isLast = ids.length < limit || left === 0
              return [[text], isLast ? Option.none() : Option.some({ before: ids.at(-1), left })] as const
            })
          )
          return {
            text: Stream.concat(Stream.make(fleetCsvHeader), rows),
            leftOut: Math.max(0, counted - FLEET_CSV_LIMIT)
          }
        }),
        map: Effect.fn("Fleets.map")(({ workspaceId }, query) => map(workspaceId, query))
      }
    })
  )
}
