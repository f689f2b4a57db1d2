import { invalid } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Clock, Effect, Layer } from "effect"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../../platform/sql/lists.ts"
import { shareEqual } from "../../platform/batching/shareEqual.ts"
import { readable } from "../../devices/deviceAccess.ts"
import { DeviceHistory } from "../../devices/DeviceHistory.ts"
import { DeviceHistoryRepository } from "./DeviceHistoryRepository.ts"
import { totalOf } from "../../devices/DeviceLists.ts"
import { HistoryLooks, type Seen } from "./HistoryLooks.ts"
import { HistoryPagesRepository, type Looked, type Wanted } from "./HistoryPagesRepository.ts"
import { beginningOf, historySpan, imaginable, type Order, type Span, within } from "./historySpan.ts"
import { pageText, type ReadingText, walkText } from "./historyText.ts"
import { MANY, ReadingCounts } from "./ReadingCounts.ts"

/** Time and id of the last reading of a page. */
type Key = readonly [at: number, id: string]

const isKey = (key: unknown): key is Key =>
  Array.isArray(key) && key.length === 2 && Number.isInteger(key[0]) && Math.abs(key[0]) <= 8.64e15 && isCuid(key[1])

/** So many months are looked at first, then so many; then all of them, each of which a statement has to open. */
const MONTHS_FIRST = [1, 3]

/** What is left of a span after a reading. */
const after = (span: Span, order: Order, [at]: Key): Span =>
  order === "asc" ? { ...span, from: Math.max(span.from, at + 1) } : { ...span, to: Math.min(span.to, at) }

const nextOf = (row: ReadingText | undefined, more: boolean) =>
  more && row !== undefined ? encodeCursor([row.at, row.id]) : undefined

export const DeviceHistoryLive = Layer.effect(
  DeviceHistory,
  Effect.gen(function* () {
    const repository = yield* DeviceHistoryRepository
    const pages = yield* HistoryPagesRepository
    const counts = yield* ReadingCounts
    const { look } = yield* HistoryLooks

    /** The readings of a part. Mostly they are all in its first month. */
    const some = Effect.fnUntraced(function* (id: string, part: Span | undefined, wanted: Wanted) {
      const { order, limit, offset } = wanted
      if (part === undefined) return []
      for (const months of MONTHS_FIRST) {
        const beginning = beginningOf(part, order, months)
        const rows = yield* repository.list(id, beginning, order, limit, offset)
        if (rows.length === limit || (beginning.from === part.from && beginning.to === part.to)) return rows
      }
      return yield* repository.list(id, part, order, limit, offset)
    })

    const total = Effect.fnUntraced(function* (id: string, part: Span | undefined) {
      return part === undefined ? 0 : yield* counts.count(id, part)
    })

    /** The readings and their total, where it is wanted: mostly all in one statement. */
    const found = Effect.fnUntraced(function* (
      id: string,
      wanted: Wanted,
      seen: Seen | undefined,
      device: Looked,
      isCounted: boolean
    ) {
      const part = within(wanted.span, device.firstAt, device.lastAt)
      const isAll = seen && (seen.plan?.isWhole !== false || device.readings.length === wanted.limit)
      const isTold = seen && (seen.plan === undefined || (seen.plan.total !== undefined && device.others < MANY))
      if (isTold && isCounted && part !== undefined) {
        yield* counts.counted(id, part, device.others, device.countedUntil)
      }
      const isEnough = isTold || !isCounted
      const told = device.stored + device.others
      if (isAll && isEnough) return [device.readings, told] as const
      return yield* Effect.all(
        [
          isAll ? Effect.succeed(device.readings) : some(id, part, wanted),
          isEnough ? Effect.succeed(told) : total(id, part)
        ] as const,
        { concurrency: 2 }
      )
    })

    /** A page of a device, whoever asks for it, and whose it is; undefined where there is no such device. */
    const answered = Effect.fnUntraced(function* (id: string, wanted: Wanted, page: number | undefined) {
      const isCounted = page !== undefined
      const seen = yield* look(id, wanted, isCounted ? MANY : undefined)
      const device = seen === undefined ? yield* pages.look(id, undefined, wanted, undefined) : seen?.looked
      if (device === null || device === undefined) return undefined
      const { workspaceId, referenceId } = device
      const [readings, count] = yield* found(id, wanted, seen ?? undefined, device, isCounted)
      const perPage = wanted.limit - 1
      const shown = readings.slice(0, perPage)
      const text = isCounted
        ? pageText(shown, page, perPage, totalOf(count, wanted.offset, readings.length))
        : walkText(shown, perPage)
      const next = nextOf(shown.at(-1), readings.length > perPage)
      return { workspaceId, referenceId, answer: { body: Buffer.from(text), next } }
    })

    const share = shareEqual<Effect.Success<ReturnType<typeof answered>>>()

    return {
      read: Effect.fn("DeviceHistory.read")(function* (caller, id, query) {
        yield* refusePageWithCursor(query)
        const key = query.cursor === undefined ? undefined : yield* decodeCursor(query.cursor, isKey)
        const asked = historySpan(query, yield* Clock.currentTimeMillis)
        if (asked.from > asked.to) return yield* invalid({ from: "Must not be after `to`" })
        const { order = "desc", perPage = 10 } = query
        const page = key === undefined ? (query.page ?? 1) : undefined
        const whole = imaginable(asked)
        const span = key === undefined ? whole : after(whole, order, key)
        const wanted = { span, order, limit: perPage + 1, offset: ((page ?? 1) - 1) * perPage }
        const question = JSON.stringify([id, wanted, page])
        return (yield* readable(caller, yield* share(question, answered(id, wanted, page)))).answer
      })
    }
  })
)
