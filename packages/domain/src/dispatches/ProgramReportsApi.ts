import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { StoredText } from "../shared/Text.ts"
import { ProgramReport, ProgramReportQuery } from "./ProgramReport.ts"

const csv = StoredText(200_000)
  .annotate({
    identifier: "ProgramReportCsv",
    description:
      "The days as CSV: a header line, then date, enrollments, devices, capacityWh, dischargedWh, chargedWh, coverage and reason; a figure that is null is empty",
    examples: [
      "date,enrollments,devices,capacityWh,dischargedWh,chargedWh,coverage,reason\r\n2026-07-14,120,120,1620000,830000,910000,0.98,\r\n"
    ]
  })
  .pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

export class ProgramReportsApi extends HttpApiGroup.make("programReports")
  .add(
    HttpApiEndpoint.get("get", "/v1/programInstances/:id/report", {
      params: { id: PathId },
      headers: {
        accept: Schema.optionalKey(
          Schema.String.annotate({ description: "`text/csv` for CSV; anything else is answered with JSON" })
        )
      },
      query: ProgramReportQuery,
      success: [ProgramReport, csv],
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get the report of a program instance",
        "Enrollments by status, enrolled devices with their capacity and power, and the energy that they moved, by day. Send `Accept: text/csv` for the days as CSV."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Program reports",
      description:
        "Program instances in figures: enrollments, devices, capacity, energy moved, and devices that do not respond."
    })
  ) {}
