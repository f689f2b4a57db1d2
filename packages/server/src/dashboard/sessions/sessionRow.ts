import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { RateLimits } from "@edp/domain/auth/ApiKeyType"
import { type DashboardSession, signInMethods } from "@edp/domain/dashboard/Session"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema, Struct } from "effect"

/** The MANAGEMENT key behind a session or a link. */
export const KeyRow = Schema.Struct({
  keyId: Schema.String,
  keyName: Schema.String,
  keyPrefix: Schema.String,
  organizationId: Schema.String,
  workspaceId: Schema.String,
  ownerId: Schema.NullOr(Schema.String),
  rateLimits: Schema.NullOr(JsonColumn<RateLimits>()),
  revokedAt: Schema.NullOr(Schema.Date),
  keyExpiresAt: Schema.NullOr(Schema.Date)
})
export type KeyRow = typeof KeyRow.Type

export const NewSession = Schema.Struct({
  id: Schema.String,
  tokenHash: Schema.Uint8Array,
  keyId: Schema.String,
  organizationId: Schema.String,
  /** The browser: a session that follows another one in it has its id. */
  makerId: Schema.String,
  /** The browser whose session made the link of this session; null without one. */
  madeBy: Schema.NullOr(Schema.String),
  method: Schema.Literals(signInMethods),
  address: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  signedInAt: Schema.Date,
  expiresAt: Schema.Date
})
export type NewSession = typeof NewSession.Type

export const SessionRow = Schema.Struct({
  ...KeyRow.fields,
  ...Struct.omit(NewSession.fields, ["tokenHash"]),
  lastUsedAt: Schema.Date
})
export type SessionRow = typeof SessionRow.Type

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A session ends after this time without use, in milliseconds. */
const UNUSED = 12 * HOUR
const LONGEST = 7 * 24 * HOUR
/** For so long after the sign-in a session may make, change and end credentials and see secrets. */
const FRESH = 10 * MINUTE

/** The end of a session that is used now. */
export const sessionEnd = (signedInAt: Date, now: number) =>
  new Date(Math.min(now + UNUSED, signedInAt.getTime() + LONGEST))

export const freshUntil = (signedInAt: Date) => new Date(signedInAt.getTime() + FRESH)

export const endedBecause = ({ keyExpiresAt, revokedAt }: KeyRow, now: number) => {
  if (revokedAt !== null) return "KEY_REVOKED" as const
  return keyExpiresAt !== null && keyExpiresAt.getTime() <= now ? ("KEY_EXPIRED" as const) : undefined
}

/** The key of a session or link, in a workspace of its organization. */
export const toManagementKey = (row: KeyRow, workspaceId = row.workspaceId): CurrentKey["Service"] => ({
  id: row.keyId,
  type: "MANAGEMENT",
  organizationId: row.organizationId,
  workspaceId,
  ownerId: row.ownerId,
  manufacturerScope: null,
  scopeReferenceId: null,
  scopeDeviceIds: null,
  rateLimits: row.rateLimits
})

export const toSessionKey = ({ keyId, keyName, keyPrefix, workspaceId }: KeyRow) => ({
  id: keyId,
  name: keyName,
  keyPrefix,
  workspaceId
})

export const toDashboardSession = (
  row: SessionRow & { readonly madeKeys: number },
  currentId: string | undefined
): DashboardSession => ({
  id: row.id,
  key: toSessionKey(row),
  current: row.id === currentId,
  method: row.method,
  address: row.address,
  userAgent: row.userAgent,
  signedInAt: row.signedInAt.toISOString(),
  lastUsedAt: row.lastUsedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  madeKeys: row.madeKeys
})
