import { invalid } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Clock, Effect, Layer } from "effect"
import { DeviceHistory, readable } from "../../devices/Devices.ts"
import { consistentTotal } from "../../devices/DeviceLists.ts"
import type { Span } from "../../energy/intervals.ts"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../../platform/sql/lists.ts"
import {
  firstMonths,
  historySpan,
  imaginable,
  type Order,
  pageText,
  type ReadingText,
  walkText,
  within
} from "./historyPage.ts"
import { HistoryRepository } from "./HistoryRepository.ts"
import { ReadingCounts } from "./ReadingCounts.ts"

/** Time and id of the last reading of a page. */
type Key = readonly [at: number, id: string]

const isKey = (key: unknown): key is Key =>
  Array.isArray(key) && key.length === 2 && Number.isInteger(key[0]) && Math.abs(key[0]) <= 8.64e15 && isCuid(key[1])

/** The numbers of months to search first and then, before all: a statement opens the table of each month that it searches. */
const MONTHS_FIRST = [1, 3]

/** The rest of a span after a reading. */
const after = (span: Span, order: Order, [at]: Key): Span =>
  order === "asc" ? { ...span, from: Math.max(span.from, at + 1) } : { ...span, to: Math.min(span.to, at) }

const nextCursor = (last: ReadingText | undefined, isMore: boolean) =>
  isMore && last !== undefined ? encodeCursor([last.at, last.id]) : undefined

/** A page is read by index from either end of its span, and its exact total is made from stored counts. */
export const DeviceHistoryLive = Layer.effect(
  DeviceHistory,
  Effect.gen(function* () {
    const repository = yield* HistoryRepository
    const counts = yield* ReadingCounts

    /** Mostly the first month of the span holds the whole page. */
    const readPage = Effect.fnUntraced(function* (
      id: string,
      span: Span,
      { order, limit, offset }: { readonly order: Order; readonly limit: number; readonly offset: number }
    ) {
      for (const months of MONTHS_FIRST) {
        const beginning = firstMonths(span, order, months)
        const readings = yield* repository.page(id, beginning, order, limit, offset)
        if (readings.length === limit || (beginning.from === span.from && beginning.to === span.to)) return readings
      }
      return yield* repository.page(id, span, order, limit, offset)
    })

    return {
      read: Effect.fn("DeviceHistory.read")(function* (caller, id, query) {
        yield* refusePageWithCursor(query)
        const key = query.cursor === undefined ? undefined : yield* decodeCursor(query.cursor, isKey)
        const asked = historySpan(query, yield* Clock.currentTimeMillis)
        if (asked.from > asked.to) return yield* invalid({ from: "Must not be after `to`" })
        const { firstAt, lastAt, countedUntil } = yield* readable(caller, id, yield* repository.state(id))

        const { order = "desc", perPage = 10, page = 1 } = query
        const span = within(imaginable(key === undefined ? asked : after(asked, order, key)), firstAt, lastAt)
        const offset = key === undefined ? (page - 1) * perPage : 0
        const [readings, counted] = yield* Effect.all(
          [
            span === undefined ? Effect.succeed([]) : readPage(id, span, { order, limit: perPage + 1, offset }),
            span === undefined || key !== undefined ? Effect.succeed(0) : counts.count(id, span, countedUntil)
          ] as const,
          { concurrency: 2 }
        )
        const shown = readings.slice(0, perPage)
        const text =
          key === undefined
            ? pageText(shown, page, perPage, consistentTotal(counted, offset, readings.length))
            : walkText(shown, perPage)
        return { body: Buffer.from(text), next: nextCursor(shown.at(-1), readings.length > perPage) }
      })
    }
  })
)
