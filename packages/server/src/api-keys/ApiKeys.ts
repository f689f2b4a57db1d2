import { randomBytes } from "node:crypto"
import type {
  ApiKey,
  ApiKeyScope,
  ApiKeyCreated,
  ApiKeyRotated,
  CreateApiKey,
  RevokeApiKey,
  RotateApiKey,
  UpdateApiKey
} from "@edp/domain/api-keys/ApiKey"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { generateKey } from "@edp/domain/auth/keyFormat"
import {
  ApiKeyNotFound,
  InvalidState,
  type ValidationError,
  type WorkspaceNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { CurrentSession } from "../platform/http/CurrentSession.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { iso, realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces, ManagementKeys } from "../workspaces/Workspaces.ts"
import { type ApiKeyRow, ApiKeysRepository, type KeyQuery, type Maker, toApiKey } from "./ApiKeysRepository.ts"
import { keyHash, keyPrefix } from "./KeyAuthenticator.ts"
import { VenScopes } from "./VenScopes.ts"

type Caller = CurrentKey["Service"]

const scopeFields = ["customerId", "programInstanceId", "enrollmentIds"] as const

/** The fields of a scope that are wrong in themselves. */
const scopeDetails = (type: CreateApiKey["type"], scope: ApiKeyScope): Readonly<Record<string, string>> => {
  if (type !== "OPENADR_VEN") return { scope: "Is for keys of the type OPENADR_VEN" }
  const [first, ...others] = scopeFields.filter((field) => scope[field] !== undefined)
  if (first === undefined) return { scope: `Must have one of ${scopeFields.join(", ")}` }
  return Object.fromEntries(others.map((field) => [`scope.${field}`, `Can't be given together with ${first}`]))
}

/** The fields that a type of key requires, where they are missing or wrong. */
const missing = (input: CreateApiKey, now: number) => {
  const details: Record<string, string> = {}
  if (input.type === "MANUFACTURER" && !input.manufacturerScope) {
    details.manufacturerScope = "Is required for a MANUFACTURER key"
  }
  if (input.type === "MANAGEMENT" && !input.ownerId) details.ownerId = "Is required for a MANAGEMENT key"
  if (input.expiresAt && parseTimestamp(input.expiresAt)! <= now) details.expiresAt = "Must be in the future"
  return { ...details, ...(input.scope && scopeDetails(input.type, input.scope)) }
}

/** Seconds for which the former secret of a rotated key works, unless the request says otherwise. */
const PREVIOUS_VALID_SECONDS = 86_400

/** Why a key can't get a new secret; undefined if it can. */
const unrotatable = ({ expiresAt, revokedAt, type }: ApiKeyRow, now: number) => {
  if (type === "SCOPED") return "A SCOPED key comes from the connect flow: connect again instead"
  if (revokedAt !== null) return "The key is revoked: create a new one instead"
  return expiresAt !== null && expiresAt.getTime() <= now ? "The key has expired: create a new one instead" : undefined
}

/** The devices of a SCOPED key. */
export interface UserScope {
  readonly organizationId: string
  readonly workspaceId: string
  readonly name: string
  /** The user, by the identifier of the caller's system. */
  readonly referenceId: string
  /** The only devices of the user that the key covers; null for all, also those connected later. */
  readonly deviceIds: ReadonlyArray<string> | null
  readonly expiresAt: Date | null
  /** The dashboard session that began the connect session; null for none. A key of a revoked maker is revoked from the start. */
  readonly maker: Maker | null
}

/** The keys of an organization, managed by its MANAGEMENT keys. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly list: (
      caller: Caller,
      query: KeyQuery & { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<ApiKey>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<ApiKey, ApiKeyNotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateApiKey
    ) => Effect.Effect<ApiKeyCreated, ValidationError | WorkspaceNotFound | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateApiKey
    ) => Effect.Effect<ApiKey, ApiKeyNotFound | DatabaseUnavailable>
    /** Gives the key a new secret under the same id; the former one works for a while. */
    readonly rotate: (
      caller: Caller,
      id: string,
      input: RotateApiKey
    ) => Effect.Effect<ApiKeyRotated, ApiKeyNotFound | InvalidState | DatabaseUnavailable>
    /** Also revokes what dashboard sessions of the key made, unless they are kept. Returns how many these were. */
    readonly revoke: (
      caller: Caller,
      id: string,
      input: RevokeApiKey
    ) => Effect.Effect<number, ApiKeyNotFound | InvalidState | DatabaseUnavailable>
    /** The valid keys that dashboard sessions of a browser made. */
    readonly listMadeBy: (
      caller: Caller,
      makerId: string,
      query: { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<ApiKey>, DatabaseUnavailable>
    /** Revokes what sessions of the browsers made, but not the caller's own key. Joins the caller's transaction; returns the ids. */
    readonly revokeMadeBy: (
      caller: Caller,
      makerIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
    /** Issues a key for the devices of one connected user. Joins the caller's transaction. */
    readonly issueScoped: (
      scope: UserScope
    ) => Effect.Effect<{ readonly id: string; readonly key: Redacted.Redacted }, DatabaseUnavailable>
    /** Revokes SCOPED keys of the workspace. Joins the caller's transaction. */
    readonly revokeScoped: (workspaceId: string, ids: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const repository = yield* ApiKeysRepository
      const workspaces = yield* Workspaces
      const scopes = yield* VenScopes
      const audit = yield* AuditTrail
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient

      const transaction = transactionsOn(sql)

      const one = Effect.flatMap(([row]: ReadonlyArray<ApiKeyRow>) =>
        row === undefined ? Effect.fail(new ApiKeyNotFound({})) : Effect.succeed(row)
      )

      const recorded = (action: WriteAction, before: ApiKey | undefined, after: ApiKey) =>
        audit.record({ action, resourceId: after.id, workspaceId: after.workspaceId, before, after })

      /** Revokes keys with one that made them. A connected user's key has no record of its own: its session has. */
      const revokeEach = Effect.fnUntraced(function* (keys: ReadonlyArray<ApiKeyRow>, now: Date) {
        if (keys.length === 0) return
        yield* repository.revokeAll(
          keys.map(({ id }) => id),
          now
        )
        yield* Effect.forEach(
          keys.filter(({ type }) => type !== "SCOPED").map(toApiKey),
          (before) => recorded("api-key.revoke", before, { ...before, revoked: true }),
          { discard: true }
        )
      })

      const shown = Effect.map((rows: ReadonlyArray<ApiKeyRow>) => rows.map(toApiKey))

      return {
        list: Effect.fn("ApiKeys.list")(function* ({ organizationId }, query) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const list = (limit: number, offset: number) =>
            shown(repository.list(organizationId, query, now, limit, offset))
          return yield* paginate(query, 20, list, repository.count(organizationId, query, now))
        }),
        get: Effect.fn("ApiKeys.get")((caller, id) =>
          repository.get(caller.organizationId, id).pipe(one, Effect.map(toApiKey))
        ),
        create: Effect.fn("ApiKeys.create")(function* (caller, input) {
          const now = yield* Clock.currentTimeMillis
          const details = missing(input, now)
          if (Object.keys(details).length > 0) return yield* invalid(details)
          const workspace = yield* workspaces.get(caller, input.workspaceId ?? caller.workspaceId)
          const scope = input.scope ?? undefined
          const unknown = scope === undefined ? {} : yield* scopes.check(workspace.id, scope)
          if (Object.keys(unknown).length > 0) return yield* invalid(unknown)
          const enrollmentIds = scope?.enrollmentIds === undefined ? null : [...new Set(scope.enrollmentIds)]
          const key = generateKey(input.type, randomBytes)
          const session = yield* CurrentSession
          const created = {
            id: yield* ids.next,
            organizationId: caller.organizationId,
            workspaceId: workspace.id,
            name: input.name,
            type: input.type,
            keyHash: keyHash(key),
            keyPrefix: keyPrefix(key),
            ownerId: input.ownerId ?? null,
            manufacturerScope: input.type === "MANUFACTURER" ? (input.manufacturerScope ?? null) : null,
            ...(scope !== undefined && { venScope: { ...scope, ...(enrollmentIds !== null && { enrollmentIds }) } }),
            rateLimits: input.rateLimits ?? null,
            expiresAt: input.expiresAt ? new Date(parseTimestamp(input.expiresAt)!) : null,
            createdAt: new Date(now),
            maker: session === undefined ? null : { id: session.makerId, keyId: caller.id }
          }
          const after = toApiKey({
            ...created,
            scopeReferenceId: null,
            scopeDeviceIds: null,
            scopeCustomerId: scope?.customerId ?? null,
            scopeProgramInstanceId: scope?.programInstanceId ?? null,
            scopeEnrollmentIds: enrollmentIds,
            revokedAt: null,
            lastUsedAt: null
          })
          yield* Effect.gen(function* () {
            yield* repository.insert(created)
            if (scope !== undefined) yield* scopes.begin(created)
            yield* recorded("api-key.create", undefined, after)
          }).pipe(transaction)
          const { keyPrefix: _, revoked: __, lastUsedAt: ___, ...response } = after
          return { ...response, key }
        }),
        update: Effect.fn("ApiKeys.update")((caller, id, input) =>
          Effect.gen(function* () {
            const before = toApiKey(yield* one(repository.lock(caller.organizationId, id)))
            // A null limit is stored as well: it means the default.
            const rateLimits = input.rateLimits && { ...before.rateLimits, ...input.rateLimits }
            const changes = realChanges(before, { ...input, ...(rateLimits && { rateLimits }) })
            if (changes === undefined) return before
            const after = toApiKey(yield* one(repository.update(caller.organizationId, id, changes)))
            yield* recorded("api-key.update", before, after)
            return after
          }).pipe(transaction)
        ),
        rotate: Effect.fn("ApiKeys.rotate")((caller, id, { previousValidSeconds = PREVIOUS_VALID_SECONDS }) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const row = yield* one(repository.lock(caller.organizationId, id))
            const problem = unrotatable(row, now)
            if (problem !== undefined) return yield* new InvalidState({ message: problem })
            const key = generateKey(row.type, randomBytes)
            const previousUntil = new Date(now + previousValidSeconds * 1000)
            const secret = { keyHash: keyHash(key), keyPrefix: keyPrefix(key), previousUntil }
            const after = toApiKey(yield* one(repository.rotate(caller.organizationId, id, secret)))
            yield* recorded("api-key.rotate", toApiKey(row), after)
            const { keyPrefix: _, revoked: __, lastUsedAt: ___, ...response } = after
            return { ...response, key, previousKeyExpiresAt: iso(previousUntil) }
          }).pipe(transaction)
        ),
        revoke: Effect.fn("ApiKeys.revoke")((caller, id, { made }) =>
          Effect.gen(function* () {
            const now = new Date(yield* Clock.currentTimeMillis)
            const live = yield* repository.lockLiveManagementKeys(caller.organizationId, now)
            const before = toApiKey(yield* one(repository.lock(caller.organizationId, id)))
            if (live.length === 1 && live[0]!.id === id) {
              return yield* new InvalidState({ message: "The last valid MANAGEMENT key can't be revoked" })
            }
            const keys =
              made === "keep" || before.type !== "MANAGEMENT"
                ? []
                : yield* repository.lockMade(caller.organizationId, { makerIds: [], keyId: id })
            const gone = new Set([id, ...keys.map((key) => key.id)])
            if (live.length > 0 && live.every((key) => gone.has(key.id))) {
              return yield* new InvalidState({
                message:
                  "Sessions of the key made every other valid MANAGEMENT key: revoke it with made=keep, or create another key first"
              })
            }
            yield* repository.revoke(caller.organizationId, id, now)
            yield* recorded("api-key.revoke", before, { ...before, revoked: true })
            yield* revokeEach(keys, now)
            return keys.length
          }).pipe(transaction)
        ),
        listMadeBy: Effect.fn("ApiKeys.listMadeBy")(function* ({ organizationId }, makerId, query) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const list = (limit: number, offset: number) =>
            shown(repository.madeBy(organizationId, makerId, now, limit, offset))
          return yield* paginate(query, 20, list, repository.countMadeBy(organizationId, makerId, now))
        }),
        revokeMadeBy: Effect.fn("ApiKeys.revokeMadeBy")(function* (caller, makerIds) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const made = yield* repository.lockMade(caller.organizationId, { makerIds, keyId: null })
          const keys = made.filter(({ id }) => id !== caller.id)
          yield* revokeEach(keys, now)
          return keys.map(({ id }) => id)
        }),
        issueScoped: Effect.fn("ApiKeys.issueScoped")(function* ({ deviceIds, referenceId, ...scope }) {
          const key = generateKey("SCOPED", randomBytes)
          const id = yield* ids.next
          yield* repository.insert({
            ...scope,
            id,
            type: "SCOPED",
            keyHash: keyHash(key),
            keyPrefix: keyPrefix(key),
            ownerId: null,
            manufacturerScope: null,
            scope: { referenceId, deviceIds },
            rateLimits: null,
            createdAt: new Date(yield* Clock.currentTimeMillis)
          })
          return { id, key: Redacted.make(key) }
        }),
        revokeScoped: Effect.fn("ApiKeys.revokeScoped")(function* (workspaceId, ids) {
          if (ids.length === 0) return
          yield* repository.revokeScoped(workspaceId, ids, new Date(yield* Clock.currentTimeMillis))
        })
      }
    })
  )
}

/** Implements the port of workspaces. */
export const ManagementKeysLive = Layer.effect(
  ManagementKeys,
  Effect.map(ApiKeysRepository, ({ lockManagementKeys }) => ({ lock: lockManagementKeys }))
)
