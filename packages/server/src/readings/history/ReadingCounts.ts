import { Clock, Context, Effect, Layer, RcMap, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { countable, startOfHour, nextHours, splitSpan, withHours } from "./countedHours.ts"
import { HistoryRepository } from "./HistoryRepository.ts"

/** Each request counts up to this number of readings outside the counted hours. With more, the hours are counted and stored. */
const FEW = 1000

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
    readonly count: (deviceId: string, span: Span, countedUntil: number | null) => Effect.Effect<number>
  }
>()("@edp/server/ReadingCounts") {
  static readonly layer = Layer.effect(
    ReadingCounts,
    Effect.gen(function* () {
      const repository = yield* HistoryRepository
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
          const numbers = yield* repository.countHours(deviceId, span)
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
      const sum = Effect.fnUntraced(function* (
        deviceId: string,
        span: Span,
        countedUntil: number | null,
        limit: number
      ) {
        const parts = splitSpan(span, countedUntil)
        const total = yield* repository.total(deviceId, parts, limit)
        if (total === undefined) return { total: 0, others: 0 }
        const isCounted = parts.counted.from === parts.counted.to || (total.countedUntil ?? 0) >= parts.counted.to
        return isCounted ? { total: total.stored + total.others, others: total.others } : undefined
      })

      const exact = (deviceId: string, span: Span): Effect.Effect<number> =>
        Effect.gen(function* () {
          const state = yield* repository.counted(deviceId)
          const found = yield* sum(deviceId, span, state?.countedUntil ?? null, NO_LIMIT)
          return found?.total ?? (yield* exact(deviceId, span))
        })

      return {
        count: Effect.fn("ReadingCounts.count")(function* (deviceId, span, countedUntil) {
          const found = yield* sum(deviceId, span, countedUntil, FEW)
          if (found !== undefined && found.others < FEW) return found.total
          const now = yield* Clock.currentTimeMillis
          yield* countHoursOnce(deviceId, Math.min(countable(now), startOfHour(span.to)))
          return yield* exact(deviceId, span)
        })
      }
    })
  )
}
