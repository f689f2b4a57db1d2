import type { ApiKey, ApiKeyCreated } from "@edp/domain/api-keys/ApiKey"
import type { RateLimits } from "@edp/domain/auth/ApiKeyType"
import type { Column } from "../../table.ts"

const status = (key: ApiKey) => (key.revoked ? "revoked" : "live")

export const keyColumns: ReadonlyArray<Column<ApiKey>> = [
  { title: "ID", value: (key) => key.id, whole: true },
  { title: "NAME", value: (key) => key.name },
  { title: "TYPE", value: (key) => key.type, whole: true },
  { title: "PREFIX", value: (key) => key.keyPrefix, whole: true, wide: true },
  { title: "STATUS", value: status, whole: true },
  { title: "EXPIRES", value: (key) => key.expiresAt, time: true, whole: true, wide: true },
  { title: "LAST USED", value: (key) => key.lastUsedAt, time: true, whole: true, wide: true },
  { title: "WORKSPACE", value: (key) => key.workspaceId, wide: true }
]

const limits = (rateLimits: RateLimits | null) =>
  rateLimits === null
    ? "the deployment's"
    : `read ${rateLimits.read ?? "default"}, write ${rateLimits.write ?? "default"}, bulk ${rateLimits.bulk ?? "default"} a minute`

export const keyFields = (key: ApiKey) =>
  [
    ["id", key.id],
    ["name", key.name],
    ["type", key.type],
    ["status", status(key)],
    ["prefix", key.keyPrefix],
    ["workspace", key.workspaceId],
    ["owner", key.ownerId],
    ["manufacturers", key.manufacturerScope],
    ["limits", limits(key.rateLimits)],
    ["expires", key.expiresAt],
    ["last used", key.lastUsedAt],
    ["created", key.createdAt]
  ] as const

export const createdFields = (key: ApiKeyCreated) =>
  [
    ["id", key.id],
    ["name", key.name],
    ["type", key.type],
    ["workspace", key.workspaceId],
    ["owner", key.ownerId],
    ["manufacturers", key.manufacturerScope],
    ["limits", limits(key.rateLimits)],
    ["expires", key.expiresAt],
    ["key", key.key]
  ] as const

export const SHOWN_ONCE = "Keep the key now: it is never shown again."
