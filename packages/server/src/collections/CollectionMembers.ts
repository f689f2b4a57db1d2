import type { CollectionMember } from "@edp/domain/collections/Collection"
import type { CollectionType, Membership } from "@edp/domain/collections/criteria"
import { CustomerNotFound, DeviceNotFound, InvalidState, SiteNotFound } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect } from "effect"
import { Customers } from "../customers/Customers.ts"
import { DeviceLists, type DevicePaging } from "../devices/DeviceLists.ts"
import { Sites } from "../sites/Sites.ts"
import type { MemberScope } from "../devices/criteria/memberSql.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { type CollectionRow, isManual, toMembership } from "./collectionRow.ts"
import { MembersRepository } from "./MembersRepository.ts"

type MemberNotFound = DeviceNotFound | SiteNotFound | CustomerNotFound

const notFound = (type: CollectionType): MemberNotFound => {
  if (type === "DEVICE") return new DeviceNotFound({})
  return type === "SITE" ? new SiteNotFound({}) : new CustomerNotFound({})
}

const requireManual = (collection: CollectionRow) => {
  if (!isManual(collection)) {
    return Effect.fail(new InvalidState({ message: "The collection's members follow its criteria" }))
  }
  return collection.isActive
    ? Effect.void
    : Effect.fail(new InvalidState({ message: "The collection is frozen: isActive is false" }))
}

/** Lists and changes the members of collections. */
export const CollectionMembers = Effect.gen(function* () {
  const repository = yield* MembersRepository
  const devices = yield* DeviceLists
  const sites = yield* Sites
  const customers = yield* Customers

  /** For sites and customers; `DeviceLists` reads members and records in one statement. */
  const readRecords = (
    { collectionType, workspaceId }: MemberScope,
    ids: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<CollectionMember>, DatabaseUnavailable> => {
    if (ids.length === 0) return Effect.succeed([])
    return collectionType === "SITE" ? sites.byIds(workspaceId, ids) : customers.byIds(workspaceId, ids)
  }

  const readPage = Effect.fnUntraced(function* (scope: MemberScope, membership: Membership, paging: DevicePaging) {
    if (scope.collectionType === "DEVICE") return yield* devices.members(scope.workspaceId, membership, paging)
    const now = new Date(yield* Clock.currentTimeMillis)
    const list = (limit: number, offset: number) =>
      Effect.flatMap(repository.list(scope, membership, now, limit, offset), (ids) => readRecords(scope, ids))
    return yield* paginate(paging, 10, list, repository.count(scope, membership, now))
  })

  return {
    list: Effect.fn("CollectionMembers.list")((collection: CollectionRow, paging: DevicePaging) =>
      readPage(collection, toMembership(collection), paging)
    ),
    /** The records that meet criteria that no collection has yet. */
    meeting: Effect.fn("CollectionMembers.meeting")(readPage),
    /** True when it was not a member before. */
    add: Effect.fn("CollectionMembers.add")(function* (collection: CollectionRow, memberId: string) {
      yield* requireManual(collection)
      const [record] = yield* repository.add(collection, collection.id, memberId)
      return record?.isNew ?? (yield* notFound(collection.collectionType))
    }),
    remove: Effect.fn("CollectionMembers.remove")(function* (collection: CollectionRow, memberId: string) {
      yield* requireManual(collection)
      const [removed] = yield* repository.remove(collection.id, memberId)
      if (removed === undefined) return yield* notFound(collection.collectionType)
    })
  }
})
