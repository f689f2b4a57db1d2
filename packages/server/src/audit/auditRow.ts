import {
  type AuditAction,
  type AuditLog,
  type Refusal,
  type RefusalReason,
  resourceTypeFromAction
} from "@edp/domain/audit/AuditLog"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"

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

export interface AuditRow extends Omit<AuditOrigin, "organizationId"> {
  readonly action: AuditAction
  readonly resourceId: string
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly reason: RefusalReason | null
  readonly uses: number | null
  readonly lastAt: Date | null
  readonly createdAt: Date
}

/** The resource id of an endpoint, such as `GET /v1/sites/:id`. */
export const endpointId = (method: string, route: string) => `${method} ${route}`

const toRefusal = ({ lastAt, reason, resourceId, uses }: AuditRow): Refusal | null => {
  if (reason === null) return null
  const [method = "", route = ""] = resourceId.split(" ")
  return { method, route, reason, count: uses!, lastAt: lastAt!.toISOString() }
}

export const toAuditLog = (row: AuditRow): AuditLog => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  action: row.action,
  resourceType: resourceTypeFromAction(row.action),
  resourceId: row.resourceId,
  workspaceId: row.workspaceId,
  actorId: row.actorId,
  actorType: row.actorType,
  actorOwnerId: row.actorOwnerId,
  address: row.address,
  requestId: row.requestId,
  before: row.before,
  after: row.after,
  refusal: toRefusal(row)
})
