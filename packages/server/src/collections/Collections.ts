import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  Collection,
  CollectionFilters,
  CollectionMember,
  CreateCollection,
  PreviewCollection,
  UpdateCollection
} from "@edp/domain/collections/Collection"
import { type CollectionType, type Criteria, CRITERIA_VERSION } from "@edp/domain/collections/criteria"
import { criteriaProblem } from "@edp/domain/collections/criteriaProblem"
import {
  CollectionNotFound,
  type CustomerNotFound,
  type DeviceNotFound,
  type DuplicateName,
  InvalidCriteria,
  InvalidState,
  type SiteNotFound,
  type ValidationError,
  type WorkspaceNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { CollectionMembers } from "./CollectionMembers.ts"
import { type CollectionRow, isMaterialized, newCollection, toCollection } from "./collectionRow.ts"
import { CollectionsRepository } from "./CollectionsRepository.ts"
import { MaterializedCollections } from "./MaterializedCollections.ts"
import { CollectionsOfDevices } from "../devices/CollectionsPort.ts"
import { collectionTable } from "./collectionTable.ts"

type Caller = CurrentKey["Service"]
type Paging = { readonly page?: number; readonly perPage?: number }
type OfWorkspace = { readonly workspaceId?: string }
type Query = Schema.Struct.Type<typeof CollectionFilters>
type Absent = CollectionNotFound | WorkspaceNotFound
type MemberProblem = Absent | InvalidState | DeviceNotFound | SiteNotFound | CustomerNotFound

const checked = (type: CollectionType, criteria: object): Effect.Effect<Criteria, InvalidCriteria> => {
  const message = criteriaProblem(type, criteria)
  return message === undefined ? Effect.succeed(criteria as Criteria) : Effect.fail(new InvalidCriteria({ message }))
}

const requireFixed = (before: CollectionRow, input: UpdateCollection) => {
  const fields = ["collectionType", "dynamic"] as const
  const changed = fields.filter((field) => input[field] !== undefined && input[field] !== before[field])
  const details = Object.fromEntries(changed.map((field) => [field, `Is fixed: must be ${before[field]}`]))
  return changed.length === 0 ? Effect.void : Effect.fail(invalid(details))
}

/** Groups of devices, sites or customers, selected by criteria or chosen individually. */
export class Collections extends Context.Service<
  Collections,
  {
    readonly list: (
      caller: Caller,
      query: Query
    ) => Effect.Effect<PageOf<Collection>, WorkspaceNotFound | DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<Collection, Absent | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      of: OfWorkspace,
      input: CreateCollection
    ) => Effect.Effect<
      Collection,
      ValidationError | InvalidCriteria | DuplicateName | WorkspaceNotFound | DatabaseUnavailable
    >
    readonly update: (
      caller: Caller,
      id: string,
      of: OfWorkspace,
      input: UpdateCollection
    ) => Effect.Effect<Collection, ValidationError | InvalidCriteria | DuplicateName | Absent | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string, of: OfWorkspace) => Effect.Effect<void, Absent | DatabaseUnavailable>
    readonly refresh: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<Collection, Absent | InvalidState | DatabaseUnavailable>
    readonly preview: (
      caller: Caller,
      query: OfWorkspace & Paging,
      input: PreviewCollection
    ) => Effect.Effect<
      PageOf<CollectionMember>,
      ValidationError | InvalidCriteria | WorkspaceNotFound | DatabaseUnavailable
    >
    readonly members: (
      caller: Caller,
      id: string,
      query: OfWorkspace & Paging
    ) => Effect.Effect<PageOf<CollectionMember>, Absent | DatabaseUnavailable>
    readonly addMember: (
      caller: Caller,
      id: string,
      memberId: string,
      of: OfWorkspace
    ) => Effect.Effect<void, MemberProblem | DatabaseUnavailable>
    readonly removeMember: (
      caller: Caller,
      id: string,
      memberId: string,
      of: OfWorkspace
    ) => Effect.Effect<void, MemberProblem | DatabaseUnavailable>
  }
>()("@edp/server/Collections") {
  static readonly layer = Layer.effect(
    Collections,
    Effect.gen(function* () {
      const repository = yield* CollectionsRepository
      const members = yield* CollectionMembers
      const materialized = yield* MaterializedCollections
      const workspaces = yield* Workspaces
      const audit = yield* AuditTrail
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const transaction = transactionsOn(sql)

      const chooseWorkspace = (caller: Caller, { workspaceId }: OfWorkspace) => workspaces.chosenBy(caller, workspaceId)

      const one = <E>(rows: Effect.Effect<ReadonlyArray<CollectionRow>, E>) =>
        Effect.flatMap(rows, ([row]) =>
          row === undefined ? Effect.fail(new CollectionNotFound({})) : Effect.succeed(row)
        )
      const find = (caller: Caller, id: string, of: OfWorkspace) =>
        Effect.flatMap(chooseWorkspace(caller, of), (workspaceId) => one(repository.get(workspaceId, id)))
      const lock = (caller: Caller, id: string, of: OfWorkspace) =>
        Effect.flatMap(chooseWorkspace(caller, of), (workspaceId) => one(repository.lock(workspaceId, id)))

      const record = (
        action: WriteAction,
        { id, workspaceId }: CollectionRow,
        changed: { readonly before?: object; readonly after?: object } = {}
      ) => audit.record({ action, resourceId: id, workspaceId, ...changed })

      return {
        list: Effect.fn("Collections.list")(function* (caller, query) {
          const workspaceId = yield* chooseWorkspace(caller, query)
          const list = (limit: number, offset: number) =>
            Effect.map(repository.list(workspaceId, query, limit, offset), (rows) => rows.map(toCollection))
          return yield* paginate(query, 10, list, repository.count(workspaceId, query))
        }),
        get: Effect.fn("Collections.get")((caller, id, of) => Effect.map(find(caller, id, of), toCollection)),
        create: Effect.fn("Collections.create")(function* (caller, of, input) {
          const criteria = yield* checked(input.collectionType, input.criteria)
          const workspaceId = yield* workspaces.chosenFor(caller, of.workspaceId, input.workspaceId)
          const created = { id: yield* ids.next, workspaceId, createdById: caller.id, now: yield* now }
          const row = newCollection(input, criteria, CRITERIA_VERSION, created)
          yield* Effect.gen(function* () {
            yield* repository.insert(row)
            // Also when it is frozen: it keeps the members of this moment.
            if (isMaterialized(row)) yield* materialized.refresh(row)
            yield* record("collection.create", row, { after: toCollection(row) })
          }).pipe(transaction)
          return toCollection(row)
        }),
        update: Effect.fn("Collections.update")((caller, id, of, input) =>
          Effect.gen(function* () {
            const before = yield* lock(caller, id, of)
            yield* requireFixed(before, input)
            const { criteria: given, collectionType: _, dynamic: __, ...plain } = input
            const criteria = given && (yield* checked(before.collectionType, given))
            const changes = realChanges(before, { ...plain, ...(criteria && { criteria }) })
            if (changes === undefined) return toCollection(before)
            const after = yield* one(repository.update(id, changes, yield* now))
            const isNews = changes.criteria !== undefined || !before.isActive
            if (isNews && after.isActive && isMaterialized(after)) yield* materialized.refresh(after)
            yield* record("collection.update", after, { before: toCollection(before), after: toCollection(after) })
            return toCollection(after)
          }).pipe(transaction)
        ),
        remove: Effect.fn("Collections.remove")((caller, id, of) =>
          Effect.gen(function* () {
            const before = yield* lock(caller, id, of)
            yield* repository.remove(id, yield* now)
            yield* record("collection.delete", before, { before: toCollection(before) })
          }).pipe(transaction)
        ),
        refresh: Effect.fn("Collections.refresh")((caller, id, of) =>
          Effect.gen(function* () {
            const collection = yield* lock(caller, id, of)
            if (isMaterialized(collection)) {
              if (!collection.isActive) return yield* new InvalidState({ message: "The collection is frozen" })
              yield* materialized.refresh(collection)
              yield* record("collection.refresh", collection)
            }
            return toCollection(collection)
          }).pipe(transaction)
        ),
        preview: Effect.fn("Collections.preview")(function* (caller, query, input) {
          const { collectionType } = input
          const criteria = yield* checked(collectionType, input.criteria)
          const workspaceId = yield* workspaces.chosenFor(caller, query.workspaceId, input.workspaceId)
          return yield* members.meeting({ workspaceId, collectionType }, { criteria }, query)
        }),
        members: Effect.fn("Collections.members")(function* (caller, id, query) {
          return yield* members.list(yield* find(caller, id, query), query)
        }),
        addMember: Effect.fn("Collections.addMember")((caller, id, memberId, of) =>
          Effect.gen(function* () {
            const collection = yield* lock(caller, id, of)
            const isNew = yield* members.add(collection, memberId)
            if (isNew) yield* record("collection.add-member", collection, { after: { memberId } })
          }).pipe(transaction)
        ),
        removeMember: Effect.fn("Collections.removeMember")((caller, id, memberId, of) =>
          Effect.gen(function* () {
            const collection = yield* lock(caller, id, of)
            yield* members.remove(collection, memberId)
            yield* record("collection.remove-member", collection, { before: { memberId } })
          }).pipe(transaction)
        )
      }
    })
  )
}

/** Implements the port of devices, which metrics use too. */
export const CollectionsOfDevicesLive = Layer.effect(
  CollectionsOfDevices,
  Effect.map(SqlClient.SqlClient, collectionTable)
)
