import { Cause, Clock, Effect, type Scope, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { every } from "./every.ts"
import { monotonicMillis } from "./monotonic.ts"
import { queryRows } from "../sql/rows.ts"

/** A clock that is behind by less was corrected, not set, in milliseconds. */
const TOLERANCE = 5000

/** A response that takes longer says too little about the database's clock, in milliseconds. */
const SLOW = 1000

/** Polls after which the waits are limited in any case: another machine's clock may be ahead, and this one's may be for a moment. */
const SELDOM = 12

/** Limits what a slice keeps waiting for a time. */
export interface WaitLimit {
  /** Named in the log. */
  readonly name: string
  /**
   * Ends what waits for longer than it ever does, counted from now, and so was stored while a clock was ahead. After a clock was set back
   * (`isSetBack`) it also ends waits whose own length is not known. To be repeated without harm.
   */
  readonly limit: (isSetBack: boolean) => Effect.Effect<unknown, DatabaseUnavailable>
}

const AtRow = Schema.Struct({ at: Schema.Finite })

/**
 * Compares this machine's clock and the database's with the monotonic clock, which nobody sets. At the first look, and after a clock was
 * set back, it limits the waits. It does so twice, since something may have been under way at the first time. Besides it does so now and then.
 */
export const makeClockWatch = (
  limits: ReadonlyArray<WaitLimit>
): Effect.Effect<Effect.Effect<void, DatabaseUnavailable>, never, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    /** How far each clock has been ahead of the monotonic one. */
    const ahead = new Map<string, number>()
    let left = 1
    let looks = 0
    let isSetBack = false

    const compare = Effect.fnUntraced(function* (name: string, offset: number) {
      const before = ahead.get(name) ?? -Infinity
      const by = before - offset
      if (by <= TOLERANCE) {
        ahead.set(name, Math.max(before, offset))
        return
      }
      ahead.set(name, offset)
      isSetBack = true
      left = 2
      yield* Effect.logWarning(
        `The clock of ${name} was set back by ${Math.round(by / 1000)} seconds. Work that waits for a later time is made due in time`
      )
    })

    const run = ({ limit, name }: WaitLimit) =>
      limit(isSetBack).pipe(
        Effect.as(true),
        Effect.catchCause((cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.interrupt
            : Effect.as(
                logFailure(`waits ${name}`, `The waits of ${name} were not limited; they will be`, cause),
                false
              )
        )
      )

    return Effect.gen(function* () {
      const asked = yield* monotonicMillis
      const [row] = yield* queryRows(AtRow)(sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`)
      const answered = yield* monotonicMillis
      yield* compare("this machine", (yield* Clock.currentTimeMillis) - answered)
      if (answered - asked < SLOW) yield* compare("the database", row!.at - answered)
      looks += 1
      if (looks % SELDOM === 0) left = Math.max(left, 1)
      if (left === 0) return
      const done = yield* Effect.forEach(limits, run)
      if (!done.every((one) => one)) return
      left -= 1
      if (left === 0) isSetBack = false
      // Polled all the time: not worth a trace.
    }).pipe(Effect.withTracerEnabled(false))
  })

/** Watches the clocks for as long as the scope lives. */
export const watchClocks = (
  limits: ReadonlyArray<WaitLimit>
): Effect.Effect<void, never, SqlClient.SqlClient | Scope.Scope> =>
  Effect.flatMap(makeClockWatch(limits), (look) => every("The watch over the clocks", "5 seconds", look))
