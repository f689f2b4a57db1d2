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
const ENROLLMENTS_LIMIT = 1000

export const ApiKeyScope = Schema.Struct({
  customerId: Schema.optionalKey(Cuid).annotateKey({ description: "All enrollments of this customer" }),
  programInstanceId: Schema.optionalKey(Cuid).annotateKey({ description: "All enrollments of this program instance" }),
  enrollmentIds: Schema.optionalKey(Schema.Array(Cuid).check(documents({ maxItems: ENROLLMENTS_LIMIT }))).annotateKey({
    description: "These enrollments"
  })
}).annotate({
  identifier: "ApiKeyScope",
  description:
    "The enrollments whose sites the client of an OPENADR_VEN key sees as resources. It has one of the fields",
  examples: [{ customerId: exampleIds.customer }]
})
export type ApiKeyScope = typeof ApiKeyScope.Type

const common = {
  id: Cuid.annotate({ description: "Identifier of the key, which is no secret", examples: [exampleIds.apiKey] }),
  name: StoredText(255).annotate({ description: "Display name" }),
  type: ApiKeyType,
  workspaceId: Cuid.annotate({ description: "The workspace that the key acts on", examples: [exampleIds.workspace] }),
  ownerId: orNull(StoredText(255)).annotate({ description: "User who owns the key" }),
  manufacturerScope: orNull(Schema.Array(Slug).check(documents({ maxItems: SCOPE_LIMIT }))).annotate({
    description: "Slugs of the manufacturers in the scope of a MANUFACTURER key; null for other types"
  }),
  scope: orNull(ApiKeyScope).annotate({
    description: "The enrollments whose sites an OPENADR_VEN key shows; null: none, and for other types"
  }),
  rateLimits: orNull(RateLimits).annotate({
    description: "Rate limits of the key; null means the deployment's defaults"
  }),
  expiresAt: orNull(Timestamp).annotate({ description: "Time when the key expires; null if it does not expire" }),
  createdAt: orNull(Timestamp).annotate({ description: "Time of creation" })
}

const commonExample = {
  id: exampleIds.apiKey,
  name: "Back end",
  type: "SERVER",
  workspaceId: exampleIds.workspace,
  ownerId: null,
  manufacturerScope: null,
  scope: null,
  rateLimits: null,
  expiresAt: null,
  createdAt: "2026-03-01T12:00:00.000Z"
} as const

export const ApiKey = Schema.Struct({
  ...common,
  keyPrefix: StoredText(12).annotate({
    description: "First 12 characters of the key; the full value is never shown again"
  }),
  revoked: Schema.Boolean.annotate({ description: "true once the key is revoked; it can't be restored" }),
  lastUsedAt: orNull(Timestamp).annotate({
    description: "Time of the last use, at most a minute late; null if never used"
  })
}).annotate({
  identifier: "ApiKey",
  description: "A key without its secret",
  examples: [{ ...commonExample, keyPrefix: "server_EXAMP", revoked: false, lastUsedAt: "2026-03-01T12:05:00.000Z" }]
})
export type ApiKey = typeof ApiKey.Type

export const ApiKeyCreated = Schema.Struct({
  ...common,
  key: StoredText(46).annotate({ description: "The full key; it appears in this response only" })
}).annotate({
  identifier: "ApiKeyCreated",
  description: "A new key with its secret",
  examples: [{ ...commonExample, key: "server_EXAMPLEexampleEXAMPLEexampleEXAMPLE123" }]
})
export type ApiKeyCreated = typeof ApiKeyCreated.Type

export const ApiKeyRotated = Schema.Struct({
  ...ApiKeyCreated.fields,
  previousKeyExpiresAt: Timestamp.annotate({ description: "Time when the former secret ends" })
}).annotate({
  identifier: "ApiKeyRotated",
  description: "A key with its new secret",
  examples: [
    {
      ...commonExample,
      key: "server_EXAMPLEexampleEXAMPLEexampleEXAMPLE123",
      previousKeyExpiresAt: "2026-03-02T12:00:00.000Z"
    }
  ]
})
export type ApiKeyRotated = typeof ApiKeyRotated.Type

const name = Text(1, 255).annotate({ description: "Display name" })
const rateLimits = orNull(RateLimits).annotate({
  description: "Rate limits of the key; null means the deployment's defaults"
})

const id = Text(1, 100)

const creatable = ["API", "SERVER", "CONNECT", "MANUFACTURER", "MANAGEMENT", "OPENADR_BL", "OPENADR_VEN"] as const

export const CreateApiKey = Schema.Struct({
  name,
  type: Schema.Literals(creatable).annotate({
    message: `Must be one of ${creatable.join(", ")}`,
    description: "Type of the key. SCOPED keys are issued by the connect flow only"
  }),
  manufacturerScope: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Slug).check(
        Schema.isMinLength(1, { message: "Must name at least one manufacturer" }),
        Schema.isMaxLength(SCOPE_LIMIT, { message: `Must name at most ${SCOPE_LIMIT} manufacturers` })
      )
    ).annotate({ description: "Slugs of the manufacturers in scope; required for MANUFACTURER keys" })
  ),
  scope: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        customerId: Schema.optionalKey(id).annotateKey({ description: "A customer of the workspace" }),
        programInstanceId: Schema.optionalKey(id).annotateKey({ description: "A program instance of the workspace" }),
        enrollmentIds: Schema.optionalKey(
          Schema.Array(id).check(
            Schema.isMinLength(1, { message: "Must name at least one enrollment" }),
            Schema.isMaxLength(ENROLLMENTS_LIMIT, { message: `Must name at most ${ENROLLMENTS_LIMIT} enrollments` })
          )
        ).annotateKey({ description: "Enrollments of the workspace" })
      })
    ).annotate({
      identifier: "ApiKeyScopeInput",
      description:
        "For OPENADR_VEN keys: the enrollments whose sites the client sees as resources, by one of the fields; null or absent shows no sites"
    })
  ),
  ownerId: Schema.optionalKey(
    Schema.NullOr(Text(1, 255)).annotate({ description: "User who owns the key; required for MANAGEMENT keys" })
  ),
  workspaceId: Schema.optionalKey(
    Text(1, 100).annotate({ description: "A workspace of the organization; default: the workspace of the calling key" })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({
      description: "Time when the key expires, in the future; null or absent means no expiry"
    })
  ),
  rateLimits: Schema.optionalKey(rateLimits)
}).annotate({
  identifier: "CreateApiKey",
  examples: [
    { name: "Back end", type: "SERVER" },
    { name: "Acme devices", type: "MANUFACTURER", manufacturerScope: ["acme"] },
    { name: "Aggregator", type: "OPENADR_VEN", scope: { programInstanceId: exampleIds.programInstance } }
  ]
})
export type CreateApiKey = typeof CreateApiKey.Type

export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(name),
  rateLimits: Schema.optionalKey(rateLimits)
}).annotate({ identifier: "UpdateApiKey", examples: [{ name: "Back end, 2026" }] })
export type UpdateApiKey = typeof UpdateApiKey.Type

export const apiKeyStatuses = ["ACTIVE", "EXPIRED", "REVOKED"] as const

export const ApiKeyStatus = Schema.Literals(apiKeyStatuses).annotate({
  identifier: "ApiKeyStatus",
  message: `Must be one of ${apiKeyStatuses.join(", ")}`,
  description: "Whether a key works, has expired, or is revoked, which goes before expired"
})
export type ApiKeyStatus = typeof ApiKeyStatus.Type

export const ApiKeyFilters = {
  ...paging(20),
  type: Schema.optionalKey(Several(ApiKeyType).annotate({ description: "Only keys of these types" })),
  status: Schema.optionalKey(Several(ApiKeyStatus).annotate({ description: "Only keys with any of these statuses" })),
  workspaceId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Only keys of these workspaces" }))
}

export const RevokeApiKey = Schema.Struct({
  made: Schema.optionalKey(
    Schema.Literals(["revoke", "keep"]).annotate({
      message: "Must be one of revoke, keep",
      description:
        "What becomes of the keys that dashboard sessions of a MANAGEMENT key made, SCOPED ones of their connect sessions included. Default: revoke. `keep` is for rotation"
    })
  )
}).annotate({ identifier: "RevokeApiKey", examples: [{ made: "keep" }] })
export type RevokeApiKey = typeof RevokeApiKey.Type

const seconds = "Must be an integer from 0 to 604800"

export const RotateApiKey = Schema.Struct({
  previousValidSeconds: Schema.optionalKey(
    Schema.Int.annotate({ message: seconds })
      .check(Schema.isBetween({ minimum: 0, maximum: 604_800 }, { message: seconds }))
      .annotate({
        description:
          "Seconds for which the former secret works, too. Default: 86400. 0 ends it at once, as for one that leaked"
      })
  )
}).annotate({ identifier: "RotateApiKey", examples: [{ previousValidSeconds: 3600 }] })
export type RotateApiKey = typeof RotateApiKey.Type

export const Revoked = Schema.Struct({
  message: Sentence.annotate({ description: "Shown to users; the wording may change" })
}).annotate({
  identifier: "Revoked",
  description: "The key has been revoked",
  examples: [{ message: "The API key is revoked" }]
})
