import type { ApiKey, ApiKeyScope, ApiKeyStatus, UpdateApiKey } from "@edp/domain/api-keys/ApiKey"
import { ApiKeyType, type RateLimits } from "@edp/domain/auth/ApiKeyType"
import { Effect, Schema } from "effect"
import type { FirstKey } from "./apiKeyTable.ts"
import { SqlClient } from "effect/sql"
import { anyOf, conditions } from "../platform/sql/lists.ts"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { query } from "../platform/sql/transaction.ts"
import { JsonColumn, decodeRows, queryCount, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

/** A key as requests are authenticated by it. */
export const AuthenticatedKeyRow = Schema.Struct({
  id: Schema.String,
  organizationId: Schema.String,
  workspaceId: Schema.String,
  name: Schema.String,
  type: ApiKeyType,
  keyPrefix: Schema.String,
  ownerId: Schema.NullOr(Schema.String),
  manufacturerScope: Schema.NullOr(Schema.Array(Schema.String)),
  scopeReferenceId: Schema.NullOr(Schema.String),
  scopeDeviceIds: Schema.NullOr(Schema.Array(Schema.String)),
  rateLimits: Schema.NullOr(JsonColumn<RateLimits>()),
  revokedAt: Schema.NullOr(Schema.Date),
  expiresAt: Schema.NullOr(Schema.Date),
  lastUsedAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date
})
export type AuthenticatedKeyRow = typeof AuthenticatedKeyRow.Type

export const ApiKeyRow = Schema.Struct({
  ...AuthenticatedKeyRow.fields,
  scopeCustomerId: Schema.NullOr(Schema.String),
  scopeProgramInstanceId: Schema.NullOr(Schema.String),
  scopeEnrollmentIds: Schema.NullOr(Schema.Array(Schema.String))
})
export type ApiKeyRow = typeof ApiKeyRow.Type

/** Filters of the list of keys. */
export interface KeyQuery {
  readonly type?: ReadonlyArray<ApiKeyType>
  readonly status?: ReadonlyArray<ApiKeyStatus>
  readonly workspaceId?: ReadonlyArray<string>
}

export interface NewApiKey extends FirstKey {
  /** The user and devices of a SCOPED key. */
  readonly scope?: { readonly referenceId: string; readonly deviceIds: ReadonlyArray<string> | null }
  /** The enrollments of an OPENADR_VEN key. */
  readonly venScope?: ApiKeyScope
  readonly rateLimits: RateLimits | null
  readonly expiresAt: Date | null
  readonly createdAt: Date
  /** The browser whose dashboard session made it; null for a key that was made with a key. */
  readonly maker: Maker | null
}

/** The browser and the MANAGEMENT key of a dashboard session that makes credentials. */
export interface Maker {
  readonly id: string
  readonly keyId: string
}

const toScope = ({ scopeCustomerId, scopeEnrollmentIds, scopeProgramInstanceId }: ApiKeyRow): ApiKeyScope | null => {
  if (scopeCustomerId !== null) return { customerId: scopeCustomerId }
  if (scopeProgramInstanceId !== null) return { programInstanceId: scopeProgramInstanceId }
  return scopeEnrollmentIds === null ? null : { enrollmentIds: scopeEnrollmentIds }
}

export const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  type: row.type,
  keyPrefix: row.keyPrefix,
  workspaceId: row.workspaceId,
  ownerId: row.ownerId,
  manufacturerScope: row.manufacturerScope,
  scope: toScope(row),
  rateLimits: row.rateLimits,
  revoked: row.revokedAt !== null,
  expiresAt: isoOrNull(row.expiresAt),
  lastUsedAt: isoOrNull(row.lastUsedAt),
  createdAt: iso(row.createdAt)
})

const HashedKeyRow = Schema.Struct({
  ...AuthenticatedKeyRow.fields,
  keyHash: Schema.Uint8Array,
  /** The end of a secret that a rotation has replaced; null for the key's own. */
  secretEndsAt: Schema.NullOr(Schema.Date)
})
const WorkspaceIdRow = Schema.Struct({ workspaceId: Schema.String })
const IdWorkspaceIdRow = Schema.Struct({ id: Schema.String, workspaceId: Schema.String })

export const ApiKeysRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(selectList(ApiKeyRow))
  const authenticated = sql.literal(selectList(AuthenticatedKeyRow))
  const hasStatus = (status: ApiKeyStatus, now: Date) =>
    ({
      ACTIVE: sql`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}))`,
      EXPIRED: sql`(revoked_at IS NULL AND expires_at <= ${now})`,
      REVOKED: sql`revoked_at IS NOT NULL`
    })[status]
  const inOrganization = (organizationId: string, { status, type, workspaceId }: KeyQuery, now: Date) =>
    sql.and([
      ...is("organization_id", organizationId),
      ...isAnyOf("workspace_id", workspaceId),
      ...isAnyOf("type", type),
      ...(status === undefined ? [] : [sql.or(status.map((each) => hasStatus(each, now)))])
    ])

  const madeLive = (organizationId: string, makerId: string, now: Date) =>
    sql`organization_id = ${organizationId} AND made_by = ${makerId} AND ${hasStatus("ACTIVE", now)}`

  return {
    // The subquery hides the array's length from the planner, which would otherwise plan the statement for every request.
    byHashes: (hashes: ReadonlyArray<Uint8Array>) =>
      queryRows(HashedKeyRow)(sql`
        SELECT key_hash AS "keyHash", NULL::timestamptz AS "secretEndsAt", ${authenticated} FROM api_keys
        WHERE key_hash = ANY(ARRAY(SELECT unnest(${hashes}::bytea[])))
        UNION ALL SELECT previous_key_hash, previous_key_until, ${authenticated} FROM api_keys
        WHERE previous_key_hash IS NOT NULL AND previous_key_hash = ANY(ARRAY(SELECT unnest(${hashes}::bytea[])))`),
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(AuthenticatedKeyRow)(sql`SELECT ${authenticated} FROM api_keys WHERE id = ${anyOf(sql, ids)}`),
    list: (organizationId: string, filters: KeyQuery, now: Date, limit: number, offset: number) =>
      queryRows(ApiKeyRow)(sql`SELECT ${columns} FROM api_keys WHERE ${inOrganization(organizationId, filters, now)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (organizationId: string, filters: KeyQuery, now: Date) =>
      queryCount(sql`SELECT count(*)::int AS n FROM api_keys
        WHERE ${inOrganization(organizationId, filters, now)}`),
    get: (organizationId: string, id: string) =>
      queryRows(ApiKeyRow)(
        sql`SELECT ${columns} FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId}`
      ),
    /** Locks the key until the transaction ends. */
    lock: (organizationId: string, id: string) =>
      queryRows(ApiKeyRow)(sql`SELECT ${columns} FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId}
        FOR NO KEY UPDATE`),
    /** Locks the organization's live MANAGEMENT keys, as a revocation does, and returns their workspaces. */
    lockManagementKeys: (organizationId: string, now: Date) =>
      queryRows(WorkspaceIdRow)(sql`
        SELECT workspace_id AS "workspaceId" FROM api_keys
        WHERE organization_id = ${organizationId} AND type = 'MANAGEMENT' AND ${hasStatus("ACTIVE", now)}
        ORDER BY id FOR UPDATE`),
    insert: (key: NewApiKey) =>
      query(sql`INSERT INTO api_keys (id, organization_id, workspace_id, name, type, key_hash, key_prefix, owner_id,
          manufacturer_scope, scope_reference_id, scope_device_ids, scope_customer_id, scope_program_instance_id,
          scope_enrollment_ids, rate_limits, expires_at, created_at, made_by, made_with,
          revoked_at)
        VALUES (${key.id}, ${key.organizationId}, ${key.workspaceId}, ${key.name}, ${key.type}, ${key.keyHash},
          ${key.keyPrefix}, ${key.ownerId}, ${key.manufacturerScope}::text[],
          ${key.scope?.referenceId ?? null}, ${key.scope?.deviceIds ?? null}::text[],
          ${key.venScope?.customerId ?? null}, ${key.venScope?.programInstanceId ?? null},
          ${key.venScope?.enrollmentIds ?? null}::text[],
          ${key.rateLimits === null ? null : JSON.stringify(key.rateLimits)}::jsonb, ${key.expiresAt}, ${key.createdAt},
          ${key.maker?.id ?? null}, ${key.maker?.keyId ?? null},
          (SELECT revoked_at FROM api_keys WHERE id = ${key.maker?.keyId ?? null} FOR SHARE))`),
    /** The valid keys that sessions of a browser made. */
    madeBy: (organizationId: string, makerId: string, now: Date, limit: number, offset: number) =>
      queryRows(ApiKeyRow)(sql`SELECT ${columns} FROM api_keys WHERE ${madeLive(organizationId, makerId, now)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    countMadeBy: (organizationId: string, makerId: string, now: Date) =>
      queryCount(sql`SELECT count(*)::int AS n FROM api_keys
        WHERE ${madeLive(organizationId, makerId, now)}`),
    /**
     * Locks the valid keys that sessions of these browsers or of this key made, and those that sessions of such a key made, to any depth.
     * Only MANAGEMENT keys have sessions.
     */
    lockMade: (
      organizationId: string,
      from: { readonly makerIds: ReadonlyArray<string>; readonly keyId: string | null }
    ) =>
      queryRows(ApiKeyRow)(sql`SELECT ${columns} FROM api_keys WHERE id IN (
          WITH RECURSIVE made AS (
            SELECT id, type FROM api_keys WHERE organization_id = ${organizationId}
              AND (made_by = ANY(${from.makerIds}::text[]) OR made_with = ${from.keyId})
            UNION SELECT key.id, key.type FROM made JOIN api_keys AS key ON key.made_with = made.id
              WHERE made.type = 'MANAGEMENT'
          ) SELECT id FROM made)
        AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE`),
    revokeAll: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE api_keys SET revoked_at = ${now} WHERE id = ANY(${ids}::text[]) AND revoked_at IS NULL`),
    /** Writes only the given fields, so that concurrent changes of different fields are both kept. */
    update: (organizationId: string, id: string, { name, rateLimits }: UpdateApiKey) =>
      queryRows(ApiKeyRow)(sql`UPDATE api_keys SET name = coalesce(${name ?? null}, name),
          rate_limits = CASE WHEN ${rateLimits !== undefined}
            THEN ${rateLimits ? JSON.stringify(rateLimits) : null}::jsonb ELSE rate_limits END
        WHERE id = ${id} AND organization_id = ${organizationId} RETURNING ${columns}`),
    /** Gives the key a new secret; its former one works until `previousUntil`. */
    rotate: (
      organizationId: string,
      id: string,
      secret: { readonly keyHash: Uint8Array; readonly keyPrefix: string; readonly previousUntil: Date }
    ) =>
      queryRows(
        ApiKeyRow
      )(sql`UPDATE api_keys SET previous_key_hash = key_hash, previous_key_until = ${secret.previousUntil},
          key_hash = ${secret.keyHash}, key_prefix = ${secret.keyPrefix}
        WHERE id = ${id} AND organization_id = ${organizationId} RETURNING ${columns}`),
    /** Locks the organization's live MANAGEMENT keys, so that two revocations can't revoke the last two. */
    lockLiveManagementKeys: (organizationId: string, now: Date) =>
      decodeRows(IdWorkspaceIdRow)(sql`
        SELECT id, workspace_id AS "workspaceId" FROM api_keys
        WHERE organization_id = ${organizationId} AND type = 'MANAGEMENT' AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now})
        ORDER BY id FOR UPDATE`),
    revoke: (organizationId: string, id: string, now: Date) =>
      sql`UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${now})
        WHERE id = ${id} AND organization_id = ${organizationId}`,
    revokeScoped: (workspaceId: string, ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE api_keys SET revoked_at = ${now} WHERE id = ANY(${ids}::text[]) AND workspace_id = ${workspaceId}
        AND type = 'SCOPED' AND revoked_at IS NULL`),
    /** Never moves a time back: instances write in any order. */
    touch: (ids: ReadonlyArray<string>, times: ReadonlyArray<Date>) =>
      query(sql`UPDATE api_keys SET last_used_at = greatest(last_used_at, used.at)
        FROM unnest(${ids}::text[], ${times}::timestamptz[]) AS used (id, at) WHERE api_keys.id = used.id`)
  }
})
