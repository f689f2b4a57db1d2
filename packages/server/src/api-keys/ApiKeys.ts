import { randomBytes } from "node:crypto"
import type { ApiKey, ApiKeyCreated, CreateApiKey, UpdateApiKey } from "@edp/domain/api-keys/ApiKey"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { generateKey } from "@edp/domain/auth/keyFormat"
import {
  ApiKeyNotFound,
  InvalidState,
  type ValidationError,
  type WorkspaceNotFound
} from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import type { PageOf } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../sql/Ids.ts"
import { iso, isoOrNull } from "../sql/iso.ts"
import { paginate } from "../sql/paginate.ts"
import { inTransaction } from "../sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { ApiKeysRepository, toApiKey } from "./ApiKeysRepository.ts"
import { keyHash, keyPrefix } from "./keyHash.ts"

type Caller = CurrentKey["Service"]

/** What a type of key needs besides its name. */
const missing = (input: CreateApiKey, now: number) => {
  const details: Record<string, string> = {}
  if (input.type === "MANUFACTURER" && !input.manufacturerScope) {
    details.manufacturerScope = "Is required for a MANUFACTURER key"
  }
  if (input.type === "MANAGEMENT" && !input.ownerId) details.ownerId = "Is required for a MANAGEMENT key"
  if (input.expiresAt && parseTimestamp(input.expiresAt)! <= now) details.expiresAt = "Must be in the future"
  return details
}

/** The keys of an organization, managed by its MANAGEMENT keys. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly list: (
      caller: Caller,
      query: { readonly page?: number; readonly perPage?: number; readonly workspaceId?: string }
    ) => Effect.Effect<PageOf<ApiKey>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<ApiKey, ApiKeyNotFound>
    readonly create: (
      caller: Caller,
      input: CreateApiKey
    ) => Effect.Effect<ApiKeyCreated, ValidationError | WorkspaceNotFound>
    readonly update: (caller: Caller, id: string, input: UpdateApiKey) => Effect.Effect<ApiKey, ApiKeyNotFound>
    readonly revoke: (caller: Caller, id: string) => Effect.Effect<void, ApiKeyNotFound | InvalidState>
  }
>()("@edp/server/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const repository = yield* ApiKeysRepository
      const workspaces = yield* Workspaces
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient

      const find = (caller: Caller, id: string) =>
        Effect.flatMap(repository.get(caller.organizationId, id), ([row]) =>
          row === undefined ? Effect.fail(new ApiKeyNotFound({})) : Effect.succeed(row)
        )

      return {
        list: Effect.fn("ApiKeys.list")((caller, query) =>
          paginate(
            query,
            20,
            (limit, offset) =>
              Effect.map(repository.list(caller.organizationId, query.workspaceId, limit, offset), (rows) =>
                rows.map(toApiKey)
              ),
            repository.count(caller.organizationId, query.workspaceId)
          )
        ),
        get: Effect.fn("ApiKeys.get")((caller, id) => Effect.map(find(caller, id), toApiKey)),
        create: Effect.fn("ApiKeys.create")(function* (caller, input) {
          const now = yield* Clock.currentTimeMillis
          const details = missing(input, now)
          if (Object.keys(details).length > 0) return yield* invalid(details)
          const workspace = yield* workspaces.get(caller, input.workspaceId ?? caller.workspaceId)
          const key = generateKey(input.type, randomBytes)
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
            rateLimits: input.rateLimits ?? null,
            expiresAt: input.expiresAt ? new Date(parseTimestamp(input.expiresAt)!) : null,
            createdAt: new Date(now)
          }
          yield* repository.insert(created)
          const { organizationId: _, keyHash: __, keyPrefix: ___, ...shown } = created
          return { ...shown, key, expiresAt: isoOrNull(created.expiresAt), createdAt: iso(created.createdAt) }
        }),
        update: Effect.fn("ApiKeys.update")(function* (caller, id, input) {
          const [row] = yield* repository.update(caller.organizationId, id, input)
          return row === undefined ? yield* new ApiKeyNotFound({}) : toApiKey(row)
        }),
        revoke: Effect.fn("ApiKeys.revoke")((caller, id) =>
          Effect.gen(function* () {
            const now = new Date(yield* Clock.currentTimeMillis)
            const live = yield* repository.lockLiveManagementKeys(caller.organizationId, now)
            const row = yield* find(caller, id)
            if (live.length === 1 && live[0]!.id === row.id) {
              return yield* new InvalidState({ message: "The last live MANAGEMENT key can't be revoked" })
            }
            yield* repository.revoke(caller.organizationId, id, now)
          }).pipe(inTransaction, Effect.provideService(SqlClient.SqlClient, sql))
        )
      }
    })
  )
}
