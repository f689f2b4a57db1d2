import { AuditLog, type Refusal, RefusalReason, resourceTypeFromAction } from "@edp/domain/audit/AuditLog"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { Schema } from "effect"
import { TimestampColumn } from "../platform/sql/rows.ts"

/** The actor and the request of a record. */
export interface AuditOrigin {
  readonly id: string
  readonly organizationId: string
  readonly workspaceId: string | null
  readonly actorId: string
  readonly actorType: ApiKeyType
  readonly actorOwnerId: string | null
  readonly address: string | null
  readonly requestId: string
}

/** The changed fields of a resource, as JSON. */
export interface AuditedChange {
  readonly before: string | null
  readonly after: string | null
}

const { refusal: _, resourceType: __, ...plain } = AuditLog.fields

export const AuditRow = Schema.Struct({
  ...plain,
  createdAt: TimestampColumn,
  reason: Schema.NullOr(RefusalReason),
  uses: Schema.NullOr(Schema.Int),
  lastAt: Schema.NullOr(TimestampColumn)
})
type AuditRow = typeof AuditRow.Type

/** The resource id of an endpoint, such as `GET /v1/sites/:id`. */
export const endpointId = (method: string, route: string) => `${method} ${route}`

const toRefusal = ({ lastAt, reason, resourceId, uses }: AuditRow): Refusal | null => {
  if (reason === null) return null
  const [method = "", route = ""] = resourceId.split(" ")
  return { method, route, reason, count: uses!, lastAt: lastAt! }
}

export const toAuditLog = ({ lastAt, reason, uses, ...row }: AuditRow): AuditLog => ({
  ...row,
  resourceType: resourceTypeFromAction(row.action),
  refusal: toRefusal({ ...row, lastAt, reason, uses })
})
