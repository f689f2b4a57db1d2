import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { StoredText } from "../shared/Text.ts"
import { BATTERY_DAYS, ProgramReport, ProgramReportQuery, reportCsv } from "./ProgramReport.ts"

const csv = StoredText(200_000)
  .annotate({
    identifier: "ProgramReportCsv",
    description:
      "The days as CSV: a header line, then date, enrollments, devices, capacityWh, capacityReason, dischargedWh, chargedWh, coverage and reason; a figure that is null is empty",
    examples: [
      reportCsv([
        {
          date: "2026-07-14",
          enrollments: 120,
          devices: 120,
          capacityWh: 1_620_000,
          dischargedWh: 830_000,
          chargedWh: 910_000,
          coverage: 0.98
        }
      ])
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
        `Enrollments by status, enrolled devices with their capacity and power, and the energy that they moved, by day. An enrollment counts from its approval and activation until its end, a device at its present site, and energy by the whole quarter of an hour, without the time of test dispatches. Send \`Accept: text/csv\` for the days as CSV. A report is computed from ${BATTERY_DAYS.toLocaleString("en")} days of batteries at most: more are VALIDATION_ERROR.`
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
