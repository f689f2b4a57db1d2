import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { shareEqual } from "../sql/shareEqual.ts"
import { inTransaction } from "../sql/transaction.ts"
import { countable, dayOf, nextDays, partsOf } from "./countedDays.ts"
import type { Span } from "./historySpan.ts"
import { ReadingCountsRepository } from "./ReadingCountsRepository.ts"

/** So many readings are counted each time rather than kept as numbers. */
const FEW = 20_000

const NO_LIMIT = 2_147_483_647

/** How many days are counted at once at first, and after so many failures in a row. */
const fewer = (days: number) => Math.max(1, days >> 2)

const ATTEMPTS = 6

/**
 * How many readings a device has in a span, exactly. Of a device with many, the days are counted once, when they are first
 * asked for, and the numbers kept.
 */
export class ReadingCounts extends Context.Service<
  ReadingCounts,
  { readonly count: (deviceId: string, span: Span) => Effect.Effect<number> }
>()("@edp/server/ReadingCounts") {
  static readonly layer = Layer.effect(
    ReadingCounts,
    Effect.gen(function* () {
      const repository = yield* ReadingCountsRepository
      const sql = yield* SqlClient.SqlClient
      const share = shareEqual<void>()

      /**
       * Counts the next days and keeps the numbers, unless the device's state has changed meanwhile. A reading that is
       * being stored changes it, before or after: then the days are counted again, or `counted_until` goes back.
       */
      const step = (deviceId: string, until: number, days: number) =>
        Effect.gen(function* () {
          const state = yield* repository.counted(deviceId)
          const span = state && nextDays(state.countedUntil ?? state.firstAt, until, days)
          if (span === undefined) return "done"
          const numbers = yield* repository.count(deviceId, span)
          if ((yield* repository.hold(deviceId)) !== state?.version) return "disturbed"
          yield* repository.store(deviceId, span, numbers)
          return "more"
        }).pipe(inTransaction, Effect.provideService(SqlClient.SqlClient, sql))

      const keep = Effect.fnUntraced(function* (deviceId: string, until: number) {
        let days = repository.daysAtOnce
        for (let failures = 0; failures < ATTEMPTS;) {
          const outcome = yield* step(deviceId, until, days)
          if (outcome === "done") return
          failures = outcome === "disturbed" ? failures + 1 : 0
          days = outcome === "disturbed" ? fewer(days) : repository.daysAtOnce
        }
      })

      /** The total of what is counted up to there, and of the rest; undefined when a late reading has come meanwhile. */
      const sum = Effect.fnUntraced(function* (
        deviceId: string,
        span: Span,
        countedUntil: number | null,
        limit: number
      ) {
        const parts = partsOf(span, countedUntil)
        const total = yield* repository.total(deviceId, parts, limit)
        if (total === undefined) return { total: 0, others: 0 }
        const isCounted = parts.counted.from === parts.counted.to || (total.countedUntil ?? 0) >= parts.counted.to
        return isCounted ? { total: total.stored + total.others, others: total.others } : undefined
      })

      const countedUntil = (deviceId: string) =>
        Effect.map(repository.counted(deviceId), (state) => state?.countedUntil ?? null)

      const exact = (deviceId: string, span: Span, counted: number | null): Effect.Effect<number> =>
        Effect.flatMap(sum(deviceId, span, counted, NO_LIMIT), (found) =>
          found === undefined
            ? Effect.flatMap(countedUntil(deviceId), (again) => exact(deviceId, span, again))
            : Effect.succeed(found.total)
        )

      return {
        count: Effect.fn("ReadingCounts.count")(function* (deviceId, span) {
          const counted = yield* countedUntil(deviceId)
          const found = yield* sum(deviceId, span, counted, FEW)
          if (found !== undefined && found.others < FEW) return found.total
          const until = Math.min(countable(yield* Clock.currentTimeMillis), dayOf(span.to))
          yield* share(deviceId, keep(deviceId, until))
          return yield* exact(deviceId, span, yield* countedUntil(deviceId))
        })
      }
    })
  )
}
