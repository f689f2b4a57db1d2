import { Schema } from "effect"
import { ApiKeyType, RateLimits } from "../auth/ApiKeyType.ts"
import { Sentence } from "../errors/ApiError.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

const SCOPE_LIMIT = 100

const common = {
  id: Cuid.annotate({ description: "Identifier of the key, which is no secret", examples: [exampleIds.apiKey] }),
  name: StoredText(255).annotate({ description: "Name for people" }),
  type: ApiKeyType,
  workspaceId: Cuid.annotate({ description: "The workspace that the key acts on", examples: [exampleIds.workspace] }),
  ownerId: orNull(StoredText(255)).annotate({ description: "User who owns the key" }),
  manufacturerScope: orNull(Schema.Array(Slug).check(documents({ maxItems: SCOPE_LIMIT }))).annotate({
    description: "Slugs of the manufacturers that a MANUFACTURER key covers; null for other types"
  }),
  rateLimits: orNull(RateLimits).annotate({ description: "null: the deployment's defaults" }),
  expiresAt: orNull(Timestamp).annotate({ description: "null: no expiry" }),
  createdAt: orNull(Timestamp).annotate({ description: "When it was created" })
}

const commonExample = {
  id: exampleIds.apiKey,
  name: "Back end",
  type: "SERVER",
  workspaceId: exampleIds.workspace,
  ownerId: null,
  manufacturerScope: null,
  rateLimits: null,
  expiresAt: null,
  createdAt: "2026-03-01T12:00:00.000Z"
} as const

export const ApiKey = Schema.Struct({
  ...common,
  keyPrefix: StoredText(12).annotate({
    description: "First 12 characters of the key; the full value is never shown again"
  }),
  revoked: Schema.Boolean.annotate({ description: "true for good: the key does not work any more" }),
  lastUsedAt: orNull(Timestamp).annotate({ description: "At most a minute stale; null: never used" })
}).annotate({
  identifier: "ApiKey",
  description: "A key without its secret",
  examples: [{ ...commonExample, keyPrefix: "server_EXAMP", revoked: false, lastUsedAt: "2026-03-01T12:05:00.000Z" }]
})
export type ApiKey = typeof ApiKey.Type

export const ApiKeyCreated = Schema.Struct({
  ...common,
  key: StoredText(46).annotate({ description: "The full key: this answer is the only one that shows it" })
}).annotate({
  identifier: "ApiKeyCreated",
  description: "A new key with its secret",
  examples: [{ ...commonExample, key: "server_EXAMPLEexampleEXAMPLEexampleEXAMPLE123" }]
})
export type ApiKeyCreated = typeof ApiKeyCreated.Type

const name = Text(1, 255).annotate({ description: "Name for people" })
const rateLimits = orNull(RateLimits).annotate({ description: "null: the deployment's defaults" })

const creatable = ["API", "SERVER", "CONNECT", "MANUFACTURER", "MANAGEMENT"] as const

export const CreateApiKey = Schema.Struct({
  name,
  type: Schema.Literals(creatable).annotate({
    message: `Must be one of ${creatable.join(", ")}`,
    description: "SCOPED keys come from the connect flow alone"
  }),
  manufacturerScope: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Slug).check(
        Schema.isMinLength(1, { message: "Must name at least one manufacturer" }),
        Schema.isMaxLength(SCOPE_LIMIT, { message: `Must name at most ${SCOPE_LIMIT} manufacturers` })
      )
    ).annotate({ description: "Slugs of manufacturers; required for MANUFACTURER keys" })
  ),
  ownerId: Schema.optionalKey(Schema.NullOr(Text(1, 255)).annotate({ description: "Required for MANAGEMENT keys" })),
  workspaceId: Schema.optionalKey(
    Text(1, 100).annotate({ description: "A workspace of the organization; default: the calling key's own" })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({ description: "In the future; null or absent: no expiry" })
  ),
  rateLimits: Schema.optionalKey(rateLimits)
}).annotate({
  identifier: "CreateApiKey",
  examples: [
    { name: "Back end", type: "SERVER" },
    { name: "Acme devices", type: "MANUFACTURER", manufacturerScope: ["acme"] }
  ]
})
export type CreateApiKey = typeof CreateApiKey.Type

export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(name),
  rateLimits: Schema.optionalKey(rateLimits)
}).annotate({ identifier: "UpdateApiKey", examples: [{ name: "Back end, 2026" }] })
export type UpdateApiKey = typeof UpdateApiKey.Type

export const ApiKeyFilters = {
  ...paging(20),
  workspaceId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Keys of these workspaces only" }))
}

export const Revoked = Schema.Struct({
  message: Sentence.annotate({ description: "For people; the wording may change" })
}).annotate({
  identifier: "Revoked",
  description: "The key is revoked",
  examples: [{ message: "The API key is revoked" }]
})
