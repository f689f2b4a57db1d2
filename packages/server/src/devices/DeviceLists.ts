import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Device } from "@edp/domain/devices/Device"
import type { SiteNotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { type PageOf, pageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../sql/paginate.ts"
import { leadOf } from "./deviceLead.ts"
import { DeviceListRepository, type Part } from "./DeviceListRepository.ts"
import { DeviceSearchRepository } from "./DeviceSearchRepository.ts"
import { type DeviceQuery, type DeviceSelection, deviceSelection } from "./deviceSelection.ts"
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

/** Lists of devices, newest first. */
export class DeviceLists extends Context.Service<
  DeviceLists,
  {
    readonly list: (
      caller: Caller,
      query: DeviceQuery & Paging & { readonly cursor?: string }
    ) => Effect.Effect<ListAnswer<Device>, ValidationError>
    readonly ofSite: (caller: Caller, siteId: string, query: Paging) => Effect.Effect<PageOf<Device>, SiteNotFound>
  }
>()("@edp/server/DeviceLists") {
  static readonly layer = Layer.effect(
    DeviceLists,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const lists = yield* DeviceListRepository
      const searches = yield* DeviceSearchRepository

      /** An index in the list's order needs no count before it can answer; a search does. */
      const rowsAndCount = (selection: DeviceSelection, part: Part, now: Date) => {
        const lead = leadOf(selection)
        if (!lead.alone) {
          return Effect.flatMap(searches.count(selection, now), (total) =>
            Effect.map(
              total <= part.offset ? Effect.succeed([]) : searches.list(selection, part, total, now),
              (rows) => [rows, total] as const
            )
          )
        }
        const { workspaceId } = selection
        return Effect.all([lists.list(workspaceId, lead, part, now), lists.count(workspaceId, lead)] as const, {
          concurrency: 2
        })
      }

      const page = Effect.fnUntraced(function* (selection: DeviceSelection | undefined, paging: Paging, now: Date) {
        const { page = 1, perPage = 10 } = paging
        const part = { limit: perPage, offset: (page - 1) * perPage, before: undefined }
        const [rows, total] = selection === undefined ? [[], 0] : yield* rowsAndCount(selection, part, now)
        const next = nextOf(rows.at(-1), part.offset + rows.length < total, total)
        return { body: pageOf(rows.map(toDevice), page, perPage, total), next }
      })

      const walk = Effect.fnUntraced(function* (
        selection: DeviceSelection,
        [before, matches]: Key,
        perPage: number,
        now: Date
      ) {
        const part = { limit: perPage + 1, offset: 0, before }
        const lead = leadOf(selection)
        const found = yield* lead.alone
          ? lists.list(selection.workspaceId, lead, part, now)
          : searches.list(selection, part, matches, now)
        const rows = found.slice(0, perPage)
        const next = nextOf(rows.at(-1), found.length > perPage, matches)
        return { body: { data: rows.map(toDevice), perPage }, next }
      })

      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      return {
        list: Effect.fn("DeviceLists.list")(function* (caller, query) {
          yield* refusePageWithCursor(query)
          const selection = deviceSelection(caller, query)
          if (query.cursor === undefined) return yield* page(selection, query, yield* now)
          const key = yield* decodeCursor(query.cursor, isKey)
          const perPage = query.perPage ?? 10
          if (selection === undefined) return { body: { data: [], perPage }, next: undefined }
          return yield* walk(selection, key, perPage, yield* now)
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
