import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Membership } from "@edp/domain/collections/criteria"
import type { Device } from "@edp/domain/devices/Device"
import type { SiteNotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { type PageOf, pageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../sql/paginate.ts"
import { leadOf } from "./deviceLead.ts"
import { DeviceListRepository, type Part } from "./DeviceListRepository.ts"
import { DeviceSearchRepository } from "./DeviceSearchRepository.ts"
import { amongMembers } from "./deviceMembership.ts"
import { type DeviceQuery, type DeviceSelection, deviceSelection, everyDevice } from "./deviceSelection.ts"
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

const isKey = (key: unknown): key is readonly [id: string] =>
  Array.isArray(key) && key.length === 1 && typeof key[0] === "string" && isCuid(key[0])

const nextOf = (row: DeviceRow | undefined, more: boolean) =>
  more && row !== undefined ? encodeCursor([row.id]) : undefined

/** Lists of devices, newest first. */
export class DeviceLists extends Context.Service<
  DeviceLists,
  {
    readonly list: (
      caller: Caller,
      query: DeviceQuery & Paging & { readonly cursor?: string }
    ) => Effect.Effect<ListAnswer<Device>, ValidationError>
    /** For a collection: those of the workspace that are members. */
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

      const rows = (selection: DeviceSelection, part: Part, now: Date) => {
        const lead = leadOf(selection)
        return lead.alone
          ? lists.list(selection.workspaceId, lead, part, now)
          : searches.list(selection, lead, part, now)
      }
      const count = (selection: DeviceSelection, now: Date) => {
        const lead = leadOf(selection)
        return lead.alone ? lists.count(selection.workspaceId, lead) : searches.count(selection, now)
      }

      const page = Effect.fnUntraced(function* (selection: DeviceSelection | undefined, paging: Paging, now: Date) {
        const { page = 1, perPage = 10 } = paging
        const part = { limit: perPage, offset: (page - 1) * perPage, before: undefined }
        const [found, total] =
          selection === undefined
            ? [[], 0]
            : yield* Effect.all([rows(selection, part, now), count(selection, now)] as const, { concurrency: 2 })
        const next = nextOf(found.at(-1), part.offset + found.length < total)
        return { body: pageOf(found.map(toDevice), page, perPage, total), next }
      })

      /** What the query selects among its collection's members; of a collection that is not there, none. */
      const selected = Effect.fnUntraced(function* (caller: Caller, query: DeviceQuery) {
        const selection = deviceSelection(caller, query)
        if (selection === undefined || query.collectionId === undefined) return selection
        const membership = yield* repository.membership(caller.workspaceId, query.collectionId)
        return membership && amongMembers(selection, membership)
      })

      const walk = Effect.fnUntraced(function* (
        selection: DeviceSelection | undefined,
        before: string,
        perPage: number,
        now: Date
      ) {
        const part = { limit: perPage + 1, offset: 0, before }
        const found = selection === undefined ? [] : yield* rows(selection, part, now)
        const data = found.slice(0, perPage)
        return { body: { data: data.map(toDevice), perPage }, next: nextOf(data.at(-1), found.length > perPage) }
      })

      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      return {
        list: Effect.fn("DeviceLists.list")(function* (caller, query) {
          yield* refusePageWithCursor(query)
          const selection = yield* selected(caller, query)
          if (query.cursor === undefined) return yield* page(selection, query, yield* now)
          const [before] = yield* decodeCursor(query.cursor, isKey)
          return yield* walk(selection, before, query.perPage ?? 10, yield* now)
        }),
        members: Effect.fn("DeviceLists.members")(function* (workspaceId, membership, query) {
          const { body } = yield* page(amongMembers(everyDevice(workspaceId), membership), query, yield* now)
          return body
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
