import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { InvalidState, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { CreateGridConnection, GridConnection, GridConnectionFilters, UpdateGridConnection } from "./GridConnection.ts"
import { GridEvent, GridEventFilters, GridTimeline, GridTimelineQuery } from "./GridEvent.ts"
import { GridProgram, GridProgramFilters, UpdateGridProgram } from "./GridProgram.ts"
import { GridReport, GridReportFilters } from "./GridReport.ts"

const params = { id: PathId }

export class GridApi extends HttpApiGroup.make("grid")
  .add(
    HttpApiEndpoint.get("listConnections", "/v1/grid-connections", {
      query: GridConnectionFilters,
      success: Page(GridConnection),
      error: ValidationError
    }).annotateMerge(
      describe(workspaceKeys, "List grid connections", "The VTNs that the workspace follows, newest first.")
    ),
    HttpApiEndpoint.post("createConnection", "/v1/grid-connections", {
      payload: CreateGridConnection,
      success: GridConnection.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a grid connection",
        "The workspace becomes a VEN of the VTN: its programs and events are read from then on. Nothing is commanded before a program has a program instance and rules: see `PATCH /v1/grid-programs/{id}`. A workspace has at most 20 connections; one more is INVALID_STATE."
      )
    ),
    HttpApiEndpoint.get("getConnection", "/v1/grid-connections/:id", {
      params,
      success: GridConnection,
      error: NotFound
    }).annotateMerge(
      describe(workspaceKeys, "Get a grid connection", "Returns a connection with the result of its last poll.")
    ),
    HttpApiEndpoint.patch("updateConnection", "/v1/grid-connections/:id", {
      params,
      payload: UpdateGridConnection,
      success: GridConnection,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a grid connection",
        "Absent fields stay as they are. A change of the address or the client ID needs the client secret again."
      )
    ),
    HttpApiEndpoint.delete("removeConnection", "/v1/grid-connections/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Remove a grid connection",
        "Removes the connection with its programs, events and reports, and cancels the dispatches that follow its events."
      )
    ),
    HttpApiEndpoint.get("listPrograms", "/v1/grid-connections/:id/programs", {
      params,
      query: GridProgramFilters,
      success: Page(GridProgram),
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(workspaceKeys, "List grid programs", "The programs that the VTN lists for the workspace, newest first.")
    ),
    HttpApiEndpoint.get("instancePrograms", "/v1/programInstances/:id/grid-programs", {
      params,
      query: GridProgramFilters,
      success: Page(GridProgram),
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List the grid programs of a program instance",
        "The programs of VTNs whose events the enrolled sites follow, newest first, with the terms that the VTNs state: they are as of the last poll, and are changed at the VTN alone."
      )
    ),
    HttpApiEndpoint.get("getProgram", "/v1/grid-programs/:id", {
      params,
      success: GridProgram,
      error: NotFound
    }).annotateMerge(
      describe(workspaceKeys, "Get a grid program", "Returns a program of a VTN with its program instance and rules.")
    ),
    HttpApiEndpoint.patch("updateProgram", "/v1/grid-programs/:id", {
      params,
      payload: UpdateGridProgram,
      success: GridProgram,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a grid program",
        "Sets whose devices follow the program and what its events mean for them. Dispatches of events that have not ended are planned anew at once. An action is validated as that of a dispatch."
      )
    ),
    HttpApiEndpoint.get("listEvents", "/v1/grid-connections/:id/events", {
      params,
      query: GridEventFilters,
      success: Page(GridEvent),
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "List grid events",
        "The events that the VTN sent, newest first, with what became of them."
      )
    ),
    HttpApiEndpoint.get("timeline", "/v1/grid-connections/:id/timeline", {
      params,
      query: GridTimelineQuery,
      success: GridTimeline,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get a grid timeline",
        "Which event governs in each program at which time, prices and other signals included: exactly one event of a program at each instant."
      )
    ),
    HttpApiEndpoint.get("listReports", "/v1/grid-connections/:id/reports", {
      params,
      query: GridReportFilters,
      success: Page(GridReport),
      error: [ValidationError, NotFound]
    }).annotateMerge(describe(workspaceKeys, "List grid reports", "The reports that events asked for, newest first."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Grid connections",
      description:
        "The workspace as a VEN of OpenADR 3.1: VTNs of utilities whose events become dispatches, and the reports that go back."
    })
  ) {}
