import { Clock, Context, Effect, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { shareEqual } from "../../platform/batching/shareEqual.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { countable, hourOf, monthOf, nextHours, partsOf, withHours } from "./countedHours.ts"
import type { Span } from "./historySpan.ts"
import { ReadingCountsRepository } from "./ReadingCountsRepository.ts"

/** So many readings are counted each time rather than kept as numbers. */
const FEW = 1000

/** The most of each part of a span that are counted before any numbers are kept. */
export const MANY = 10_000

const NO_LIMIT = 2_147_483_647

/** How many hours are counted at once after a failure. */
const fewer = (hours: number) => Math.max(1, hours >> 2)

const ATTEMPTS = 6

/**
 * How many readings a device has in a span, exactly. Of a device with many, the hours are counted once, when they are first
 * asked for, and the numbers kept.
 */
export class ReadingCounts extends Context.Service<
  ReadingCounts,
  {
    readonly count: (deviceId: string, span: Span) => Effect.Effect<number>
    /** To be told when that many had to be counted: has the hours counted in the background, where they may be. */
    readonly counted: (deviceId: string, span: Span, others: number, countedUntil: number | null) => Effect.Effect<void>
  }
>()("@edp/server/ReadingCounts") {
  static readonly layer = Layer.effect(
    ReadingCounts,
    Effect.gen(function* () {
      const repository = yield* ReadingCountsRepository
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Scope.Scope
      const share = shareEqual<void>()
      const inBackground = new Set<string>()

      /**
       * Counts the next hours and keeps the numbers, unless the device's state has changed meanwhile. A reading that is
       * being stored changes it, before or after: then the hours are counted again, or `counted_until` goes back.
       */
      const step = (deviceId: string, until: number, hours: number) =>
        Effect.gen(function* () {
          const state = yield* repository.counted(deviceId)
          const span = state && nextHours(state.countedUntil ?? state.firstAt, until, hours)
          if (span === undefined) return "done"
          const numbers = yield* repository.count(deviceId, span)
          if ((yield* repository.hold(deviceId)) !== state?.version) return "disturbed"
          const month = yield* repository.month(deviceId, span.from)
          yield* repository.store(deviceId, span.to, withHours(month, span.from, numbers))
          return "more"
        }).pipe(transactionsOn(sql))

      const keep = Effect.fnUntraced(function* (deviceId: string, until: number) {
        let hours = repository.hoursAtOnce
        for (let failures = 0; failures < ATTEMPTS;) {
          const outcome = yield* step(deviceId, until, hours)
          if (outcome === "done") return
          failures = outcome === "disturbed" ? failures + 1 : 0
          hours = outcome === "disturbed" ? fewer(hours) : repository.hoursAtOnce
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

      const untilOf = (now: number, span: Span) => Math.min(countable(now), hourOf(span.to))

      return {
        count: Effect.fn("ReadingCounts.count")(function* (deviceId, span) {
          const counted = yield* countedUntil(deviceId)
          const found = yield* sum(deviceId, span, counted, MANY)
          // The rest of another month is a table more to be looked into, each time.
          const isNear = counted === null || monthOf(counted) === monthOf(span.to - 1)
          if (found !== undefined && found.others < FEW && isNear) return found.total
          const until = untilOf(yield* Clock.currentTimeMillis, span)
          yield* share(deviceId, keep(deviceId, until))
          return yield* exact(deviceId, span, yield* countedUntil(deviceId))
        }),
        counted: Effect.fnUntraced(function* (deviceId, span, others, countedUntil) {
          if (others < FEW) return
          const until = untilOf(yield* Clock.currentTimeMillis, span)
          if (nextHours(Math.max(countedUntil ?? span.from, span.from), until, 1) === undefined) return
          if (inBackground.has(deviceId)) return
          inBackground.add(deviceId)
          yield* share(deviceId, keep(deviceId, until)).pipe(
            Effect.ensuring(Effect.sync(() => inBackground.delete(deviceId))),
            Effect.forkIn(scope)
          )
        })
      }
    })
  )
}
