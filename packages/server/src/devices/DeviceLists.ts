import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Membership } from "@edp/domain/collections/criteria"
import type { Device } from "@edp/domain/devices/Device"
import type { SiteNotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { type PageOf, pageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../platform/sql/lists.ts"
import { shareEqual } from "../platform/batching/shareEqual.ts"
import { everyDevice, type Lead, leadOf } from "./deviceLead.ts"
import { DeviceListRepository, type Part } from "./DeviceListRepository.ts"
import { DeviceSearchRepository } from "./DeviceSearchRepository.ts"
import { amongMembers } from "./deviceMembership.ts"
import { type DeviceQuery, type DeviceSelection, deviceSelection, wholeWorkspace } from "./deviceSelection.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import { type DeviceRow, toDevice } from "./toDevice.ts"

type Caller = CurrentKey["Service"]

/** A page of a large list with the cursor of the next one, if there is one; within a cursor walk it has no totals. */
export interface ListAnswer<A> {
  readonly body: PageOf<A> | { readonly data: ReadonlyArray<A>; readonly perPage: number }
  readonly next: string | undefined
}

interface Paging {
  readonly page?: number
  readonly perPage?: number
}

/** The last device of a page, and how many matched when the walk began. */
type Key = readonly [id: string, matches: number]

const isKey = (key: unknown): key is Key =>
  Array.isArray(key) && key.length === 2 && isCuid(String(key[0])) && Number.isSafeInteger(key[1]) && key[1] >= 0

const nextOf = (row: DeviceRow | undefined, more: boolean, matches: number) =>
  more && row !== undefined ? encodeCursor([row.id, matches]) : undefined

/** Records come and go between the count and the page: what was seen counts. */
export const totalOf = (counted: number, offset: number, seen: number) =>
  seen === 0 ? counted : Math.max(counted, offset + seen)

/** Lists of devices, newest first. */
export class DeviceLists extends Context.Service<
  DeviceLists,
  {
    /** Who asks for the same at the same time gets the same answer. */
    readonly list: (
      caller: Caller,
      query: DeviceQuery & Paging & { readonly cursor?: string }
    ) => Effect.Effect<ListAnswer<Device>, ValidationError>
    /** For a collection: those of the workspace that are members, shared in the same way. */
    readonly members: (workspaceId: string, membership: Membership, query: Paging) => Effect.Effect<PageOf<Device>>
    readonly ofSite: (caller: Caller, siteId: string, query: Paging) => Effect.Effect<PageOf<Device>, SiteNotFound>
  }
>()("@edp/server/DeviceLists") {
  static readonly layer = Layer.effect(
    DeviceLists,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const lists = yield* DeviceListRepository
      const searches = yield* DeviceSearchRepository

      const listed = Effect.fnUntraced(function* (workspaceId: string, lead: Lead, part: Part, now: Date) {
        const list = lists.list(workspaceId, lead, part, now)
        const count = lists.count(workspaceId, lead)
        // These counts cost little: they are made meanwhile, whether or not the page turns out to tell.
        if (lead === everyDevice || lead.from === "collection_members") {
          return yield* Effect.all([list, count] as const, { concurrency: 2 })
        }
        const rows = yield* list
        // The last page tells by itself how many there are.
        const isLast = rows.length < part.limit && (rows.length > 0 || part.offset === 0)
        return [rows, isLast ? part.offset + rows.length : yield* count] as const
      })

      const searched = Effect.fnUntraced(function* (selection: DeviceSelection, part: Part, now: Date) {
        const { ids, total } = yield* searches.count(selection, part, now)
        if (total <= part.offset) return [[], total] as const
        return [yield* ids ? searches.chosen(ids, now) : searches.list(selection, part, total, now), total] as const
      })

      const counted = (selection: DeviceSelection, part: Part, now: Date) => {
        const lead = leadOf(selection)
        return lead.alone ? listed(selection.workspaceId, lead, part, now) : searched(selection, part, now)
      }

      const page = Effect.fnUntraced(function* (selection: DeviceSelection | undefined, paging: Paging, now: Date) {
        const { page = 1, perPage = 10 } = paging
        const part = { limit: perPage + 1, offset: (page - 1) * perPage, before: undefined }
        const [found, total] = selection === undefined ? [[], 0] : yield* counted(selection, part, now)
        const rows = found.slice(0, perPage)
        const next = nextOf(rows.at(-1), found.length > perPage, total)
        return { body: pageOf(rows.map(toDevice), page, perPage, totalOf(total, part.offset, found.length)), next }
      })

      /** What the query selects among its collection's members; of a collection that is not there, none. */
      const selected = Effect.fnUntraced(function* (caller: Caller, query: DeviceQuery) {
        const selection = deviceSelection(caller, query)
        if (selection === undefined || query.collectionId === undefined) return selection
        const memberships = yield* repository.memberships(caller.workspaceId, query.collectionId)
        const [only, another] = memberships
        if (only === undefined) return undefined
        return another === undefined ? amongMembers(selection, only) : { ...selection, memberships }
      })

      const walk = Effect.fnUntraced(function* (
        selection: DeviceSelection | undefined,
        [before, matches]: Key,
        perPage: number,
        now: Date
      ) {
        if (selection === undefined) return { body: { data: [], perPage }, next: undefined }
        const part = { limit: perPage + 1, offset: 0, before }
        const lead = leadOf(selection)
        const found = yield* lead.alone
          ? lists.list(selection.workspaceId, lead, part, now)
          : searches.list(selection, part, matches, now)
        const rows = found.slice(0, perPage)
        return {
          body: { data: rows.map(toDevice), perPage },
          next: nextOf(rows.at(-1), found.length > perPage, matches)
        }
      })

      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const sharePage = shareEqual<PageOf<Device>>()
      const shareList = shareEqual<ListAnswer<Device>>()
      const membersOf = Effect.fnUntraced(function* (workspaceId: string, membership: Membership, query: Paging) {
        const { body } = yield* page(amongMembers(wholeWorkspace(workspaceId), membership), query, yield* now)
        return body
      })

      return {
        list: Effect.fn("DeviceLists.list")(function* (caller, query) {
          yield* refusePageWithCursor(query)
          const key = query.cursor === undefined ? undefined : yield* decodeCursor(query.cursor, isKey)
          const selection = yield* selected(caller, query)
          const { page: number, perPage = 10 } = query
          const paging = { ...(number && { page: number }), perPage }
          const answer = Effect.flatMap(now, (at): Effect.Effect<ListAnswer<Device>> =>
            key === undefined ? page(selection, paging, at) : walk(selection, key, perPage, at)
          )
          return yield* shareList(JSON.stringify([selection ?? null, key ?? null, paging]), answer)
        }),
        members: Effect.fn("DeviceLists.members")((workspaceId, membership, { page, perPage }) => {
          const paging = { ...(page && { page }), ...(perPage && { perPage }) }
          return sharePage(
            JSON.stringify([workspaceId, membership, paging]),
            membersOf(workspaceId, membership, paging)
          )
        }),
        ofSite: Effect.fn("DeviceLists.ofSite")(function* (caller, siteId, query) {
          yield* repository.requireSite(caller.workspaceId, siteId)
          const { body } = yield* page(deviceSelection(caller, { siteId: [siteId] }), query, yield* now)
          return body
        })
      }
    })
  )
}
