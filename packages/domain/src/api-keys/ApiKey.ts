import { Schema } from "effect"
import { ApiKeyType } from "../auth/ApiKeyType.ts"
import { RateLimits } from "../auth/RateLimits.ts"
import { Cuid, Slug } from "../shared/Cuid.ts"
import { paging } from "../shared/Page.ts"
import { Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

export const ApiKey = Schema.Struct({
  id: Cuid,
  name: Schema.String,
  type: ApiKeyType,
  keyPrefix: Schema.String.annotate({
    description: "First 12 characters of the key; the full value is never shown again"
  }),
  workspaceId: Cuid,
  ownerId: orNull(Schema.String).annotate({ description: "User who owns the key" }),
  manufacturerScope: orNull(Schema.Array(Slug)).annotate({
    description: "Manufacturers that a MANUFACTURER key covers"
  }),
  rateLimits: orNull(RateLimits).annotate({ description: "null: the deployment's defaults" }),
  revoked: Schema.Boolean,
  expiresAt: orNull(Timestamp).annotate({ description: "null: no expiry" }),
  lastUsedAt: orNull(Timestamp).annotate({ description: "At most a minute stale; null: never used" }),
  createdAt: orNull(Timestamp)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

export const ApiKeyCreated = Schema.Struct({
  id: Cuid,
  name: Schema.String,
  type: ApiKeyType,
  key: Schema.String.annotate({ description: "The full key: this answer is the only one that shows it" }),
  workspaceId: Cuid,
  ownerId: orNull(Schema.String),
  manufacturerScope: orNull(Schema.Array(Slug)),
  rateLimits: orNull(RateLimits),
  expiresAt: orNull(Timestamp),
  createdAt: orNull(Timestamp)
}).annotate({ identifier: "ApiKeyCreated" })
export type ApiKeyCreated = typeof ApiKeyCreated.Type

const creatable = ["API", "SERVER", "CONNECT", "MANUFACTURER", "MANAGEMENT"] as const

export const CreateApiKey = Schema.Struct({
  name: Text(1, 255),
  type: Schema.Literals(creatable).annotate({
    message: `Must be one of ${creatable.join(", ")}`,
    description: "SCOPED keys come from the connect flow alone"
  }),
  manufacturerScope: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Slug).check(
        Schema.isMinLength(1, { message: "Must name at least one manufacturer" }),
        Schema.isMaxLength(100, { message: "Must name at most 100 manufacturers" })
      )
    ).annotate({ description: "Required for MANUFACTURER keys" })
  ),
  ownerId: Schema.optionalKey(Schema.NullOr(Text(1, 255)).annotate({ description: "Required for MANAGEMENT keys" })),
  workspaceId: Schema.optionalKey(
    Text(1, 100).annotate({ description: "A workspace of the organization; default: the calling key's own" })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({ description: "In the future; null or absent: no expiry" })
  ),
  rateLimits: Schema.optionalKey(Schema.NullOr(RateLimits))
}).annotate({
  identifier: "CreateApiKey",
  examples: [
    { name: "Back end", type: "SERVER" },
    { name: "Acme devices", type: "MANUFACTURER", manufacturerScope: ["generic"] }
  ]
})
export type CreateApiKey = typeof CreateApiKey.Type

export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  rateLimits: Schema.optionalKey(Schema.NullOr(RateLimits))
}).annotate({ identifier: "UpdateApiKey", examples: [{ name: "Back end, 2026" }] })
export type UpdateApiKey = typeof UpdateApiKey.Type

export const ApiKeyFilters = {
  ...paging(20),
  workspaceId: Schema.optionalKey(Text(1, 100).annotate({ description: "Keys of this workspace only" }))
}

export const Revoked = Schema.Struct({ message: Schema.String }).annotate({
  identifier: "Revoked",
  examples: [{ message: "The API key is revoked" }]
})
