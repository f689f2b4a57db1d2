import { Schema } from "effect"
import { ApiKeyType } from "../auth/ApiKeyType.ts"
import { type ErrorCode, errorCodes } from "../errors/ErrorCode.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, cursorPaging } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { documents } from "../shared/documents.ts"

/**
 * What is recorded. A slice in which MANAGEMENT keys write adds its actions: the resource's kind, a dot, what was done
 * to it.
 */
export const auditActions = [
  "access.refused",
  "alert-configuration.clear",
  "alert-configuration.save",
  "api-key.create",
  "api-key.revoke",
  "api-key.update",
  "collection.add-member",
  "collection.create",
  "collection.delete",
  "collection.refresh",
  "collection.remove-member",
  "collection.update",
  "destination.activate",
  "destination.create",
  "destination.delete",
  "destination.redeliver",
  "destination.replay",
  "destination.rotate-secret",
  "destination.update",
  "device-model.create",
  "device-model.update",
  "manufacturer.create",
  "manufacturer.update",
  "organization.update",
  "workspace.create",
  "workspace.delete",
  "workspace.update"
] as const

export const AuditAction = Schema.Literals(auditActions).annotate({
  identifier: "AuditAction",
  message: `Must be one of ${auditActions.join(", ")}`,
  description:
    "What was done, to what kind of resource. access.refused: a key that the service knows was used where it may not be"
})
export type AuditAction = typeof AuditAction.Type

/** A write of a MANAGEMENT key. */
export type WriteAction = Exclude<AuditAction, "access.refused">

export const auditResourceTypes = [
  "alert-configuration",
  "api-key",
  "collection",
  "destination",
  "device-model",
  "endpoint",
  "manufacturer",
  "organization",
  "workspace"
] as const

export const AuditResourceType = Schema.Literals(auditResourceTypes).annotate({
  identifier: "AuditResourceType",
  message: `Must be one of ${auditResourceTypes.join(", ")}`,
  description: "Kind of the resource; endpoint: of access.refused, what the key was refused at"
})
export type AuditResourceType = typeof AuditResourceType.Type

export const resourceTypeOf = (action: AuditAction): AuditResourceType =>
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

/** A key of a workspace that was tried at what only MANAGEMENT keys may call. */
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

/** The errors that tell a key of the right type that it lacks permission. */
export const forbiddenCodes = (Object.keys(errorCodes) as ReadonlyArray<ErrorCode>).filter(
  (code): code is ForbiddenCode => errorCodes[code].status === 403
)

export const refusalReasons = ["WRONG_KEY_TYPE", "KEY_REVOKED", "KEY_EXPIRED", ...forbiddenCodes] as const

/** Why a key that the service knows was refused. */
export const RefusalReason = Schema.Literals(refusalReasons).annotate({
  identifier: "RefusalReason",
  description:
    "WRONG_KEY_TYPE, KEY_REVOKED and KEY_EXPIRED were answered 401 UNAUTHENTICATED; the others are the code of the 403"
})
export type RefusalReason = typeof RefusalReason.Type

export const Refusal = Schema.Struct({
  method: StoredText(7).annotate({ description: "Method of the endpoint", examples: ["GET"] }),
  route: StoredText(247).annotate({
    description: "Route of the endpoint, with its parameters by their names",
    examples: ["/v1/sites/:id"]
  }),
  reason: RefusalReason,
  count: Schema.Int.check(documents({ minimum: 1, maximum: 2_147_483_647 })).annotate({
    description:
      "Number of refused uses within the minute that begins at `createdAt`; it grows until the minute is over"
  }),
  lastAt: Timestamp.annotate({ description: "The last of them" })
}).annotate({ identifier: "Refusal", description: "Why and how often a key was refused at an endpoint" })
export type Refusal = typeof Refusal.Type

const orNull = Schema.NullOr

const fields = orNull(Schema.Record(Schema.String, Schema.Unknown))

export const AuditLog = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.auditLog] }),
  createdAt: Timestamp.annotate({ description: "When it was done; of refused uses, the first of them" }),
  action: AuditAction,
  resourceType: AuditResourceType,
  resourceId: StoredText(255).annotate({
    description:
      "Id of the resource, a manufacturer's slug, or of an endpoint its method and route, such as `GET /v1/sites/:id`"
  }),
  workspaceId: orNull(Cuid).annotate({
    description: "Workspace of the resource, of refused uses that of the key; null: shared by several workspaces"
  }),
  actorId: Cuid.annotate({ description: "The API key that was used", examples: [exampleIds.apiKey] }),
  actorType: ApiKeyType,
  actorOwnerId: orNull(StoredText(255)).annotate({ description: "User who owned the key" }),
  address: orNull(StoredText(64)).annotate({
    description: "Address of the caller, behind trusted proxies the one they tell; null where it is not known"
  }),
  requestId: StoredText(128).annotate({
    description: "X-Request-Id of the request; of refused uses, of the first of them"
  }),
  before: fields.annotate({
    description:
      "The changed fields as they were. null where the resource was created, and where no field tells what was done. Secrets are `***`, and of a value longer than 2,000 characters there is the beginning as text"
  }),
  after: fields.annotate({
    description: "The changed fields as they are since, in the form of `before`; null where the resource was deleted"
  }),
  refusal: orNull(Refusal).annotate({ description: "Of access.refused alone" })
}).annotate({
  identifier: "AuditLog",
  description: "A write of a MANAGEMENT key, or the refused uses of a key at one endpoint within a minute",
  examples: [auditLogExample, refusedUseExample]
})
export type AuditLog = typeof AuditLog.Type

const optional = Schema.optionalKey

/** Filters of the audit log; those that take several values match any of them. */
export const AuditLogFilters = {
  ...cursorPaging,
  action: optional(Several(AuditAction).annotate({ description: "What was done" })),
  resourceType: optional(Several(AuditResourceType).annotate({ description: "Kinds of resources" })),
  resourceId: optional(
    Several(Text(1, 255)).annotate({
      description: "Ids of resources, slugs of manufacturers, or endpoints such as `GET /v1/sites/:id`"
    })
  ),
  actorId: optional(Several(Text(1, 100)).annotate({ description: "Ids of the API keys that were used" })),
  workspaceId: optional(Several(Text(1, 100)).annotate({ description: "What concerns these workspaces only" })),
  from: optional(TimestampInput.annotate({ description: "Created at or after" })),
  to: optional(TimestampInput.annotate({ description: "Created before" }))
}
