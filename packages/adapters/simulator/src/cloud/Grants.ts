import { createHash, randomBytes } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import { CloudRefusal } from "./CloudRefusal.ts"

/** Codes are for one use within a minute (RFC 6749, 4.1.2, recommends ten at most). */
const CODE_LIFETIME = 60_000
export const ACCESS_LIFETIME = 3600
/** Used refresh tokens that are recognized when they come again. */
const REMEMBERED = 24
const DAY = 86_400_000
/** A permission that is not renewed for this long after its last access token has ended. */
const UNUSED_FOR = 90 * DAY

/** A request for authorization that a person approved. */
const Code = Schema.Struct({
  accountId: Schema.String,
  redirectUri: Schema.String,
  codeChallenge: Schema.String,
  expiresAt: Schema.Number,
  /** The permission that came of it; null before it is used. */
  grantId: Schema.NullOr(Schema.String)
})
type Code = typeof Code.Type

/** A person's permission. Codes and tokens are stored as hashes. */
const Grant = Schema.Struct({
  accountId: Schema.String,
  issuedAt: Schema.Number,
  accessHash: Schema.String,
  accessExpiresAt: Schema.Number,
  refreshHash: Schema.String,
  usedRefreshHashes: Schema.Array(Schema.String),
  revokedAt: Schema.NullOr(Schema.Number)
})
export type Grant = typeof Grant.Type

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
}

const decodeCode = Schema.decodeUnknownSync(Code)
const decodeGrant = Schema.decodeUnknownSync(Grant)

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url")
const secret = () => randomBytes(32).toString("base64url")

const codeKey = (code: string) => `code/${sha256(code)}`
const grantKey = (grantId: string) => `grant/${grantId}`

/** Tokens name their permission, which is found without a search: `sim_<use>.<account>.<random>.<secret>`. */
const tokenPattern = /^sim_(access|refresh)\.([\w-]+\.[\w-]+)\.[\w-]{43}$/
const parseGrantId = (use: "access" | "refresh", token: string) => {
  const match = tokenPattern.exec(token)
  return match?.[1] === use ? match[2]! : undefined
}

const invalidGrant = (message: string) => new CloudRefusal({ status: 400, code: "invalid_grant", message })
const invalidToken = (message: string) => new CloudRefusal({ status: 401, code: "invalid_token", message })

const issue = (grantId: string, lifetime: number, now: number) => {
  const tokens = {
    accessToken: `sim_access.${grantId}.${secret()}`,
    refreshToken: `sim_refresh.${grantId}.${secret()}`,
    expiresIn: lifetime
  }
  const hashes = {
    accessHash: sha256(tokens.accessToken),
    accessExpiresAt: now + lifetime * 1000,
    refreshHash: sha256(tokens.refreshToken)
  }
  return { tokens, hashes }
}

/** The codes and permissions of the simulated manufacturer. */
export const makeGrants = (records: AdapterRecords) => {
  const readGrant = Effect.fnUntraced(function* (grantId: string) {
    const record = yield* records.get(grantKey(grantId))
    return record && { grant: decodeGrant(record.value), version: record.version }
  })

  const revoke = Effect.fnUntraced(function* (grantId: string) {
    const found = yield* readGrant(grantId)
    if (found === undefined || found.grant.revokedAt !== null) return
    const revoked = { ...found.grant, revokedAt: yield* Clock.currentTimeMillis }
    const isWritten = yield* records.put(grantKey(grantId), found.version, revoked)
    if (!isWritten) return yield* Effect.suspend((): Effect.Effect<void> => revoke(grantId))
  })

  const ofAccount = (accountId: string) => records.list(grantKey(`${accountId}.`), 1000)

  /** Codes are short-lived, so few of them are stored at a time. */
  const removeExpiredCodes = Effect.fnUntraced(function* (now: number) {
    const codes = yield* records.list("code/", 100)
    const expired = codes.filter(({ value }) => decodeCode(value).expiresAt + CODE_LIFETIME < now)
    yield* Effect.forEach(expired, ({ key }) => records.remove(key), { discard: true })
  })

  const removeOldGrants = Effect.fnUntraced(function* (accountId: string, now: number) {
    const grants = yield* ofAccount(accountId)
    const old = grants.filter(({ value }) => {
      const { accessExpiresAt, revokedAt } = decodeGrant(value)
      return (revokedAt ?? accessExpiresAt + UNUSED_FOR) < now - DAY
    })
    yield* Effect.forEach(old, ({ key }) => records.remove(key), { discard: true })
  })

  return {
    /** A code for an approved request. */
    authorize: Effect.fnUntraced(function* (request: Pick<Code, "accountId" | "redirectUri" | "codeChallenge">) {
      const now = yield* Clock.currentTimeMillis
      yield* removeExpiredCodes(now)
      const code = secret()
      yield* records.put(codeKey(code), 0, { ...request, expiresAt: now + CODE_LIFETIME, grantId: null } satisfies Code)
      return code
    }),

    /** The account of a code that may be exchanged. A code that comes again ends what came of it. */
    check: Effect.fnUntraced(function* (presented: {
      readonly code: string
      readonly redirectUri: string
      readonly codeVerifier: string
    }) {
      const record = yield* records.get(codeKey(presented.code))
      if (record === undefined) return yield* invalidGrant("The authorization code does not exist")
      const code = decodeCode(record.value)
      if (code.grantId !== null) {
        yield* revoke(code.grantId)
        return yield* invalidGrant("The authorization code has been used; its tokens are revoked")
      }
      if (code.expiresAt <= (yield* Clock.currentTimeMillis))
        return yield* invalidGrant("The authorization code has expired")
      if (code.redirectUri !== presented.redirectUri)
        return yield* invalidGrant("redirect_uri is not that of the authorization request")
      if (sha256(presented.codeVerifier) !== code.codeChallenge)
        return yield* invalidGrant("code_verifier does not match code_challenge")
      return code.accountId
    }),

    /** Tokens for a code that was checked. */
    exchange: Effect.fnUntraced(function* (code: string, lifetime: number) {
      const record = yield* records.get(codeKey(code))
      const stored = record && decodeCode(record.value)
      if (record === undefined || stored === undefined)
        return yield* invalidGrant("The authorization code does not exist")
      const now = yield* Clock.currentTimeMillis
      const { accountId } = stored
      const grantId = `${accountId}.${randomBytes(12).toString("base64url")}`
      const { hashes, tokens } = issue(grantId, lifetime, now)
      // The permission exists before its code is used, so that whoever finds the code used can revoke it.
      const grant: Grant = { accountId, issuedAt: now, ...hashes, usedRefreshHashes: [], revokedAt: null }
      yield* records.put(grantKey(grantId), 0, grant)
      if (stored.grantId !== null || !(yield* records.put(codeKey(code), record.version, { ...stored, grantId }))) {
        yield* records.remove(grantKey(grantId))
        const used = yield* records.get(codeKey(code))
        const other = used && decodeCode(used.value).grantId
        if (other) yield* revoke(other)
        return yield* invalidGrant("The authorization code has been used; its tokens are revoked")
      }
      yield* removeOldGrants(accountId, now)
      return tokens
    }),

    /** The permission of a refresh token. A token that was replaced ends the permission (RFC 9700, 4.14.2). */
    checkRefresh: Effect.fnUntraced(function* (refreshToken: string) {
      const grantId = parseGrantId("refresh", refreshToken)
      const found = grantId === undefined ? undefined : yield* readGrant(grantId)
      if (grantId === undefined || found === undefined) return yield* invalidGrant("The refresh token does not exist")
      if (found.grant.revokedAt !== null) return yield* invalidGrant("The permission has been revoked")
      const hash = sha256(refreshToken)
      if (found.grant.usedRefreshHashes.includes(hash)) {
        yield* revoke(grantId)
        return yield* invalidGrant("The refresh token has been used before; the permission is revoked")
      }
      if (found.grant.refreshHash !== hash) return yield* invalidGrant("The refresh token does not exist")
      return { grantId, grant: found.grant, version: found.version }
    }),

    /** New tokens for a permission; the old ones end. Of two at once, one is a reuse. */
    rotate: Effect.fnUntraced(function* (
      { grant, grantId, version }: { readonly grantId: string; readonly grant: Grant; readonly version: number },
      lifetime: number
    ) {
      const { hashes, tokens } = issue(grantId, lifetime, yield* Clock.currentTimeMillis)
      const usedRefreshHashes = [...grant.usedRefreshHashes, grant.refreshHash].slice(-REMEMBERED)
      if (yield* records.put(grantKey(grantId), version, { ...grant, ...hashes, usedRefreshHashes })) return tokens
      yield* revoke(grantId)
      return yield* invalidGrant("The refresh token has been used before; the permission is revoked")
    }),

    /** The permission of an access token that is valid. */
    authenticate: Effect.fnUntraced(function* (accessToken: string) {
      const grantId = parseGrantId("access", accessToken)
      const found = grantId === undefined ? undefined : yield* readGrant(grantId)
      if (grantId === undefined || found?.grant.accessHash !== sha256(accessToken))
        return yield* invalidToken("The access token is unknown or was replaced")
      if (found.grant.revokedAt !== null) return yield* invalidToken("The permission has been revoked")
      if (found.grant.accessExpiresAt <= (yield* Clock.currentTimeMillis))
        return yield* invalidToken("The access token has expired")
      return { grantId, grant: found.grant }
    }),

    revoke,
    /** Ends the permission of a token of either use; an unknown token is no error (RFC 7009, 2.2). */
    revokeToken: Effect.fnUntraced(function* (token: string) {
      const grantId = parseGrantId("refresh", token) ?? parseGrantId("access", token)
      const found = grantId === undefined ? undefined : yield* readGrant(grantId)
      if (grantId === undefined || found === undefined) return
      const hash = sha256(token)
      if (hash === found.grant.accessHash || hash === found.grant.refreshHash) yield* revoke(grantId)
    }),
    /** Whether anybody may read the account. */
    isLinked: (accountId: string) =>
      Effect.map(ofAccount(accountId), (grants) => grants.some(({ value }) => decodeGrant(value).revokedAt === null)),
    removeAll: (accountId: string) =>
      Effect.flatMap(ofAccount(accountId), (grants) =>
        Effect.forEach(grants, ({ key }) => records.remove(key), { discard: true })
      )
  }
}
export type Grants = ReturnType<typeof makeGrants>
