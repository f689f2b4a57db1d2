import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { HistoryFilters } from "@edp/domain/devices/Device"
import type { RecordedState } from "@edp/domain/devices/DeviceState"
import type { DeviceNotFound, Forbidden, ValidationError } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import { isCuid } from "@edp/domain/shared/Cuid"
import { pageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../sql/paginate.ts"
import { readable } from "./deviceAccess.ts"
import { DeviceHistoryRepository, type Order, type ReadingRow } from "./DeviceHistoryRepository.ts"
import { type ListAnswer, totalOf } from "./DeviceLists.ts"
import { ForgottenHistories } from "./ForgottenHistories.ts"
import { beginningOf, historySpan, type Span, within } from "./historySpan.ts"
import { ReadingCounts } from "./ReadingCounts.ts"
import { recordedState } from "./toDevice.ts"

type HistoryQuery = Schema.Struct.Type<typeof HistoryFilters>

/** Time and id of the last reading of a page. */
type Key = readonly [at: number, id: string]

const isKey = (key: unknown): key is Key =>
  Array.isArray(key) && key.length === 2 && Number.isInteger(key[0]) && Math.abs(key[0]) <= 8.64e15 && isCuid(key[1])

/** So many months are looked at first, then so many; then all of them, each of which a statement has to open. */
const MONTHS_FIRST = [1, 3]

/** What is left of a span after a reading. */
const after = (span: Span, order: Order, [at]: Key): Span =>
  order === "asc" ? { ...span, from: Math.max(span.from, at + 1) } : { ...span, to: Math.min(span.to, at) }

const toState = ({ id, at, state }: ReadingRow) => recordedState(id, at.toISOString(), state)

const nextOf = (row: ReadingRow | undefined, more: boolean) =>
  more && row !== undefined ? encodeCursor([row.at.getTime(), row.id]) : undefined

/** The readings of a device, as it reported them. */
export class DeviceHistory extends Context.Service<
  DeviceHistory,
  {
    readonly read: (
      caller: CurrentKey["Service"],
      id: string,
      query: HistoryQuery
    ) => Effect.Effect<ListAnswer<RecordedState>, ValidationError | DeviceNotFound | Forbidden>
    /** Deletes what is left of a removed device's history, to be called before it is brought back. Not for a transaction. */
    readonly forget: (deviceId: string) => Effect.Effect<void>
  }
>()("@edp/server/DeviceHistory") {
  static readonly layer = Layer.effect(
    DeviceHistory,
    Effect.gen(function* () {
      const repository = yield* DeviceHistoryRepository
      const counts = yield* ReadingCounts
      const { forget } = yield* ForgottenHistories

      /** The readings of a part, and one more where there is one. Mostly they are all in its first month. */
      const some = Effect.fnUntraced(function* (
        id: string,
        span: Span | undefined,
        order: Order,
        limit: number,
        offset: number
      ) {
        if (span === undefined) return []
        for (const months of MONTHS_FIRST) {
          const beginning = beginningOf(span, order, months)
          const rows = yield* repository.list(id, beginning, order, limit + 1, offset)
          if (rows.length > limit || (beginning.from === span.from && beginning.to === span.to)) return rows
        }
        return yield* repository.list(id, span, order, limit + 1, offset)
      })

      const walk = Effect.fnUntraced(function* (id: string, span: Span | undefined, order: Order, perPage: number) {
        const found = yield* some(id, span, order, perPage, 0)
        const rows = found.slice(0, perPage)
        return { body: { data: rows.map(toState), perPage }, next: nextOf(rows.at(-1), found.length > perPage) }
      })

      const page = Effect.fnUntraced(function* (id: string, span: Span | undefined, order: Order, query: HistoryQuery) {
        const { page = 1, perPage = 10 } = query
        const offset = (page - 1) * perPage
        const counted = span === undefined ? Effect.succeed(0) : counts.count(id, span)
        const [found, total] = yield* Effect.all([some(id, span, order, perPage, offset), counted] as const, {
          concurrency: 2
        })
        const rows = found.slice(0, perPage)
        const body = pageOf(rows.map(toState), page, perPage, totalOf(total, offset, found.length))
        return { body, next: nextOf(rows.at(-1), found.length > perPage) }
      })

      return {
        forget,
        read: Effect.fn("DeviceHistory.read")(function* (caller, id, query) {
          yield* refusePageWithCursor(query)
          const key = query.cursor === undefined ? undefined : yield* decodeCursor(query.cursor, isKey)
          const asked = historySpan(query, yield* Clock.currentTimeMillis)
          if (asked.from > asked.to) return yield* invalid({ from: "Must not be after `to`" })
          const { firstAt, lastAt } = yield* readable(caller, yield* repository.device(id))
          const { order = "desc" } = query
          return key === undefined
            ? yield* page(id, within(asked, firstAt, lastAt), order, query)
            : yield* walk(id, within(after(asked, order, key), firstAt, lastAt), order, query.perPage ?? 10)
        })
      }
    })
  )
}
