import { type AuditAction, auditActions, type AuditResourceType, resourceTypeOf } from "@edp/domain/audit/AuditLog"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"

export interface AuditQuery {
  readonly action?: ReadonlyArray<AuditAction>
  readonly resourceType?: ReadonlyArray<AuditResourceType>
  readonly resourceId?: ReadonlyArray<string>
  readonly actorId?: ReadonlyArray<string>
  readonly workspaceId?: ReadonlyArray<string>
  readonly from?: string
  readonly to?: string
}

/** What is asked for of an organization's log. */
export interface AuditSelection {
  readonly organizationId: string
  /** Undefined for any. */
  readonly actions: ReadonlyArray<AuditAction> | undefined
  readonly resourceIds: ReadonlyArray<string> | undefined
  readonly actorIds: ReadonlyArray<string> | undefined
  readonly workspaceIds: ReadonlyArray<string> | undefined
  /** Milliseconds since 1970. */
  readonly from: number | undefined
  readonly to: number | undefined
}

const isEndpoint = (resourceId: string) => resourceId.includes(" ")

/** Actions that pass the filters: the type of a resource follows from the action, and whether it is an endpoint from its id. */
const actionsOf = ({ action, resourceId, resourceType }: AuditQuery) => {
  if (action === undefined && resourceType === undefined && resourceId === undefined) return undefined
  return (action ?? auditActions).filter((one) => {
    const type = resourceTypeOf(one)
    const isOfIds = resourceId?.some((id) => isEndpoint(id) === (type === "endpoint")) ?? true
    return isOfIds && (resourceType?.includes(type) ?? true)
  })
}

const distinct = <A>(values: ReadonlyArray<A> | undefined) => values && [...new Set(values)]

const instant = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text))

export const auditSelection = (organizationId: string, query: AuditQuery): AuditSelection => ({
  organizationId,
  actions: distinct(actionsOf(query)),
  resourceIds: distinct(query.resourceId),
  actorIds: distinct(query.actorId),
  workspaceIds: distinct(query.workspaceId),
  from: instant(query.from),
  to: instant(query.to)
})

/** The filter whose index leads through the list, together with the action. */
export interface Lead {
  readonly column: "resource_id" | "actor_id" | "workspace_id"
  readonly values: ReadonlyArray<string>
}

/** Of a resource there are few records, but many of an endpoint: there the key leads. */
export const leadOf = ({ actorIds, resourceIds, workspaceIds }: AuditSelection): Lead | undefined => {
  if (resourceIds !== undefined && (actorIds === undefined || !resourceIds.some(isEndpoint))) {
    return { column: "resource_id", values: resourceIds }
  }
  if (actorIds !== undefined) return { column: "actor_id", values: actorIds }
  return workspaceIds === undefined ? undefined : { column: "workspace_id", values: workspaceIds }
}
