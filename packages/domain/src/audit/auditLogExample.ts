import { exampleIds } from "../shared/exampleIds.ts"

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
