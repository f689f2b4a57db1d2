import { Clock, Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AdapterRoute } from "@edp/adapter-kit/ManufacturerAdapter"
import { type AccountRecord, findAccountFault } from "../cloud/AccountRecord.ts"
import type { Accounts, LiveAccount } from "../cloud/Accounts.ts"
import { CloudRefusal } from "../cloud/CloudRefusal.ts"
import { ACCESS_LIFETIME, type Grants, type Tokens } from "../cloud/Grants.ts"
import { CLIENT_ID } from "./AuthorizationEndpoint.ts"

export const tokenPath = "/adapters/simulator/oauth/token"
export const revokePath = "/adapters/simulator/oauth/revoke"

const parameter = Schema.String.check(Schema.isBetweenLength(1, 2000))

const TokenRequest = Schema.Union([
  Schema.Struct({
    grant_type: Schema.Literal("authorization_code"),
    client_id: parameter,
    code: parameter,
    redirect_uri: parameter,
    code_verifier: Schema.String.check(Schema.isPattern(/^[\w.~-]{43,128}$/))
  }),
  Schema.Struct({ grant_type: Schema.Literal("refresh_token"), client_id: parameter, refresh_token: parameter })
])
const decodeTokenRequest = Schema.decodeUnknownResult(TokenRequest)

const RevocationRequest = Schema.Struct({ client_id: parameter, token: parameter })
const decodeRevocation = Schema.decodeUnknownResult(RevocationRequest)

const noStore = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const refused = ({ code, message, retryAfter, status }: CloudRefusal) =>
  HttpServerResponse.jsonUnsafe(
    { error: code, error_description: message },
    { status, headers: { ...noStore, ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }) } }
  )

const invalidRequest = (message: string) => new CloudRefusal({ status: 400, code: "invalid_request", message })
const invalidClient = new CloudRefusal({
  status: 401,
  code: "invalid_client",
  message: "The client is not registered at this manufacturer"
})

const REFUSED_LIFETIME = 60

const fault = ({ record, time }: LiveAccount, kind: AccountRecord["faults"][number]["kind"]) =>
  findAccountFault(record, kind, time)

/** Seconds for which the account's access tokens are valid. */
const lifetime = (account: LiveAccount) => {
  const refused = fault(account, "refresh_refused")
  return refused === undefined ? ACCESS_LIFETIME : (refused.seconds ?? REFUSED_LIFETIME)
}

const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const search = new URLSearchParams(yield* Effect.orElseSucceed(request.text, () => ""))
  return new Set(search.keys()).size === [...search.keys()].length ? Object.fromEntries(search) : undefined
})

/** The endpoints for tokens: their issue, renewal (RFC 6749) and revocation (RFC 7009). */
export const tokenRoutes = (accounts: Accounts, grants: Grants): ReadonlyArray<AdapterRoute> => {
  /** The account behind a request, unless a fault of its sign-in stands in the way. */
  const enter = Effect.fnUntraced(function* (accountId: string) {
    const account = yield* accounts.find(accountId)
    if (account === undefined)
      return yield* new CloudRefusal({ status: 400, code: "invalid_grant", message: "The account was removed" })
    const slow = fault(account, "slow")
    if (slow) yield* Effect.sleep((slow.seconds ?? 5) * 1000)
    if (fault(account, "unavailable"))
      return yield* new CloudRefusal({ status: 503, code: "temporarily_unavailable", message: "The service is down" })
    return account
  })

  const exchange = Effect.fnUntraced(function* (code: string, redirectUri: string, codeVerifier: string) {
    const account = yield* enter(yield* grants.check({ code, redirectUri, codeVerifier }))
    if (fault(account, "sign_in_unavailable"))
      return yield* new CloudRefusal({ status: 503, code: "temporarily_unavailable", message: "Sign-ins are down" })
    if (fault(account, "client_rejected")) return yield* invalidClient
    if (fault(account, "code_refused"))
      return yield* new CloudRefusal({ status: 400, code: "invalid_grant", message: "The code is refused" })
    return { account, tokens: yield* grants.exchange(code, lifetime(account)) }
  })

  const refresh = Effect.fnUntraced(function* (refreshToken: string) {
    const found = yield* grants.checkRefresh(refreshToken)
    const account = yield* enter(found.grant.accountId)
    const revoked = fault(account, "token_revoked")
    const isOver = revoked && found.grant.issuedAt + (revoked.seconds ?? 0) * 1000 <= (yield* Clock.currentTimeMillis)
    if (isOver || fault(account, "refresh_refused")) {
      yield* grants.revoke(found.grantId)
      return yield* new CloudRefusal({ status: 400, code: "invalid_grant", message: "The permission has been revoked" })
    }
    return { account, tokens: yield* grants.rotate(found, lifetime(account)) }
  })

  const respond = ({ account, tokens }: { readonly account: LiveAccount; readonly tokens: Tokens }) =>
    HttpServerResponse.jsonUnsafe(
      fault(account, "garbled_tokens")
        ? { token: "none" }
        : {
            access_token: tokens.accessToken,
            token_type: "Bearer",
            expires_in: tokens.expiresIn,
            refresh_token: tokens.refreshToken,
            scope: fault(account, "scope_missing") ? "devices" : "devices commands"
          },
      { headers: noStore }
    )

  const token = Effect.gen(function* () {
    const decoded = decodeTokenRequest(yield* readForm)
    if (Result.isFailure(decoded)) return yield* invalidRequest("A parameter is missing, repeated or invalid")
    const request = decoded.success
    if (request.client_id !== CLIENT_ID) return yield* invalidClient
    return respond(
      yield* request.grant_type === "refresh_token"
        ? refresh(request.refresh_token)
        : exchange(request.code, request.redirect_uri, request.code_verifier)
    )
  }).pipe(Effect.catchTag("CloudRefusal", (refusal) => Effect.succeed(refused(refusal))))

  const revoke = Effect.gen(function* () {
    const decoded = decodeRevocation(yield* readForm)
    if (Result.isFailure(decoded)) return yield* invalidRequest("A parameter is missing, repeated or invalid")
    if (decoded.success.client_id !== CLIENT_ID) return yield* invalidClient
    yield* grants.revokeToken(decoded.success.token)
    return HttpServerResponse.empty({ status: 200, headers: noStore })
  }).pipe(Effect.catchTag("CloudRefusal", (refusal) => Effect.succeed(refused(refusal))))

  return [
    { method: "POST", path: tokenPath, handle: token },
    { method: "POST", path: revokePath, handle: revoke }
  ]
}
