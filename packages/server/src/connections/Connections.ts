import { randomBytes } from "node:crypto"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  ConnectSession,
  ConnectSessionCreated,
  ConnectSessionDetail,
  ConnectionFilters,
  CreateConnection
} from "@edp/domain/connections/ConnectSession"
import {
  CustomerNotConnectedToSite,
  type CustomerNotFound,
  DuplicateConnection,
  Forbidden,
  type InvalidLocation,
  type LocationServiceError,
  NotFound,
  ServiceUnavailable,
  type SiteNotFound,
  type SiteNotInWorkspace,
  type ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../accounts/Accounts.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { Manufacturers } from "../manufacturers/Manufacturers.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { CurrentSession } from "../platform/http/CurrentSession.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { isoOrNull } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Sites } from "../sites/Sites.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { guarded } from "./linking/AccountLinking.ts"
import { Authorizations } from "./sign-in/Authorizations.ts"
import { redirectProblem } from "./sign-in/CallerReturns.ts"
import { ConnectionsRepository, type SessionAccount } from "./ConnectionsRepository.ts"
import { ConnectSessions, sha256 } from "./sessions/ConnectSessions.ts"
import { limitedTo, newSessionProblems, pendingSession } from "./sessions/newSession.ts"
import { type NewSession, type SessionRow, isPublic, toSession } from "./sessionRow.ts"
import { isFinal } from "./sessionStatus.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof ConnectionFilters>

type Refused =
  | ValidationError
  | CustomerNotFound
  | SiteNotFound
  | SiteNotInWorkspace
  | NotFound
  | Forbidden
  | InvalidLocation
  | LocationServiceError
  | CustomerNotConnectedToSite
  | DuplicateConnection
  | ServiceUnavailable

/** Sessions in which end users connect devices. */
export class Connections extends Context.Service<
  Connections,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<ConnectSession>, DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<ConnectSessionDetail, NotFound | Forbidden | DatabaseUnavailable>
    readonly create: (caller: Caller, input: CreateConnection) => Effect.Effect<ConnectSessionCreated, Refused>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  }
>()("@edp/server/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      const repository = yield* ConnectionsRepository
      const sessions = yield* ConnectSessions
      const authorizations = yield* Authorizations
      const accounts = yield* Accounts
      const manufacturers = yield* Manufacturers
      const sites = yield* Sites
      const workspaces = yield* Workspaces
      const apiKeys = yield* ApiKeys
      const ids = yield* Ids
      const { connectSessionSeconds, publicUrl } = yield* ServerConfig
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)

      const requireKnown = Effect.fnUntraced(function* (slugs: ReadonlyArray<string> | null) {
        const known = slugs === null ? [] : yield* manufacturers.all
        const unknown = (slugs ?? []).filter((slug) => known.every((each) => each.slug !== slug))
        if (unknown.length === 0) return
        return yield* invalid({
          "manufacturerFilters.manufacturers": `Must be known manufacturers; these are not: ${unknown.join(", ")}`
        })
      })

      const requireTarget = Effect.fnUntraced(function* (caller: Caller, { redirectUrl }: CreateConnection) {
        if (redirectUrl === undefined) return
        const { connectRedirects } = yield* Effect.catchTag(
          workspaces.get(caller, caller.workspaceId),
          "WORKSPACE_NOT_FOUND",
          Effect.die
        )
        const problem = redirectProblem({ createdByType: caller.type, connectRedirects, redirectUrl })
        if (problem !== undefined) return yield* invalid({ redirectUrl: problem })
      })

      const inWorkspace = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string) {
        const session = yield* sessions.find(id)
        return session?.workspaceId === workspaceId ? session : yield* new NotFound({})
      })

      /** A CONNECT key may use the sessions that it created. */
      const find = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const session = yield* inWorkspace(caller, id)
        if (caller.type === "CONNECT" && session.createdById !== caller.id) {
          return yield* new Forbidden({ message: "The session was created with another key" })
        }
        return session
      })

      const unlinked = invalid({ reconnect: "Must be a session that succeeded, or its account" })

      const reconnected = Effect.fnUntraced(function* (caller: Caller, { reconnect, ...input }: CreateConnection) {
        if (reconnect === undefined) return undefined
        const { workspaceId } = caller
        const named = caller.type === "CONNECT" ? undefined : yield* repository.account(workspaceId, reconnect)
        const session = named === undefined ? yield* find(caller, reconnect) : undefined
        if (session !== undefined && (session.status !== "SUCCESS" || session.accountId === null))
          return yield* unlinked
        const account = named ?? (yield* repository.account(workspaceId, session!.accountId!))
        if (account === undefined) return yield* unlinked
        const slugs = limitedTo(input)
        const details = {
          ...(input.referenceId !== undefined &&
            input.referenceId !== account.referenceId && { referenceId: "Must be the account's, or absent" }),
          ...(slugs !== null &&
            !slugs.includes(account.manufacturer) && {
              "manufacturerFilters.manufacturers": `Must name the account's manufacturer, ${account.manufacturer}, or be absent`
            })
        }
        return Object.keys(details).length > 0 ? yield* invalid(details) : account
      })

      const requirePerson = Effect.fnUntraced(function* (caller: Caller, input: CreateConnection) {
        const { workspaceId } = caller
        const { customerId, siteId } = input
        if (customerId !== undefined) yield* repository.requireCustomer(workspaceId, customerId)
        if (siteId !== undefined) yield* repository.requireGivenSite(workspaceId, siteId)
        if (input.mode !== "headless" || customerId === undefined) return
        const isLinked = yield* siteId === undefined
          ? Effect.map(repository.siteOfCustomer(workspaceId, customerId), (site) => site !== undefined)
          : repository.isCustomerOfSite(workspaceId, customerId, siteId)
        if (isLinked) return
        return yield* new CustomerNotConnectedToSite(
          siteId === undefined ? { message: "The customer is not associated with any site" } : {}
        )
      })

      /** A stored reference is not shown to whoever can read the key. */
      const chooseReference = Effect.fnUntraced(function* (
        caller: Caller,
        { referenceId, customerId }: CreateConnection,
        account: SessionAccount | undefined
      ) {
        const given = account?.referenceId ?? referenceId
        if (given !== undefined) return given
        const isStored = customerId !== undefined && caller.type !== "CONNECT"
        const stored = isStored ? yield* repository.referenceOf(caller.workspaceId, customerId) : undefined
        return stored ?? (yield* ids.next)
      })

      /** The manufacturer's page, which a headless session leads to directly. */
      const signIn = Effect.fnUntraced(function* (session: NewSession, isAdditional: boolean) {
        const field = "manufacturerFilters.manufacturers"
        const manufacturer = session.manufacturer!
        const refuse = (message: string) => invalid({ [field]: message })
        const instance = yield* accounts
          .instance(manufacturer)
          .pipe(
            Effect.mapError(() => refuse(`Must be a manufacturer that can be connected, which ${manufacturer} is not`))
          )
        const { authorization } = instance
        if (authorization.kind !== "oauth2") {
          return yield* refuse(`Must be a manufacturer at which end users sign in, which ${manufacturer} is not`)
        }
        const { workspaceId, referenceId } = session
        // Whoever can read a public key does not learn which references have an account.
        const isAsked = session.reconnectId === null && !isAdditional && !isPublic(session)
        const isDuplicate =
          isAsked && (yield* accounts.connectedNames({ workspaceId, manufacturer, referenceId })).length > 0
        if (isDuplicate) {
          return yield* new DuplicateConnection({
            message:
              "The reference has a connected account of the manufacturer; send `additional: true` for another one"
          })
        }
        return yield* guarded(
          authorizations.prepare({
            sessionId: session.id,
            manufacturer,
            authorization,
            language: session.language ?? "en",
            token: null,
            browser: null
          })
        ).pipe(
          Effect.catchTag("AdapterError", (error) =>
            Effect.andThen(
              Effect.logWarning(`The sign-in at ${manufacturer} is not available: ${error.failure}: ${error.message}`),
              Effect.fail(new ServiceUnavailable({ message: "The manufacturer is not available; try again" }))
            )
          )
        )
      })

      const shown = Effect.fnUntraced(function* (session: SessionRow) {
        const devices = yield* repository.devices(session.workspaceId, session.deviceIds)
        return {
          ...toSession(session),
          transitions: session.transitions,
          lastError: session.lastError,
          consent: session.consent,
          accountId: session.status === "SUCCESS" ? session.accountId : null,
          deviceIds: session.deviceIds,
          interventions: devices.flatMap(({ id, interventions }) =>
            (interventions ?? []).map((each) => ({ deviceId: id, ...each }))
          ),
          disconnectedAt: isoOrNull(session.disconnectedAt)
        } satisfies ConnectSessionDetail
      })

      return {
        list: Effect.fn("Connections.list")(function* ({ workspaceId }, { page, perPage, ...filters }) {
          const paging = { ...(page !== undefined && { page }), ...(perPage !== undefined && { perPage }) }
          const rows = (limit: number, offset: number) => repository.list(workspaceId, filters, limit, offset)
          const read = paginate(paging, 10, rows, repository.count(workspaceId, filters))
          const first = yield* read
          const isChanged = yield* sessions.expireSome(first.data.map(({ id }) => id))
          const { data, ...rest } = isChanged ? yield* read : first
          return { ...rest, data: data.map(toSession) }
        }),
        get: Effect.fn("Connections.get")((caller, id) => Effect.flatMap(find(caller, id), shown)),
        create: Effect.fn("Connections.create")(function* (caller, input) {
          const problems = newSessionProblems(input)
          if (Object.keys(problems).length > 0) return yield* invalid(problems)
          yield* requireKnown(limitedTo(input))
          yield* requireTarget(caller, input)
          const account = yield* reconnected(caller, input)
          yield* requirePerson(caller, input)
          const { workspaceId } = caller
          const location = input.siteId === undefined ? input.customerInfo?.location : undefined
          const place = location === undefined ? null : yield* sites.locate(workspaceId, location)
          const slugs = limitedTo(input)
          const mode = input.mode ?? "standard"
          const token = mode === "standard" ? randomBytes(32).toString("base64url") : null
          const session = pendingSession(
            {
              id: yield* ids.next,
              workspaceId,
              createdById: caller.id,
              createdByType: caller.type,
              madeBy: (yield* CurrentSession)?.makerId ?? null,
              tokenHash: token === null ? null : sha256(token),
              mode,
              referenceId: yield* chooseReference(caller, input, account),
              redirectUrl: input.redirectUrl ?? null,
              clientName: input.clientName ?? null,
              tags: input.tags === undefined ? (account?.tags ?? null) : [...new Set(input.tags)],
              manufacturers: slugs,
              deviceTypes: input.manufacturerFilters?.deviceTypes ?? null,
              params: input.params ?? null,
              language: input.language ?? null,
              colorScheme: input.colorScheme ?? null,
              customerInfo: input.customerInfo ?? null,
              place,
              customerId: account?.customerId ?? input.customerId ?? null,
              siteId: account?.siteId ?? input.siteId ?? null,
              manufacturer: account?.manufacturer ?? (mode === "headless" ? slugs![0]! : null),
              reconnectId: account?.id ?? null
            },
            new Date(yield* Clock.currentTimeMillis),
            connectSessionSeconds
          )
          const begun = token === null ? yield* signIn(session, input.additional === true) : undefined
          yield* Effect.gen(function* () {
            yield* repository.insert(session)
            if (begun !== undefined) yield* authorizations.store(begun.row)
          }).pipe(transaction)
          const url = begun === undefined ? `${publicUrl.replace(/\/+$/, "")}/connect/${token}` : begun.url
          return { ...toSession(session), url }
        }),
        remove: Effect.fn("Connections.remove")(function* (caller, id) {
          const session = yield* inWorkspace(caller, id)
          if (session.removedAt !== null) return yield* new NotFound({})
          const { workspaceId } = session
          const ended = yield* sessions.change(
            id,
            Effect.fnUntraced(function* (now) {
              if (!isFinal(now.status)) return { path: ["EXPIRED"], error: "expired" } as const
              if (now.status !== "SUCCESS") return undefined
              // First: whatever follows, the keys stop working.
              const keys = now.accountId === null ? [] : yield* repository.accountKeys(workspaceId, now.accountId)
              yield* apiKeys.revokeScoped(workspaceId, [
                ...new Set([...keys, ...(now.keyId === null ? [] : [now.keyId])])
              ])
              return { sealedKey: null }
            })
          )
          const isPending = ended.status !== "SUCCESS" && ended.accountId !== null
          if (isPending) yield* accounts.discard(ended.accountId!)
          const isConnected = ended.status === "SUCCESS" && ended.accountId !== null
          if (isConnected) yield* accounts.disconnect(workspaceId, ended.accountId!)
          const at = new Date(yield* Clock.currentTimeMillis)
          yield* sessions.change(id, () =>
            Effect.succeed({ removedAt: at, disconnectedAt: at, ...(isPending && { accountId: null }) })
          )
        })
      }
    })
  )
}
