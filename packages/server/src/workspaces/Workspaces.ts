import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  DeletionProtectionEnabled,
  type DuplicateName,
  type ValidationError,
  WorkspaceNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import type { CreateWorkspace, UpdateWorkspace, Workspace } from "@edp/domain/workspaces/Workspace"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { WorkspacesRepository } from "./WorkspacesRepository.ts"

type Caller = CurrentKey["Service"]

/** The MANAGEMENT keys of an organization, which a later slice stores. */
export class ManagementKeys extends Context.Service<
  ManagementKeys,
  {
    /** Locks the organization's live keys, as a revocation does, and returns their workspaces. */
    readonly lock: (
      organizationId: string,
      now: Date
    ) => Effect.Effect<ReadonlyArray<{ readonly workspaceId: string }>, DatabaseUnavailable>
  }
>()("@edp/server/workspaces/ManagementKeys") {}

/** A MANAGEMENT key sees every workspace of its organization, any other key its own. */
const callerScope = (caller: Caller) => (caller.type === "MANAGEMENT" ? undefined : caller.workspaceId)

export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly list: (
      caller: Caller,
      query: { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<Workspace>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Workspace, WorkspaceNotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateWorkspace
    ) => Effect.Effect<Workspace, DuplicateName | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateWorkspace
    ) => Effect.Effect<Workspace, WorkspaceNotFound | DuplicateName | DatabaseUnavailable>
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<void, WorkspaceNotFound | DeletionProtectionEnabled | DatabaseUnavailable>
    /** Sets the pause, unless the workspace is paused already, or ends it. Background work heeds it: see `workspaceTable`. */
    readonly setPause: (
      caller: Caller,
      id: string,
      isPaused: boolean
    ) => Effect.Effect<Workspace, WorkspaceNotFound | DatabaseUnavailable>
    /** The workspace to act on: a MANAGEMENT key can name another one of its organization. */
    readonly chosenBy: (
      caller: Caller,
      workspaceId: string | undefined
    ) => Effect.Effect<string, WorkspaceNotFound | DatabaseUnavailable>
    /**
     * The workspace of a new resource. The body's field counts for MANAGEMENT keys only, and must not contradict the
     * query.
     */
    readonly chosenFor: (
      caller: Caller,
      query: string | undefined,
      body: string | undefined
    ) => Effect.Effect<string, WorkspaceNotFound | ValidationError | DatabaseUnavailable>
    /** Fails while deletion protection is on. Call it in the transaction that deletes something in the workspace. */
    readonly requireDeletable: (id: string) => Effect.Effect<void, DeletionProtectionEnabled | SqlError.SqlError>
  }
>()("@edp/server/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository
      const managementKeys = yield* ManagementKeys
      const audit = yield* AuditTrail
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient

      const transaction = transactionsOn(sql)

      const one = Effect.flatMap(([workspace]: ReadonlyArray<Workspace>) =>
        workspace === undefined ? Effect.fail(new WorkspaceNotFound({})) : Effect.succeed(workspace)
      )

      const get = (caller: Caller, id: string) => {
        const scope = callerScope(caller)
        if (scope !== undefined && scope !== id) return Effect.fail(new WorkspaceNotFound({}))
        return one(repository.get(caller.organizationId, id))
      }

      const lock = (caller: Caller, id: string) => one(repository.lock(caller.organizationId, id))

      const requireDeletable = (id: string) =>
        Effect.flatMap(repository.holdProtection(id), ([row]) =>
          row?.deletionProtection === true ? Effect.fail(new DeletionProtectionEnabled({})) : Effect.void
        )

      const chosenBy = (caller: Caller, workspaceId: string | undefined) =>
        workspaceId === undefined || workspaceId === caller.workspaceId
          ? Effect.succeed(caller.workspaceId)
          : Effect.map(get(caller, workspaceId), ({ id }) => id)

      return {
        get: Effect.fn("Workspaces.get")(get),
        chosenBy,
        chosenFor: (caller, query, body) => {
          const given = caller.type === "MANAGEMENT" ? body : undefined
          return query !== undefined && given !== undefined && query !== given
            ? Effect.fail(invalid({ workspaceId: "Must be the same in the query and in the body" }))
            : chosenBy(caller, query ?? given)
        },
        requireDeletable,
        list: Effect.fn("Workspaces.list")((caller, query) =>
          paginate(
            query,
            10,
            (limit, offset) => repository.list(caller.organizationId, callerScope(caller), limit, offset),
            repository.count(caller.organizationId, callerScope(caller))
          )
        ),
        create: Effect.fn("Workspaces.create")(function* (caller, input) {
          const id = yield* ids.next
          const now = new Date(yield* Clock.currentTimeMillis)
          const { name, deletionProtection = false, timezone = "UTC", logoUrl = null, accentColor = null } = input
          const { contactEmail = null, contactPhone = null, contactUrl = null } = input
          const { temperatureUnit = "F", distanceUnit = "mi" } = input
          const connectRedirects = [...new Set(input.connectRedirects ?? [])]
          const owned = { id, organizationId: caller.organizationId }
          const contact = { contactEmail, contactPhone, contactUrl }
          const looks = { logoUrl, accentColor, ...contact, temperatureUnit, distanceUnit }
          const workspace = { ...owned, name, deletionProtection, timezone, ...looks, connectRedirects }
          return yield* Effect.gen(function* () {
            const [after] = yield* repository.insert(workspace, now)
            yield* audit.record({ action: "workspace.create", resourceId: id, workspaceId: id, after: after! })
            return after!
          }).pipe(transaction)
        }),
        update: Effect.fn("Workspaces.update")((caller, id, input) =>
          Effect.gen(function* () {
            const now = new Date(yield* Clock.currentTimeMillis)
            const before = yield* lock(caller, id)
            const { connectRedirects, ...fields } = input
            const changes = realChanges(before, {
              ...fields,
              ...(connectRedirects && { connectRedirects: [...new Set(connectRedirects)] })
            })
            if (changes === undefined) return before
            const after = yield* one(repository.update(caller.organizationId, id, changes, now))
            yield* audit.record({ action: "workspace.update", resourceId: id, workspaceId: id, before, after })
            return after
          }).pipe(transaction)
        ),
        setPause: Effect.fn("Workspaces.setPause")((caller, id, isPaused) =>
          Effect.gen(function* () {
            const before = yield* lock(caller, id)
            if ((before.pausedAt !== null) === isPaused) return before
            const now = new Date(yield* Clock.currentTimeMillis)
            const after = yield* one(repository.setPause(id, isPaused ? now : null))
            const action = isPaused ? "workspace.pause" : "workspace.resume"
            yield* audit.record({ action, resourceId: id, workspaceId: id, before, after })
            return after
          }).pipe(transaction)
        ),
        remove: Effect.fn("Workspaces.remove")((caller, id) =>
          Effect.gen(function* () {
            const before = yield* get(caller, id)
            const now = new Date(yield* Clock.currentTimeMillis)
            const keys = yield* managementKeys.lock(caller.organizationId, now)
            if (keys.every(({ workspaceId }) => workspaceId === id)) {
              return yield* new DeletionProtectionEnabled({
                message: "The last valid MANAGEMENT key of the organization is in this workspace"
              })
            }
            yield* requireDeletable(id)
            yield* repository.remove(caller.organizationId, id)
            yield* audit.record({ action: "workspace.delete", resourceId: id, workspaceId: id, before })
          }).pipe(transaction)
        )
      }
    })
  )
}
