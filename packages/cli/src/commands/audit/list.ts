import { auditActions, auditResourceTypes } from "@edp/domain/audit/AuditLog"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several, text, words } from "../../flags.ts"
import { given, pagingFlags, showList } from "../../paging.ts"
import { auditColumns } from "./record.ts"

const filters = {
  action: words("action", auditActions),
  resourceType: words("resource-type", auditResourceTypes),
  resourceId: several(
    "resource",
    "Id of a resource, slug of a manufacturer, or an endpoint such as 'GET /v1/sites/:id'"
  ),
  actorId: several("actor", "Id of the key that was used"),
  workspaceId: several("workspace", "Workspace id"),
  from: text("from", "Created at or after this date-time"),
  to: text("to", "Created before this date-time")
}

export const list = Command.make(
  "list",
  { ...pagingFlags, ...filters },
  Effect.fn("audit.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("auditLogs", "list")
    yield* showList({ all, page, perPage }, "audit logs", auditColumns, (position) =>
      call({ query: { ...given(filters), ...position } })
    )
  })
).pipe(
  Command.withDescription("List what was done and refused in the whole organization, newest first"),
  Command.withExamples([
    { command: "edp audit list --resource-type api-key --from 2026-03-01T00:00:00Z" },
    { command: "edp audit list --action access.refused --all --json" }
  ])
)
