import { Clock, Context, Effect, Layer, RcMap, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { onPrimary } from "../../platform/replicas/readReplica.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
import { countable, nextHours, type Parts, splitSpan, withHours } from "./countedHours.ts"
import { startOfHour } from "../hours.ts"
import { HistoryRepository, type Total } from "./HistoryRepository.ts"

/** Each request counts up to this number of readings outside the counted hours. With more, the hours are counted and stored. */
export const FEW = 1000

const NO_LIMIT = 2_147_483_647

/** How many hours are counted at once after a conflict. */
const fewer = (hours: number) => Math.max(1, hours >> 2)

const ATTEMPTS = 6

/**
 * The exact number of a device's readings in a span: the stored counts of whole hours, plus the readings at both ends. The
 * hours of a device with many readings are counted when a total first needs them.
 */
export class ReadingCounts extends Context.Service<
  ReadingCounts,
  {
    /** `countedUntil` as it was lately; a late reading may have taken it back since. */
    readonly count: (
      deviceId: string,
      span: Span,
      countedUntil: number | null
    ) => Effect.Effect<number, DatabaseUnavailable>
    /** The same from a total that was already read, with `FEW` readings at each end at most. */
    readonly complete: (
      deviceId: string,
      span: Span,
      parts: Parts,
      total: Total | undefined
    ) => Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/ReadingCounts") {
  static readonly layer = Layer.effect(
    ReadingCounts,
    Effect.gen(function* () {
      const repository = yield* HistoryRepository
      const archived = yield* ArchivedReadings
      const border = yield* ArchiveBorder
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      /** Requests for the same device don't count the same hours side by side. */
      const locks = yield* RcMap.make({ lookup: (_deviceId: string) => Semaphore.make(1) })

      /**
       * Counts the next hours and stores the counts, unless the device's state has changed meanwhile. A reading that is
       * being stored changes it, before or after: then the hours are counted again, or `counted_until` goes back.
       */
      const step = (deviceId: string, until: number, hours: number) =>
        Effect.gen(function* () {
          const state = yield* repository.counted(deviceId)
          const span = state && nextHours(state.countedUntil ?? state.firstAt, until, hours)
          if (span === undefined) return "done"
          // The border begins a month.
          const isArchived = span.from < (yield* border.current)
          const numbers = yield* (isArchived ? archived : repository).countHours(deviceId, span)
          if ((yield* repository.lockState(deviceId)) !== state?.version) return "conflict"
          const month = yield* repository.monthCounts(deviceId, span.from)
          yield* repository.storeCounts(deviceId, span.to, withHours(month, span.from, numbers))
          return "more"
        }).pipe(transaction)

      const countHours = Effect.fn("ReadingCounts.countHours")(function* (deviceId: string, until: number) {
        let hours = repository.hoursAtOnce
        for (let conflicts = 0; conflicts < ATTEMPTS;) {
          const outcome = yield* step(deviceId, until, hours)
          if (outcome === "done") return
          conflicts = outcome === "conflict" ? conflicts + 1 : 0
          hours = outcome === "conflict" ? fewer(hours) : repository.hoursAtOnce
        }
      })

      const countHoursOnce = (deviceId: string, until: number) =>
        Effect.scoped(
          Effect.flatMap(RcMap.get(locks, deviceId), (lock) => lock.withPermit(countHours(deviceId, until)))
        )

      /** Undefined when a late reading has taken `counted_until` back meanwhile. */
      const sum = ({ counted }: Parts, total: Total | undefined) => {
        if (total === undefined) return 0
        const isCounted = counted.from === counted.to || (total.countedUntil ?? 0) >= counted.to
        return isCounted ? total.stored + total.others : undefined
      }

      /** The total with the readings of its rest that are before the border of the archive. */
      const readTotal = Effect.fnUntraced(function* (deviceId: string, parts: Parts, limit: number) {
        const archivedUntil = yield* border.current
        const [before, after] = parts.rest
        const cold = [before, after]
          .map(({ from, to }) => ({ from, to: Math.min(to, archivedUntil) }))
          .filter(({ from, to }) => from < to)
        if (cold.length === 0) return yield* repository.total(deviceId, parts, limit)
        const hot = ({ from, to }: Span) => ({ from: Math.max(from, Math.min(to, archivedUntil)), to })
        const total = yield* repository.total(deviceId, { ...parts, rest: [hot(before), hot(after)] }, limit)
        if (total === undefined) return undefined
        const counted = yield* Effect.forEach(cold, (part) => archived.count(deviceId, part))
        return { ...total, others: counted.reduce((sum, n) => sum + n, total.others) }
      })

      const exact = (deviceId: string, span: Span): Effect.Effect<number, DatabaseUnavailable> =>
        Effect.gen(function* () {
          const state = yield* repository.counted(deviceId)
          const parts = splitSpan(span, state?.countedUntil ?? null)
          const found = sum(parts, yield* readTotal(deviceId, parts, NO_LIMIT))
          return found ?? (yield* exact(deviceId, span))
        })

      const countMore = Effect.fn("ReadingCounts.countMore")(function* (deviceId: string, span: Span) {
        const now = yield* Clock.currentTimeMillis
        yield* countHoursOnce(deviceId, Math.min(countable(now), startOfHour(span.to)))
        return yield* exact(deviceId, span)
      }, onPrimary)

      const complete = (deviceId: string, span: Span, parts: Parts, total: Total | undefined) => {
        const found = (total?.others ?? 0) < FEW ? sum(parts, total) : undefined
        return found === undefined ? countMore(deviceId, span) : Effect.succeed(found)
      }

      return {
        complete,
        count: (deviceId, span, countedUntil) => {
          const parts = splitSpan(span, countedUntil)
          return Effect.flatMap(readTotal(deviceId, parts, FEW), (total) => complete(deviceId, span, parts, total))
        }
      }
    })
  )
}
