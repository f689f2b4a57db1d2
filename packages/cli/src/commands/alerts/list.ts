import { AlertSeverity, AlertStatus, AlertType } from "@edp/domain/alerts/Alert"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several, text, words } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { alertColumns } from "./record.ts"

const filters = {
  status: words("status", AlertStatus.literals),
  severity: words("severity", AlertSeverity.literals),
  type: words("type", AlertType.literals),
  id: several("id", "Alert id"),
  externalId: several("external-id", "Id in the source system"),
  siteId: several("site", "Site id"),
  deviceId: several("device", "Device id"),
  manufacturerDeviceId: several("manufacturer-device-id", "The manufacturer's id of the device"),
  sourceSystem: several("source-system", "Where the alert comes from"),
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
