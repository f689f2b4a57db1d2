import type { AuditLog } from "@edp/domain/audit/AuditLog"
import { cell, type Column } from "../../table.ts"

type Fields = AuditLog["before"]

const named = (fields: NonNullable<Fields>) =>
  Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${cell(value)}`)
    .join(", ")

/** What there is of it now, what it was, or both. */
const changes = ({ after, before, refusal }: AuditLog): string => {
  if (refusal !== null) return refusal.count === 1 ? refusal.reason : `${refusal.reason}, ${refusal.count} times`
  if (before === null || after === null) return named(after ?? before ?? {})
  return Object.keys(after)
    .map((name) => `${name} ${cell(before[name])} → ${cell(after[name])}`)
    .join(", ")
}

export const auditColumns: ReadonlyArray<Column<AuditLog>> = [
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
