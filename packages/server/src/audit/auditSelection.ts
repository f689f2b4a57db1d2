import {
  type AuditAction,
  auditActions,
  type AuditResourceType,
  resourceTypeFromAction
} from "@edp/domain/audit/AuditLog"
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

/** The records of an organization's log that a query selects. */
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

/** The actions that pass the filters: an action implies the resource type, and an id shows whether it is an endpoint. */
const selectActions = ({ action, resourceId, resourceType }: AuditQuery) => {
  if (action === undefined && resourceType === undefined && resourceId === undefined) return undefined
  return (action ?? auditActions).filter((one) => {
    const type = resourceTypeFromAction(one)
    const isOfIds = resourceId?.some((id) => isEndpoint(id) === (type === "endpoint")) ?? true
    return isOfIds && (resourceType?.includes(type) ?? true)
  })
}

const distinct = <A>(values: ReadonlyArray<A> | undefined) => values && [...new Set(values)]

const instant = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text))

export const auditSelection = (organizationId: string, query: AuditQuery): AuditSelection => ({
  organizationId,
  actions: distinct(selectActions(query)),
  resourceIds: distinct(query.resourceId),
  actorIds: distinct(query.actorId),
  workspaceIds: distinct(query.workspaceId),
  from: instant(query.from),
  to: instant(query.to)
})

/** The filter that is the leading column of the index to use, together with the action. */
export interface IndexFilter {
  readonly column: "resource_id" | "actor_id" | "workspace_id"
  readonly values: ReadonlyArray<string>
}

/** A resource has few records, but an endpoint many: for an endpoint the key is more selective. */
export const indexFilter = ({ actorIds, resourceIds, workspaceIds }: AuditSelection): IndexFilter | undefined => {
  if (resourceIds !== undefined && (actorIds === undefined || !resourceIds.some(isEndpoint))) {
    return { column: "resource_id", values: resourceIds }
  }
  if (actorIds !== undefined) return { column: "actor_id", values: actorIds }
  return workspaceIds === undefined ? undefined : { column: "workspace_id", values: workspaceIds }
}
