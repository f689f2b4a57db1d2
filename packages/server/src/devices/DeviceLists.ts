import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Membership } from "@edp/domain/collections/criteria"
import type { Device, DeviceInclude } from "@edp/domain/devices/Device"
import type { SiteNotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { type PageOf, makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type PageWindow, decodeCursor, encodeCursor, refusePageWithCursor } from "../platform/sql/lists.ts"
import { DeviceListRepository, type LeadingIndex, chooseIndex } from "./DeviceListRepository.ts"
import { DeviceSearchRepository } from "./DeviceSearchRepository.ts"
import {
  type DeviceQuery,
  type DeviceSelection,
  amongMembers,
  deviceSelection,
  wholeWorkspace
} from "./deviceSelection.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import { type DeviceRow, listedDevice } from "./deviceRow.ts"

type Caller = CurrentKey["Service"]

/** A page of a large list with the cursor of the next one, if there is one; within a cursor walk it has no totals. */
export interface ListResponse<A> {
  readonly body: PageOf<A> | { readonly data: ReadonlyArray<A>; readonly perPage: number }
  readonly next: string | undefined
}

/** Which devices of a list a page has, and in which form. */
export interface DevicePaging {
  readonly page?: number
  readonly perPage?: number
  readonly include?: DeviceInclude
}

/** The last device of a page, and how many matched when the walk began. */
type Key = readonly [id: string, matches: number]

const isKey = (key: unknown): key is Key =>
  Array.isArray(key) && key.length === 2 && isCuid(String(key[0])) && Number.isSafeInteger(key[1]) && key[1] >= 0

const nextCursor = (row: DeviceRow | undefined, more: boolean, matches: number) =>
  more && row !== undefined ? encodeCursor([row.id, matches]) : undefined

/** Records may be added or deleted between the count and the page, so the total is never lower than what the page shows. */
export const consistentTotal = (counted: number, offset: number, seen: number) =>
  seen === 0 ? counted : Math.max(counted, offset + seen)

/** Lists of devices, newest first. */
export class DeviceLists extends Context.Service<
  DeviceLists,
  {
    readonly list: (
      caller: Caller,
      query: DeviceQuery & DevicePaging & { readonly cursor?: string }
    ) => Effect.Effect<ListResponse<Device>, ValidationError | DatabaseUnavailable>
    /** Devices of the workspace that are members of a collection. */
    readonly members: (
      workspaceId: string,
      membership: Membership,
      query: DevicePaging
    ) => Effect.Effect<PageOf<Device>, DatabaseUnavailable>
    readonly ofSite: (
      caller: Caller,
      siteId: string,
      query: DevicePaging
    ) => Effect.Effect<PageOf<Device>, SiteNotFound | DatabaseUnavailable>
    /** The ids of the newest devices that match. */
    readonly ids: (
      caller: Caller,
      query: DeviceQuery,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  }
>()("@edp/server/DeviceLists") {
  static readonly layer = Layer.effect(
    DeviceLists,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const lists = yield* DeviceListRepository
      const searches = yield* DeviceSearchRepository

      const listed = Effect.fnUntraced(function* (
        workspaceId: string,
        index: LeadingIndex,
        window: PageWindow,
        now: Date
      ) {
        const { rows, total = 0 } = yield* lists.page(workspaceId, index, window, now)
        const isBeyond = rows.length === 0 && window.offset > 0
        return [rows, isBeyond ? yield* lists.count(workspaceId, index) : total] as const
      })

      const searched = Effect.fnUntraced(function* (selection: DeviceSelection, window: PageWindow, now: Date) {
        const { ids, total } = yield* searches.count(selection, window, now)
        if (total <= window.offset) return [[], total] as const
        return [yield* ids ? searches.chosen(ids, now) : searches.list(selection, window, total, now), total] as const
      })

      const counted = (selection: DeviceSelection, window: PageWindow, now: Date) => {
        const index = chooseIndex(selection)
        return index.alone ? listed(selection.workspaceId, index, window, now) : searched(selection, window, now)
      }

      const page = Effect.fnUntraced(function* (
        selection: DeviceSelection | undefined,
        paging: DevicePaging,
        now: Date
      ) {
        const { include, page = 1, perPage = 10 } = paging
        const window = { limit: perPage + 1, offset: (page - 1) * perPage, before: undefined }
        const [found, total] = selection === undefined ? [[], 0] : yield* counted(selection, window, now)
        const rows = found.slice(0, perPage)
        const next = nextCursor(rows.at(-1), found.length > perPage, total)
        return {
          body: makePage(
            rows.map(listedDevice(include)),
            page,
            perPage,
            consistentTotal(total, window.offset, found.length)
          ),
          next
        }
      })

      /** The selection of a query, restricted to the members of its collections. A collection that does not exist has none. */
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
        { include, perPage = 10 }: DevicePaging,
        now: Date
      ) {
        if (selection === undefined) return { body: { data: [], perPage }, next: undefined }
        const window = { limit: perPage + 1, offset: 0, before }
        const index = chooseIndex(selection)
        const found = yield* index.alone
          ? lists.list(selection.workspaceId, index, window, now)
          : searches.list(selection, window, matches, now)
        const rows = found.slice(0, perPage)
        return {
          body: { data: rows.map(listedDevice(include)), perPage },
          next: nextCursor(rows.at(-1), found.length > perPage, matches)
        }
      })

      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      return {
        list: Effect.fn("DeviceLists.list")(function* (caller, query) {
          yield* refusePageWithCursor(query)
          const key = query.cursor === undefined ? undefined : yield* decodeCursor(query.cursor, isKey)
          const selection = yield* selected(caller, query)
          const at = yield* now
          return key === undefined ? yield* page(selection, query, at) : yield* walk(selection, key, query, at)
        }),
        members: Effect.fn("DeviceLists.members")(function* (workspaceId, membership, query) {
          const selection = amongMembers(wholeWorkspace(workspaceId), membership)
          return (yield* page(selection, query, yield* now)).body
        }),
        ofSite: Effect.fn("DeviceLists.ofSite")(function* (caller, siteId, query) {
          yield* repository.requireSite(caller.workspaceId, siteId)
          const { body } = yield* page(deviceSelection(caller, { siteId: [siteId] }), query, yield* now)
          return body
        }),
        ids: Effect.fn("DeviceLists.ids")(function* (caller, query, limit) {
          const selection = yield* selected(caller, query)
          if (selection === undefined) return []
          const window = { limit, offset: 0, before: undefined }
          const index = chooseIndex(selection)
          return index.alone
            ? yield* lists.ids(selection.workspaceId, index, window)
            : yield* searches.ids(selection, window, yield* now)
        })
      }
    })
  )
}
