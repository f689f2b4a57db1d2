import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

export const gridReportStatuses = ["due", "sent", "refused", "not_reportable"] as const

export const GridReportStatus = oneOf(
  gridReportStatuses,
  "`due`: it is sent as soon as the VTN can be reached; `sent`: the VTN has accepted it; `refused`: the VTN has refused it for good, see `detail`; `not_reportable`: the platform does not measure what was asked for, see `detail`"
).annotate({ identifier: "GridReportStatus" })
export type GridReportStatus = typeof GridReportStatus.Type

export const GridReport = Schema.Struct({
  id: Cuid.annotate({ description: "Identifier of the report in this workspace", examples: [exampleIds.delivery] }),
  connectionId: Cuid.annotate({ description: "The connection to its VTN", examples: [exampleIds.connection] }),
  eventId: Cuid.annotate({ description: "The event that asked for it", examples: [exampleIds.event] }),
  payloadType: StoredText(128).annotate({ description: "Type of the report's payload, such as USAGE" }),
  from: Timestamp.annotate({ description: "Start of the first interval reported on" }),
  to: Timestamp.annotate({ description: "End of the last interval reported on" }),
  dueAt: Timestamp.annotate({ description: "Time from which the report is due" }),
  status: GridReportStatus,
  detail: orNull(StoredText(1000)).annotate({ description: "Why it was not sent; null if there is nothing to say" }),
  attempts: Schema.Int.check(documents({ minimum: 0 })).annotate({ description: "Number of times it was sent" }),
  vtnReportId: orNull(StoredText(128)).annotate({ description: "Id of the report at the VTN; null until it is sent" }),
  sentAt: orNull(Timestamp).annotate({ description: "Time when the VTN accepted it; null until then" }),
  createdAt: Timestamp
}).annotate({
  identifier: "GridReport",
  description: "A report that an event of a VTN asked for",
  examples: [
    {
      id: exampleIds.delivery,
      connectionId: exampleIds.connection,
      eventId: exampleIds.event,
      payloadType: "USAGE",
      from: "2026-07-15T00:00:00.000Z",
      to: "2026-07-15T01:00:00.000Z",
      dueAt: "2026-07-15T01:02:00.000Z",
      status: "sent",
      detail: null,
      attempts: 1,
      vtnReportId: "report-5",
      sentAt: "2026-07-15T01:02:10.000Z",
      createdAt: "2026-07-15T01:02:00.000Z"
    }
  ]
})
export type GridReport = typeof GridReport.Type

export const GridReportFilters = {
  ...paging(),
  status: Schema.optionalKey(Several(GridReportStatus).annotate({ description: "Reports with any of these statuses" }))
}
