import { Schema } from "effect"
import { ApiKeyType } from "../auth/ApiKeyType.ts"
import { Cuid } from "../shared/Cuid.ts"
import { exampleIds } from "../shared/exampleIds.ts"
import { cursorPaging, Several } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { AuditAction, AuditResourceType } from "./AuditAction.ts"
import { auditLogExample, refusedUseExample } from "./auditLogExample.ts"
import { Refusal } from "./Refusal.ts"

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
