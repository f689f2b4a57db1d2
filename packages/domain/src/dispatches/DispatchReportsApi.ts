import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { StoredText } from "../shared/Text.ts"
import { DispatchReport, DispatchReportQuery } from "./DispatchReport.ts"

const params = { id: PathId }

const accept = {
  accept: Schema.optionalKey(
    Schema.String.annotate({ description: "`text/csv` for CSV; anything else is answered with JSON" })
  )
}

const csv = StoredText(100_000_000)
  .annotate({
    identifier: "DispatchReportCsv",
    description:
      "The report as CSV: a header line, then siteId, startsAt, endsAt, baselineWh, actualWh, deliveredWh, coverage and reason of each site and interval; a figure that is null is empty",
    examples: [
      "siteId,startsAt,endsAt,baselineWh,actualWh,deliveredWh,coverage,reason\r\ncmm7p6yo04a9e3i7m1q5u9y2c,2026-07-15T00:00:00.000Z,2026-07-15T00:15:00.000Z,400,-850,1250,1,\r\n"
    ]
  })
  .pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

export class DispatchReportsApi extends HttpApiGroup.make("dispatchReports")
  .add(
    HttpApiEndpoint.get("get", "/v1/dispatches/:id/report", {
      params,
      headers: accept,
      query: DispatchReportQuery,
      success: [DispatchReport, csv],
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get the report of a dispatch",
        "Performance against the baseline, from all readings that are present now. Results of sites are kept; what is not kept yet, or has changed by a late reading, is computed by the request, which then takes longer. Figures without sufficient readings are null with a reason. Send `Accept: text/csv` for the intervals of all sites."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Dispatch reports",
      description:
        "Performance of dispatches against their baselines: what the sites delivered, and how it was estimated."
    })
  ) {}
