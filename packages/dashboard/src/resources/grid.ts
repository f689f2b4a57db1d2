import { withConventions } from "@edp/domain/auth/middleware"
import { GridApi } from "@edp/domain/grid/GridApi"
import type { GridConnectionStatus } from "@edp/domain/grid/GridConnection"
import type { GridEventStatus } from "@edp/domain/grid/GridEvent"
import type { GridReportStatus } from "@edp/domain/grid/GridReport"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"
import { readAll } from "../api/readAll.ts"

const api = withConventions(HttpApi.make("grid").add(GridApi))

export class GridClient extends AtomHttpApi.Service<GridClient>()("GridClient", { api, ...pageClient }) {}

const names = (id: string) => keys(`gridConnection:${id}`)

/** The queries that a new connection, or the end of one, changes: those of a removed one would not find it. */
export const gridConnectionsChanged = ["gridConnections"]

/** The queries that a change of a connection or of its programs changes. The dispatches of its events are planned anew. */
export const gridConnectionChanged = (id: string) => ["gridConnections", `gridConnection:${id}`, "dispatches"]

interface ConnectionSearch {
  readonly page?: number | undefined
  readonly status?: GridConnectionStatus | undefined
}

export const gridConnectionsQuery = ({ page = 1, status }: ConnectionSearch) =>
  GridClient.query("grid", "listConnections", {
    query: given({ page, perPage: 25, status: listed(status) }),
    reactivityKeys: keys("gridConnections")
  })

export const gridConnectionQuery = (id: string) =>
  GridClient.query("grid", "getConnection", { params: { id }, reactivityKeys: names(id) })

/** All programs of a connection, also for their names. */
export const gridProgramsQuery = Atom.family((id: string) =>
  GridClient.runtime
    .atom(GridClient.use((client) => readAll((query) => client.grid.listPrograms({ params: { id }, query }))))
    .pipe(dependingOn(names(id)))
)

/** The programs of utilities that a program instance follows. */
export const instanceGridProgramsQuery = (id: string) =>
  GridClient.query("grid", "instancePrograms", {
    params: { id },
    query: { perPage: 100 },
    reactivityKeys: keys("gridConnections")
  })

/** The segments that govern in the next 24 hours. */
export const gridTimelineQuery = (id: string) =>
  GridClient.query("grid", "timeline", { params: { id }, query: {}, reactivityKeys: names(id) })

interface EventSearch {
  readonly page?: number | undefined
  readonly status?: GridEventStatus | undefined
}

export const gridEventsQuery = (id: string, { page = 1, status }: EventSearch) =>
  GridClient.query("grid", "listEvents", {
    params: { id },
    query: given({ page, perPage: 25, status: listed(status) }),
    reactivityKeys: names(id)
  })

interface ReportSearch {
  readonly page?: number | undefined
  readonly status?: GridReportStatus | undefined
}

export const gridReportsQuery = (id: string, { page = 1, status }: ReportSearch) =>
  GridClient.query("grid", "listReports", {
    params: { id },
    query: given({ page, perPage: 25, status: listed(status) }),
    reactivityKeys: names(id)
  })
