import { invalid } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Clock, Effect, Exit, Layer } from "effect"
import { DeviceHistory, type HistoryResponse, readable } from "../../devices/Devices.ts"
import { consistentTotal } from "../../devices/DeviceLists.ts"
import type { Span } from "../../energy/intervals.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { batched } from "../../platform/batching/batched.ts"
import { makeReads } from "../../platform/replicas/readReplica.ts"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../../platform/sql/lists.ts"
import { firstMonths, historySpan, imaginable, pageText, walkText, within } from "./historyPage.ts"
import { type Order, type ReadingText } from "../readingText.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
import { splitSpan } from "./countedHours.ts"
import { HistoryRepository, type HistoryState } from "./HistoryRepository.ts"
import { FEW, ReadingCounts } from "./ReadingCounts.ts"

/** Time and id of the last reading of a page. */
type Key = readonly [at: number, id: string]

const isKey = (key: unknown): key is Key =>
  Array.isArray(key) && key.length === 2 && Number.isInteger(key[0]) && Math.abs(key[0]) <= 8.64e15 && isCuid(key[1])

/** The numbers of months to search first and then, before all: a statement opens the table of each month that it searches. */
const MONTHS_FIRST = [1, 3] as const

/** Devices of a statement that reads their states. */
const MAX_BATCH = 100

interface Page {
  readonly order: Order
  /** One more than the page has. */
  readonly limit: number
  readonly offset: number
}

/** The rest of a span after a reading. */
const after = (span: Span, order: Order, [at]: Key): Span =>
  order === "asc" ? { ...span, from: Math.max(span.from, at + 1) } : { ...span, to: Math.min(span.to, at) }

const nextCursor = (last: ReadingText | undefined, isMore: boolean) =>
  isMore && last !== undefined ? encodeCursor([last.at, last.id]) : undefined

const response = (
  readings: ReadonlyArray<ReadingText>,
  perPage: number,
  format: (shown: ReadonlyArray<ReadingText>) => string
): HistoryResponse => {
  const shown = readings.slice(0, perPage)
  return { body: Buffer.from(format(shown)), next: nextCursor(shown.at(-1), readings.length > perPage) }
}

/** A page is read by index from either end of its span, and its exact total is made from stored counts. */
export const DeviceHistoryLive = Layer.effect(
  DeviceHistory,
  Effect.gen(function* () {
    const repository = yield* HistoryRepository
    const counts = yield* ReadingCounts
    const archived = yield* ArchivedReadings
    const border = yield* ArchiveBorder
    const { onReplica } = yield* makeReads

    /** Concurrent requests share a statement. */
    const findState = yield* batched(
      (ids: ReadonlyArray<string>) =>
        Effect.map(repository.states([...new Set(ids)]), (states) => {
          const byId = new Map(states.map((state) => [state.id, state]))
          return (id: string): Exit.Exit<HistoryState | undefined> => Exit.succeed(byId.get(id))
        }).pipe(Effect.withSpan("DeviceHistory.states", { attributes: { devices: ids.length } })),
      { maxBatch: MAX_BATCH }
    )

    const isWhole = (part: Span, span: Span) => part.from === span.from && part.to === span.to

    /** Mostly the first month of the span holds the whole page. `months` are the numbers of months to try before all. */
    const readPage = Effect.fnUntraced(function* (
      id: string,
      span: Span,
      { order, limit, offset }: Page,
      months: ReadonlyArray<number> = MONTHS_FIRST
    ) {
      for (const count of months) {
        const beginning = firstMonths(span, order, count)
        const readings = yield* repository.page(id, beginning, order, limit, offset)
        if (readings.length === limit || isWhole(beginning, span)) return readings
      }
      return yield* repository.page(id, span, order, limit, offset)
    })

    /**
     * A page of a span that begins before the border of the archive. `count` counts the readings of the part that is read first; it is asked only where
     * the whole page lies in the other one.
     */
    const readOver = Effect.fnUntraced(function* (
      id: string,
      span: Span,
      { order, limit, offset }: Page,
      archivedUntil: number,
      count: (part: Span) => Effect.Effect<number, DatabaseUnavailable>
    ) {
      const cold = { from: span.from, to: Math.min(span.to, archivedUntil) }
      const hot = { from: Math.max(span.from, archivedUntil), to: span.to }
      const read = (part: Span, page: Page) =>
        part.from >= part.to
          ? Effect.succeed([])
          : part === cold
            ? archived.page(id, part, page.order, page.limit, page.offset)
            : readPage(id, part, page)
      const [first, second] = order === "asc" ? [cold, hot] : [hot, cold]
      const begin = yield* read(first, { order, limit, offset })
      if (begin.length === limit || second.from >= second.to) return begin
      const before = begin.length > 0 || offset === 0 ? offset : first.from < first.to ? yield* count(first) : 0
      return [
        ...begin,
        ...(yield* read(second, { order, limit: limit - begin.length, offset: Math.max(0, offset - before) }))
      ]
    })

    /** A page with its total. */
    const readCounted = Effect.fnUntraced(function* (id: string, span: Span, page: Page, countedUntil: number | null) {
      const { limit, offset, order } = page
      const archivedUntil = yield* border.current
      if (span.from < archivedUntil) {
        const counted = yield* counts.count(id, span, countedUntil)
        const count = (part: Span) => counts.count(id, part, countedUntil)
        return { readings: yield* readOver(id, span, page, archivedUntil, count), counted }
      }
      const [months, ...more] = MONTHS_FIRST
      const beginning = firstMonths(span, order, months)
      const parts = splitSpan(span, countedUntil)
      const found = yield* repository.countedPage(id, beginning, order, limit, offset, parts, FEW)
      const counted = yield* counts.complete(id, span, parts, found.total)
      const isComplete = found.readings.length === limit || isWhole(beginning, span)
      return { readings: isComplete ? found.readings : yield* readPage(id, span, page, more), counted }
    })

    return {
      read: Effect.fn("DeviceHistory.read")(function* (caller, id, query) {
        yield* refusePageWithCursor(query)
        const key = query.cursor === undefined ? undefined : yield* decodeCursor(query.cursor, isKey)
        const asked = historySpan(query, yield* Clock.currentTimeMillis)
        if (asked.from > asked.to) return yield* invalid({ from: "Must not be after `to`" })
        const { firstAt, lastAt, countedUntil } = yield* readable(caller, id, yield* findState(id))

        const { order = "desc", perPage = 10, page = 1 } = query
        const limit = perPage + 1
        if (key !== undefined) {
          const span = within(imaginable(after(asked, order, key)), firstAt, lastAt)
          const walk = { order, limit, offset: 0 }
          const archivedUntil = yield* border.current
          const readings =
            span === undefined
              ? []
              : span.from < archivedUntil
                ? yield* readOver(id, span, walk, archivedUntil, () => Effect.succeed(0))
                : yield* readPage(id, span, walk)
          return response(readings, perPage, (shown) => walkText(shown, perPage))
        }
        const span = within(imaginable(asked), firstAt, lastAt)
        const offset = (page - 1) * perPage
        const { counted, readings } =
          span === undefined
            ? { readings: [], counted: 0 }
            : yield* readCounted(id, span, { order, limit, offset }, countedUntil)
        return response(readings, perPage, (shown) =>
          pageText(shown, page, perPage, consistentTotal(counted, offset, readings.length))
        )
      }, onReplica)
    }
  })
)
