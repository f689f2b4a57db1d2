import { verb } from "../kernel/verb.ts"
import { auditActions, auditResourceTypes, type AuditLog } from "@edp/domain/audit/AuditLog"
import { Command } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { several, text, choices } from "../kernel/flags.ts"
import { pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, cell } from "../kernel/table.ts"

type Fields = AuditLog["before"]

const named = (fields: NonNullable<Fields>) =>
  Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${cell(value)}`)
    .join(", ")

/** The new fields, the old ones, or both. */
const changes = ({ after, before, refusal }: AuditLog): string => {
  if (refusal !== null) return refusal.count === 1 ? refusal.reason : `${refusal.reason}, ${refusal.count} times`
  if (before === null || after === null) return named(after ?? before ?? {})
  return Object.keys(after)
    .map((name) => `${name} ${cell(before[name])} → ${cell(after[name])}`)
    .join(", ")
}

const auditColumns: ReadonlyArray<Column<AuditLog>> = [
  { title: "TIME", value: (log) => log.createdAt, time: true, whole: true },
  { title: "ACTION", value: (log) => log.action, whole: true },
  { title: "RESOURCE", value: (log) => log.resourceId },
  { title: "ACTOR", value: (log) => log.actorOwnerId ?? log.actorId },
  { title: "CHANGES", value: changes },
  { title: "KEY", value: (log) => log.actorId, whole: true, wide: true },
  { title: "ADDRESS", value: (log) => log.address, whole: true, wide: true },
  { title: "WORKSPACE", value: (log) => log.workspaceId, wide: true },
  { title: "REQUEST", value: (log) => log.requestId, wide: true },
  { title: "ID", value: (log) => log.id, wide: true }
]

const filters = {
  action: choices("action", auditActions),
  resourceType: choices("resource-type", auditResourceTypes),
  resourceId: several(
    "resource",
    "Id of a resource, slug of a manufacturer, or an endpoint such as 'GET /v1/sites/:id'"
  ),
  actorId: several("actor", "Id of the key that was used"),
  workspaceId: several("workspace", "Workspace id"),
  from: text("from", "Created at or after this date-time"),
  to: text("to", "Created before this date-time")
}

const list = verb(
  "audit list",
  "List writes and refusals in the organization, newest first",
  { ...pagingFlags, ...filters },
  (flags) => showList(flags, "audit logs", auditColumns, (query) => request("auditLogs", "list", { query })),
  [
    "edp audit list --resource-type api-key --from 2026-03-01T00:00:00Z",
    "edp audit list --action access.refused --all --json"
  ]
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Audit log: writes with MANAGEMENT keys, and refused keys"),
  Command.withSubcommands([list])
)
