import { Schema } from "effect"
import { ApiKeyType } from "../auth/ApiKeyType.ts"
import { type ErrorCode, errorCodes } from "../errors/ErrorCode.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, cursorPaging } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { documents } from "../shared/documents.ts"

/**
 * The recorded actions: resource type, dot, operation. A slice in which MANAGEMENT keys write adds its actions.
 */
export const auditActions = [
  "access.refused",
  "alert-configuration.clear",
  "alert-configuration.save",
  "api-key.create",
  "api-key.revoke",
  "api-key.rotate",
  "api-key.update",
  "collection.add-member",
  "collection.create",
  "collection.delete",
  "collection.refresh",
  "collection.remove-member",
  "collection.update",
  "dashboard-link.create",
  "destination.activate",
  "destination.create",
  "destination.deactivate",
  "destination.delete",
  "destination.redeliver",
  "destination.replay",
  "destination.rotate-secret",
  "destination.update",
  "device-model.create",
  "device-model.update",
  "home-assistant-publication.create",
  "home-assistant-publication.delete",
  "home-assistant-publication.update",
  "manufacturer.create",
  "manufacturer.update",
  "organization.update",
  "program.create",
  "program.update",
  "saved-filter.create",
  "saved-filter.delete",
  "saved-filter.update",
  "session.revoke",
  "session.sign-in",
  "session.sign-out",
  "session.write",
  "workspace.create",
  "workspace.delete",
  "workspace.erase",
  "workspace.export",
  "workspace.import",
  "workspace.pause",
  "workspace.resume",
  "workspace.update"
] as const

export const AuditAction = Schema.Literals(auditActions).annotate({
  identifier: "AuditAction",
  message: `Must be one of ${auditActions.join(", ")}`,
  description:
    "Resource type and operation. workspace.erase: the archived readings of a deleted workspace are gone, too. access.refused: a known key was used where it is not allowed. session.write: a session of the dashboard changed something in a workspace, as the workspace's SERVER key may"
})
export type AuditAction = typeof AuditAction.Type

/** A write of a MANAGEMENT key, or of a session that stands for one. */
export type WriteAction = Exclude<AuditAction, "access.refused">

export const auditResourceTypes = [
  "alert-configuration",
  "api-key",
  "collection",
  "dashboard-link",
  "destination",
  "device-model",
  "endpoint",
  "home-assistant-publication",
  "manufacturer",
  "organization",
  "program",
  "saved-filter",
  "session",
  "workspace"
] as const

export const AuditResourceType = Schema.Literals(auditResourceTypes).annotate({
  identifier: "AuditResourceType",
  message: `Must be one of ${auditResourceTypes.join(", ")}`,
  description: "Type of the resource; endpoint with access.refused"
})
export type AuditResourceType = typeof AuditResourceType.Type

export const resourceTypeFromAction = (action: AuditAction): AuditResourceType =>
  action === "access.refused" ? "endpoint" : (action.slice(0, action.indexOf(".")) as AuditResourceType)

/** A key's limit, raised. */
export const auditLogExample = {
  id: exampleIds.auditLog,
  createdAt: "2026-03-01T12:00:00.000Z",
  action: "api-key.update",
  resourceType: "api-key",
  resourceId: exampleIds.apiKey,
  workspaceId: exampleIds.workspace,
  actorId: exampleIds.managementKey,
  actorType: "MANAGEMENT",
  actorOwnerId: "operator-7",
  address: "203.0.113.7",
  requestId: "0b1f6d0e-6a2c-4f0e-9a57-3a1f0c5e8d21",
  before: { rateLimits: null },
  after: { rateLimits: { read: 600 } },
  refusal: null
} as const

/** Refused uses of a workspace key at an endpoint for MANAGEMENT keys. */
export const refusedUseExample = {
  ...auditLogExample,
  id: exampleIds.refusedUse,
  action: "access.refused",
  resourceType: "endpoint",
  resourceId: "GET /v1/api-keys",
  actorId: exampleIds.apiKey,
  actorType: "SERVER",
  actorOwnerId: null,
  before: null,
  after: null,
  refusal: {
    method: "GET",
    route: "/v1/api-keys",
    reason: "WRONG_KEY_TYPE",
    count: 34,
    lastAt: "2026-03-01T12:00:58.120Z"
  }
} as const

type ForbiddenCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]["status"] extends 403 ? Code : never
}[ErrorCode]

/** The errors of a key of an allowed type that lacks permission. */
export const forbiddenCodes = (Object.keys(errorCodes) as ReadonlyArray<ErrorCode>).filter(
  (code): code is ForbiddenCode => errorCodes[code].status === 403
)

export const refusalReasons = ["WRONG_KEY_TYPE", "KEY_REVOKED", "KEY_EXPIRED", ...forbiddenCodes] as const

/** Reasons for refusing a known key. */
export const RefusalReason = Schema.Literals(refusalReasons).annotate({
  identifier: "RefusalReason",
  description:
    "WRONG_KEY_TYPE, KEY_REVOKED and KEY_EXPIRED were answered 401 UNAUTHENTICATED; the others are the code of the 403"
})
export type RefusalReason = typeof RefusalReason.Type

export const Refusal = Schema.Struct({
  method: StoredText(7).annotate({ description: "Method of the endpoint", examples: ["GET"] }),
  route: StoredText(247).annotate({
    description: "Route of the endpoint, with the names of its parameters",
    examples: ["/v1/sites/:id"]
  }),
  reason: RefusalReason,
  count: Schema.Int.check(documents({ minimum: 1, maximum: 2_147_483_647 })).annotate({
    description: "Number of refused uses in the minute that starts at `createdAt`; it grows until the minute ends"
  }),
  lastAt: Timestamp.annotate({ description: "Time of the last refused use" })
}).annotate({ identifier: "Refusal", description: "Refused uses of a key at an endpoint" })
export type Refusal = typeof Refusal.Type

const orNull = Schema.NullOr

const fields = orNull(Schema.Record(Schema.String, Schema.Unknown))

export const AuditLog = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.auditLog] }),
  createdAt: Timestamp.annotate({ description: "Time of the write, or of the first refused use" }),
  action: AuditAction,
  resourceType: AuditResourceType,
  resourceId: StoredText(255).annotate({
    description:
      "Id of the resource, slug of a manufacturer, or method and route of an endpoint, such as `GET /v1/sites/:id`"
  }),
  workspaceId: orNull(Cuid).annotate({
    description:
      "Workspace of the resource, or of the refused key; null if the resource is shared by several workspaces"
  }),
  actorId: Cuid.annotate({ description: "The API key that was used", examples: [exampleIds.apiKey] }),
  actorType: ApiKeyType,
  actorOwnerId: orNull(StoredText(255)).annotate({ description: "User who owned the key" }),
  address: orNull(StoredText(64)).annotate({
    description: "Network address of the caller, as reported by trusted proxies if there are any; null if unknown"
  }),
  requestId: StoredText(128).annotate({
    description: "X-Request-Id of the request, or of the first refused use"
  }),
  before: fields.annotate({
    description:
      "The changed fields before the write; null if the resource was created or no field changed. Secrets are `***`; of a value longer than 2,000 characters only the beginning is stored, as text"
  }),
  after: fields.annotate({
    description: "The changed fields after the write, in the form of `before`; null if the resource was deleted"
  }),
  refusal: orNull(Refusal).annotate({ description: "Only with access.refused" })
}).annotate({
  identifier: "AuditLog",
  description: "A write by a MANAGEMENT key, or the refused uses of a key at one endpoint within a minute",
  examples: [auditLogExample, refusedUseExample]
})
export type AuditLog = typeof AuditLog.Type

const optional = Schema.optionalKey

/** Filters of the audit log; those that take several values match any of them. */
export const AuditLogFilters = {
  ...cursorPaging,
  action: optional(Several(AuditAction).annotate({ description: "Operations" })),
  resourceType: optional(Several(AuditResourceType).annotate({ description: "Types of resources" })),
  resourceId: optional(
    Several(Text(1, 255)).annotate({
      description: "Ids of resources, slugs of manufacturers, or endpoints such as `GET /v1/sites/:id`"
    })
  ),
  actorId: optional(Several(Text(1, 100)).annotate({ description: "Ids of the API keys that were used" })),
  workspaceId: optional(Several(Text(1, 100)).annotate({ description: "Only records about these workspaces" })),
  from: optional(TimestampInput.annotate({ description: "Created at or after" })),
  to: optional(TimestampInput.annotate({ description: "Created before" }))
}
