import { auditActions, auditResourceTypes } from "@edp/domain/audit/AuditAction"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { given, pagingFlags, showList } from "../../paging.ts"
import { auditColumns } from "./record.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; repeat for several`), Flag.atLeast(0))
const words = <const Words extends ReadonlyArray<string>>(name: string, words: Words) =>
  Flag.Literals(name, words).pipe(Flag.withDescription("Repeat for several"), Flag.atLeast(0))

const filters = {
  action: words("action", auditActions),
  resourceType: words("resource-type", auditResourceTypes),
  resourceId: several(
    "resource",
    "Id of a resource, slug of a manufacturer, or an endpoint such as 'GET /v1/sites/:id'"
  ),
  actorId: several("actor", "Id of the key that was used"),
  workspaceId: text("workspace", "Workspace id"),
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
