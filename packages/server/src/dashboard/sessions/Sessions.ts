import type { ApiKey } from "@edp/domain/api-keys/ApiKey"
import type { CurrentKey as Key } from "@edp/domain/auth/Authentication"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type DashboardLink,
  type DashboardSession,
  type Session,
  type SignIn,
  SIGN_IN_PAGE,
  SIGN_IN_PATH,
  WORKSPACES_LIMIT
} from "@edp/domain/dashboard/Session"
import { NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../api-keys/ApiKeys.ts"
import { KeyAuthenticator, KeyRefused } from "../../api-keys/KeyAuthenticator.ts"
import { AuditTrail } from "../../audit/AuditTrail.ts"
import { RefusedUses } from "../../audit/RefusedUses.ts"
import { SessionsOfMakers } from "../../connections/sessions/SessionsOfMakers.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { CurrentSession } from "../../platform/http/CurrentSession.ts"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { Ids } from "../../platform/Ids.ts"
import { VERSION } from "../../platform/observability/Traces.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../../platform/sql/lists.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import {
  type NewSession,
  endedBecause,
  freshUntil,
  sessionEnd,
  toDashboardSession,
  toManagementKey,
  toSessionKey
} from "./sessionRow.ts"
import { SessionsRepository } from "./SessionsRepository.ts"
import { csrfToken, newToken, tokenHash } from "./sessionToken.ts"

type Caller = Key["Service"]

/** How long a link works, in milliseconds. */
const LINK_LIFETIME = 10 * 60_000
const USER_AGENT_LENGTH = 255

const noSession = new NotFound({ message: "There is no such session" })
const unknown = new KeyRefused({})
const oneOfThem = "Must be given, unless the other one is: token or key"

/** The browser that signs in. */
interface Browser {
  /** The value of its cookie, if it has one. */
  readonly token: string | undefined
  readonly userAgent: string | undefined
}

interface SignedIn {
  readonly session: Session
  /** The value of the new cookie. */
  readonly token: string
}

/** The browsers that are signed in to the dashboard, each by a MANAGEMENT key. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Starts a session by a link's token, which is used up, or by a key; that of the browser ends. */
    readonly signIn: (
      input: SignIn,
      browser: Browser
    ) => Effect.Effect<SignedIn, KeyRefused | ValidationError | DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      csrfToken: string
    ) => Effect.Effect<Session, NotFound | DatabaseUnavailable>
    readonly signOut: (caller: Caller, id: string) => Effect.Effect<void, NotFound | DatabaseUnavailable>
    readonly list: (
      caller: Caller,
      query: { readonly page?: number; readonly perPage?: number },
      currentId: string | undefined
    ) => Effect.Effect<PageOf<DashboardSession>, DatabaseUnavailable>
    /** `withMade`: also what sessions of its browser made: keys, open connect sessions, links, and sessions that began with these. */
    readonly revoke: (
      caller: Caller,
      id: string,
      withMade: boolean
    ) => Effect.Effect<void, NotFound | DatabaseUnavailable>
    /** The valid keys that sessions of its browser made. */
    readonly madeKeys: (
      caller: Caller,
      id: string,
      query: { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<ApiKey>, NotFound | DatabaseUnavailable>
    readonly createLink: (caller: Caller) => Effect.Effect<DashboardLink, DatabaseUnavailable>
    /** A link of the first organization for whoever starts the service; undefined without a live MANAGEMENT key. */
    readonly startLink: Effect.Effect<string | undefined, DatabaseUnavailable>
    /** Deletes ended sessions and expired links. */
    readonly clearEnded: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const repository = yield* SessionsRepository
      const keys = yield* KeyAuthenticator
      const apiKeys = yield* ApiKeys
      const connectSessions = yield* SessionsOfMakers
      const audit = yield* AuditTrail
      const refused = yield* RefusedUses
      const ids = yield* Ids
      const { publicUrl } = yield* ServerConfig
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const found = <A>(row: A | undefined) => (row === undefined ? Effect.fail(noSession) : Effect.succeed(row))
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const show = Effect.fnUntraced(function* (caller: Caller, id: string, csrf: string) {
        const at = yield* now
        const row = yield* Effect.flatMap(repository.get(caller.organizationId, id, at), found)
        const { organization, workspaces } = yield* repository.organization(caller.organizationId, WORKSPACES_LIMIT)
        return {
          id,
          key: toSessionKey(row),
          organization: { id: row.organizationId, name: organization },
          workspaces,
          signedInAt: row.signedInAt.toISOString(),
          freshUntil: freshUntil(row.signedInAt).toISOString(),
          expiresAt: row.expiresAt.toISOString(),
          csrfToken: csrf,
          version: VERSION
        }
      })

      /** Stores a session in the transaction that used up the link. */
      const start = Effect.fnUntraced(function* (
        caller: Caller,
        browser: Browser,
        begun: Pick<NewSession, "method" | "id" | "tokenHash" | "madeBy"> & { readonly linkId?: string }
      ) {
        const { linkId, ...session } = begun
        const signedInAt = yield* now
        const { address } = yield* CurrentRequest
        const replaced =
          browser.token === undefined ? undefined : yield* repository.removeByToken(tokenHash(browser.token))
        // A browser that signs in again with its key goes on: what it made stays in one list.
        const goesOn = replaced !== undefined && replaced.keyId === caller.id && linkId === undefined
        yield* repository.insert({
          ...session,
          ...(goesOn ? { makerId: replaced.makerId, madeBy: replaced.madeBy } : { makerId: session.id }),
          keyId: caller.id,
          organizationId: caller.organizationId,
          address: address === "" ? null : address,
          userAgent: browser.userAgent?.slice(0, USER_AGENT_LENGTH).toWellFormed() ?? null,
          signedInAt,
          expiresAt: sessionEnd(signedInAt, signedInAt.getTime())
        })
        const after = { method: session.method, linkId, replaced: replaced?.id }
        yield* audit
          .record({ action: "session.sign-in", resourceId: session.id, workspaceId: null, after })
          .pipe(Effect.provideService(CurrentKey, caller))
      })

      /** The live MANAGEMENT key of a link, which works no more. */
      const takeLink = Effect.fnUntraced(function* (token: string) {
        const at = yield* now
        const row = yield* repository.takeLink(tokenHash(token), at)
        if (row === undefined) return yield* unknown
        const key = toManagementKey(row)
        const reason = endedBecause(row, at.getTime())
        return reason === undefined
          ? { key, linkId: row.linkId, madeBy: row.madeBy }
          : yield* new KeyRefused({ ended: { key, reason } })
      })

      const noteRefusal = ({ ended }: KeyRefused) =>
        Effect.map(CurrentRequest, ({ address, id: requestId }) =>
          ended === undefined
            ? refused.noteUnknown()
            : refused.note({ ...ended, method: "POST", route: SIGN_IN_PATH, address, requestId })
        )

      /** Ends what sessions of a browser made: first links that would yield further keys. */
      const endMade = Effect.fnUntraced(function* (caller: Caller, makerId: string) {
        const makerIds = yield* repository.browsersFrom(caller.organizationId, makerId)
        const endedConnectSessions = yield* connectSessions.end(makerIds)
        const sessions = yield* repository.removeMade(caller.organizationId, makerIds)
        const keyIds = yield* apiKeys.revokeMadeBy(caller, makerIds)
        return { revokedKeys: keyIds, endedSessions: sessions, endedConnectSessions }
      })

      const end = (caller: Caller, id: string, action: "session.sign-out" | "session.revoke", withMade = false) =>
        Effect.gen(function* () {
          const row = yield* Effect.flatMap(repository.get(caller.organizationId, id, yield* now), found)
          if (!(yield* repository.remove(id))) return yield* noSession
          const after = withMade ? yield* endMade(caller, row.makerId) : undefined
          const { current: _, lastUsedAt: __, expiresAt: ___, ...before } = toDashboardSession(row, undefined)
          yield* audit.record({ action, resourceId: id, workspaceId: null, before, ...(after && { after }) })
        }).pipe(transaction)

      const insertLink = Effect.fnUntraced(function* (keyId: string, madeBy: string | null) {
        const id = yield* ids.next
        const token = newToken()
        const expiresAt = new Date((yield* Clock.currentTimeMillis) + LINK_LIFETIME)
        yield* repository.insertLink({ id, tokenHash: tokenHash(token), keyId, expiresAt, madeBy })
        const url = `${publicUrl.replace(/\/+$/u, "")}${SIGN_IN_PAGE}#token=${token}`
        return { id, link: { url, expiresAt: expiresAt.toISOString() } }
      })

      return {
        signIn: Effect.fn("Sessions.signIn")(
          function* (input, browser) {
            if ((input.token === undefined) === (input.key === undefined)) {
              return yield* invalid({ token: oneOfThem, key: oneOfThem })
            }
            const token = newToken()
            const begun = { id: yield* ids.next, tokenHash: tokenHash(token) }
            const session = (caller: Caller) => show(caller, begun.id, csrfToken(token)).pipe(Effect.orDie)
            if (input.key !== undefined) {
              const key = yield* keys.authenticate(Redacted.make(input.key))
              if (key.type !== "MANAGEMENT") return yield* new KeyRefused({ ended: { key, reason: "WRONG_KEY_TYPE" } })
              yield* transaction(start(key, browser, { ...begun, method: "KEY", madeBy: null }))
              return { token, session: yield* session(key) }
            }
            const linkToken = input.token ?? ""
            const key = yield* Effect.gen(function* () {
              const taken = yield* takeLink(linkToken)
              yield* start(taken.key, browser, { ...begun, method: "LINK", linkId: taken.linkId, madeBy: taken.madeBy })
              return taken.key
            }).pipe(transaction)
            return { token, session: yield* session(key) }
          },
          Effect.tapErrorTag("KeyRefused", noteRefusal)
        ),
        get: Effect.fn("Sessions.get")(show),
        signOut: Effect.fn("Sessions.signOut")((caller, id) => end(caller, id, "session.sign-out")),
        revoke: Effect.fn("Sessions.revoke")((caller, id, withMade) => end(caller, id, "session.revoke", withMade)),
        madeKeys: Effect.fn("Sessions.madeKeys")(function* (caller, id, query) {
          const row = yield* Effect.flatMap(repository.get(caller.organizationId, id, yield* now), found)
          return yield* apiKeys.listMadeBy(caller, row.makerId, query)
        }),
        list: Effect.fn("Sessions.list")((caller, query, currentId) =>
          Effect.flatMap(now, (at) =>
            paginate(
              query,
              10,
              (limit, offset) =>
                Effect.map(repository.list(caller.organizationId, at, limit, offset), (rows) =>
                  rows.map((row) => toDashboardSession(row, currentId))
                ),
              repository.count(caller.organizationId, at)
            )
          )
        ),
        createLink: Effect.fn("Sessions.createLink")((caller) =>
          Effect.gen(function* () {
            const { id, link } = yield* insertLink(caller.id, (yield* CurrentSession)?.makerId ?? null)
            const { expiresAt } = link
            yield* audit.record({
              action: "dashboard-link.create",
              resourceId: id,
              workspaceId: null,
              after: { expiresAt }
            })
            return link
          }).pipe(transaction)
        ),
        startLink: Effect.gen(function* () {
          const keyId = yield* repository.firstKey(yield* now)
          return keyId === undefined ? undefined : (yield* insertLink(keyId, null)).link.url
        }).pipe(Effect.withSpan("Sessions.startLink")),
        clearEnded: Effect.flatMap(now, (at) =>
          Effect.repeat(repository.deleteEnded(at), { while: (more) => more })
        ).pipe(Effect.asVoid, Effect.withSpan("Sessions.clearEnded"))
      }
    })
  )
}
