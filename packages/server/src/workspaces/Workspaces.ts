import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeletionProtectionEnabled, type DuplicateName, WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import type { CreateWorkspace, UpdateWorkspace, Workspace } from "@edp/domain/workspaces/Workspace"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Ids } from "../sql/Ids.ts"
import { paginate } from "../sql/paginate.ts"
import { inTransaction } from "../sql/transaction.ts"
import { WorkspacesRepository } from "./WorkspacesRepository.ts"

type Caller = CurrentKey["Service"]

/** A MANAGEMENT key sees every workspace of its organization, any other key its own. */
const scopeOf = (caller: Caller) => (caller.type === "MANAGEMENT" ? undefined : caller.workspaceId)

export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly list: (
      caller: Caller,
      query: { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<Workspace>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Workspace, WorkspaceNotFound>
    readonly create: (caller: Caller, input: CreateWorkspace) => Effect.Effect<Workspace, DuplicateName>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateWorkspace
    ) => Effect.Effect<Workspace, WorkspaceNotFound | DuplicateName>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, WorkspaceNotFound | DeletionProtectionEnabled>
    /** For a transaction that deletes something of the workspace: fails while its protection is on. */
    readonly requireDeletable: (id: string) => Effect.Effect<void, DeletionProtectionEnabled | SqlError.SqlError>
  }
>()("@edp/server/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient

      const get = (caller: Caller, id: string) =>
        Effect.gen(function* () {
          const scope = scopeOf(caller)
          if (scope !== undefined && scope !== id) return yield* new WorkspaceNotFound({})
          const [workspace] = yield* repository.get(caller.organizationId, id)
          return workspace ?? (yield* new WorkspaceNotFound({}))
        })

      const requireDeletable = (id: string) =>
        Effect.flatMap(repository.lock(id), ([row]) =>
          row?.deletionProtection === true ? Effect.fail(new DeletionProtectionEnabled({})) : Effect.void
        )

      return {
        get: Effect.fn("Workspaces.get")(get),
        requireDeletable,
        list: Effect.fn("Workspaces.list")((caller, query) =>
          paginate(
            query,
            10,
            (limit, offset) => repository.list(caller.organizationId, scopeOf(caller), limit, offset),
            repository.count(caller.organizationId, scopeOf(caller))
          )
        ),
        create: Effect.fn("Workspaces.create")(function* (caller, input) {
          const [workspace] = yield* repository.insert(
            {
              id: yield* ids.next,
              organizationId: caller.organizationId,
              name: input.name,
              deletionProtection: input.deletionProtection ?? false,
              timezone: input.timezone ?? "UTC"
            },
            new Date(yield* Clock.currentTimeMillis)
          )
          return workspace!
        }),
        update: Effect.fn("Workspaces.update")(function* (caller, id, input) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const [workspace] = yield* repository.update(caller.organizationId, id, input, now)
          return workspace ?? (yield* new WorkspaceNotFound({}))
        }),
        remove: Effect.fn("Workspaces.remove")((caller, id) =>
          Effect.gen(function* () {
            yield* get(caller, id)
            const now = new Date(yield* Clock.currentTimeMillis)
            const keys = yield* repository.lockManagementKeys(caller.organizationId, now)
            if (keys.every(({ workspaceId }) => workspaceId === id)) {
              return yield* new DeletionProtectionEnabled({
                message: "The last live MANAGEMENT key of the organization is in this workspace"
              })
            }
            yield* requireDeletable(id)
            yield* repository.remove(caller.organizationId, id)
          }).pipe(inTransaction, Effect.provideService(SqlClient.SqlClient, sql))
        )
      }
    })
  )
}
