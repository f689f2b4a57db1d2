import type { SqlClient } from "effect/sql"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"

/** A key that the process itself creates. */
export interface FirstKey {
  readonly id: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly name: string
  readonly type: ApiKeyType
  readonly keyHash: Uint8Array
  readonly keyPrefix: string
  readonly ownerId: string | null
  readonly manufacturerScope: ReadonlyArray<string> | null
}

/** Stores a key of the first start, or one that replaces lost keys. */
export const insertFirstKey = (sql: SqlClient.SqlClient, key: FirstKey, now: Date) =>
  sql`INSERT INTO api_keys (id, organization_id, workspace_id, name, type, key_hash, key_prefix, owner_id,
      manufacturer_scope, created_at)
    VALUES (${key.id}, ${key.organizationId}, ${key.workspaceId}, ${key.name}, ${key.type}, ${key.keyHash}, ${key.keyPrefix},
      ${key.ownerId}, ${key.manufacturerScope}::text[], ${now})`
