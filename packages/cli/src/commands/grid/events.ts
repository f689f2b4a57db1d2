import {
  type GridEvent,
  type GridPayloadOutcome,
  type GridTimelineSegment,
  gridEventStatuses
} from "@edp/domain/grid/GridEvent"
import { type GridReport, gridReportStatuses } from "@edp/domain/grid/GridReport"
import { Effect } from "effect"
import { request } from "../../kernel/Connection.ts"
import { Output, showTable } from "../../kernel/Output.ts"
import { choices, text } from "../../kernel/flags.ts"
import { given, pagingFlags, showList } from "../../kernel/paging.ts"
import { type Column, minute } from "../../kernel/table.ts"
import { verb } from "../../kernel/verb.ts"
import { connection } from "./connection.ts"
import { eventLabel, eventNames, programNames } from "./labels.ts"

type Labels = ReadonlyMap<string, string>

const formatOutcome = ({ detail, outcome, payloadType }: GridPayloadOutcome) =>
  `${payloadType} ${outcome}${detail === null ? "" : `: ${detail}`}`

const eventColumns = (programs: Labels): ReadonlyArray<Column<GridEvent>> => [
  { title: "EVENT", value: eventLabel },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "STARTS", value: ({ startsAt }) => startsAt, time: true, whole: true },
  { title: "ENDS", value: ({ endsAt }) => endsAt, time: true, whole: true },
  { title: "PRIORITY", value: ({ priority }) => priority, right: true, whole: true },
  { title: "OUTCOME", value: ({ outcomes }) => outcomes.map(formatOutcome).join("; ") },
  { title: "PROGRAM", value: ({ programId }) => programs.get(programId) ?? programId, wide: true },
  { title: "DISPATCHES", value: ({ dispatchIds }) => dispatchIds, whole: true, wide: true },
  { title: "MODIFIED", value: ({ modifiedAt }) => modifiedAt, time: true, whole: true, wide: true },
  { title: "VTN ID", value: ({ vtnEventId }) => vtnEventId, wide: true },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

export const events = verb(
  "grid events",
  "List the events of a VTN, newest first, with what became of them",
  { connection, ...pagingFlags, status: choices("status", gridEventStatuses) },
  ({ connection: id, ...flags }) =>
    showList(
      flags,
      "events",
      () => Effect.map(programNames(id), eventColumns),
      (query) => request("grid", "listEvents", { params: { id }, query })
    ),
  ["edp grid events CONNECTION_ID --status upcoming --status active"]
)

const formatPayload = ({ type, values }: GridTimelineSegment["payloads"][number]) =>
  [type, ...values.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)))].join(" ")

const segmentColumns = (programs: Labels, events: Labels): ReadonlyArray<Column<GridTimelineSegment>> => [
  { title: "FROM", value: ({ startsAt }) => startsAt, time: true, whole: true },
  { title: "TO", value: ({ endsAt }) => endsAt, time: true, whole: true },
  { title: "PROGRAM", value: ({ programId }) => programs.get(programId) ?? programId },
  { title: "EVENT", value: ({ eventId }) => events.get(eventId) ?? eventId },
  { title: "PAYLOADS", value: ({ payloads }) => payloads.map(formatPayload).join("; ") },
  { title: "PROGRAM ID", value: ({ programId }) => programId, whole: true, wide: true },
  { title: "EVENT ID", value: ({ eventId }) => eventId, whole: true, wide: true }
]

export const timeline = verb(
  "grid timeline",
  "Show which event governs in each program of a VTN at which time",
  {
    connection,
    from: text("from", "Start, such as 2026-07-15T00:00:00Z; default: now"),
    to: text("to", "End, at most 31 days after the start; default: 24 hours after it")
  },
  Effect.fnUntraced(function* ({ connection: id, ...flags }) {
    const output = yield* Output
    const shown = yield* request("grid", "timeline", { params: { id }, query: given(flags) })
    // JSON has ids alone.
    const columns = output.json
      ? []
      : yield* Effect.zipWith(programNames(id), eventNames(id), segmentColumns, { concurrent: true })
    yield* showTable(shown, columns, shown.segments)
    const range = `from ${minute(shown.from)} to ${minute(shown.to)}`
    yield* output.note(shown.segments.length === 0 ? `no event governs ${range}` : `what governs ${range}`)
  }),
  ["edp grid timeline CONNECTION_ID --from 2026-07-15T00:00:00Z --to 2026-07-22T00:00:00Z"]
)

const reportColumns = (events: Labels): ReadonlyArray<Column<GridReport>> => [
  { title: "EVENT", value: ({ eventId }) => events.get(eventId) ?? eventId },
  { title: "PAYLOAD", value: ({ payloadType }) => payloadType },
  { title: "FROM", value: ({ from }) => from, time: true, whole: true },
  { title: "TO", value: ({ to }) => to, time: true, whole: true },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "DETAIL", value: ({ detail }) => detail },
  { title: "DUE", value: ({ dueAt }) => dueAt, time: true, whole: true, wide: true },
  { title: "ATTEMPTS", value: ({ attempts }) => attempts, right: true, wide: true },
  { title: "SENT", value: ({ sentAt }) => sentAt, time: true, whole: true, wide: true },
  { title: "VTN ID", value: ({ vtnReportId }) => vtnReportId, wide: true },
  { title: "EVENT ID", value: ({ eventId }) => eventId, whole: true, wide: true },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

export const reports = verb(
  "grid reports",
  "List the reports that the events of a VTN asked for, newest first",
  { connection, ...pagingFlags, status: choices("status", gridReportStatuses) },
  ({ connection: id, ...flags }) =>
    showList(
      flags,
      "reports",
      () => Effect.map(eventNames(id), reportColumns),
      (query) => request("grid", "listReports", { params: { id }, query })
    ),
  ["edp grid reports CONNECTION_ID --status refused --status not_reportable"]
)
