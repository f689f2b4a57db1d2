import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { RateLimits } from "@edp/domain/auth/ApiKeyType"
import type { DashboardSession, signInMethods } from "@edp/domain/dashboard/Session"

/** The MANAGEMENT key behind a session or a link. */
export interface KeyRow {
  readonly keyId: string
  readonly keyName: string
  readonly keyPrefix: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly ownerId: string | null
  readonly rateLimits: RateLimits | null
  readonly revokedAt: Date | null
  readonly keyExpiresAt: Date | null
}

export interface NewSession {
  readonly id: string
  readonly tokenHash: Uint8Array
  readonly keyId: string
  readonly organizationId: string
  readonly method: (typeof signInMethods)[number]
  readonly address: string | null
  readonly userAgent: string | null
  readonly signedInAt: Date
  readonly expiresAt: Date
}

export interface SessionRow extends KeyRow, Omit<NewSession, "tokenHash"> {
  readonly lastUsedAt: Date
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A session ends after this time without use, in milliseconds. */
const UNUSED = 12 * HOUR
const LONGEST = 7 * 24 * HOUR
/** For so long after the sign-in a session may create keys and see secrets. */
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

export const toDashboardSession = (row: SessionRow, currentId: string | undefined): DashboardSession => ({
  id: row.id,
  key: toSessionKey(row),
  current: row.id === currentId,
  method: row.method,
  address: row.address,
  userAgent: row.userAgent,
  signedInAt: row.signedInAt.toISOString(),
  lastUsedAt: row.lastUsedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString()
})
