import { AlertSeverity, AlertStatus, AlertType } from "@edp/domain/alerts/Alert"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { text, words } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { alertColumns } from "./record.ts"

const filters = {
  status: words("status", AlertStatus.literals),
  severity: words("severity", AlertSeverity.literals),
  type: words("type", AlertType.literals),
  id: text("id", "Alert id"),
  externalId: text("external-id", "Id in the source system"),
  siteId: text("site", "Site id"),
  deviceId: text("device", "Device id"),
  manufacturerDeviceId: text("manufacturer-device-id", "The manufacturer's id of the device"),
  sourceSystem: text("source-system", "Where the alert comes from"),
  from: text("from", "Created at or after this date-time"),
  to: text("to", "Created before this date-time")
}

export const list = Command.make(
  "list",
  { ...pagingFlags, ...filters },
  Effect.fn("alerts.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("alerts", "list")
    yield* showList({ all, page, perPage }, "alerts", alertColumns, (position) =>
      call({ query: { ...given(filters), ...byPage(position) } })
    )
  })
).pipe(
  Command.withDescription("List alerts, newest first"),
  Command.withExamples([{ command: "edp alerts list --status OPEN --severity CRITICAL" }])
)
