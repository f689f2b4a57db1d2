import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Events } from "../../events/Events.ts"
import { beginningOfIds } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { COUNT_DIGITS, type Cursor, FAN_OUT, FanOutRepository } from "./FanOutRepository.ts"

/** Workspaces without new events of one statement. */
const IDLE = 2000

/** The number of events that cannot make more deliveries than this. */
const eventsFor = (destinations: number) =>
  Math.max(1, Math.floor(deliveryLimits.fanOutDeliveries / Math.max(1, destinations)))

/** Stores a delivery for each event and each destination that subscribes to it. */
export class FanOut extends Context.Service<
  FanOut,
  {
    /** Fans out a batch of new events, each once. Returns the number of workspaces that had some. */
    readonly next: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until there may be more: 0 while events are about to become visible, else Infinity. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Moves the cursors of workspaces without new events, so that looking for new ones stays cheap. */
    readonly skipIdle: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/destinations/delivery/FanOut") {
  static readonly layer = Layer.effect(
    FanOut,
    Effect.gen(function* () {
      const repository = yield* FanOutRepository
      const events = yield* Events
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(FAN_OUT)

      const fanOut = Effect.fnUntraced(function* (cursor: Cursor, settled: number) {
        if (yield* repository.dropCursor(cursor.workspaceId)) return
        const end = yield* repository.batchEnd(cursor, settled, eventsFor(cursor.destinations))
        const now = yield* Clock.currentTimeMillis
        yield* repository.store(cursor, end.sequence, beginningOfIds(now, COUNT_DIGITS), new Date(now))
        yield* repository.moveCursor(cursor.workspaceId, end.sequence, end.since)
      })

      const next = Effect.gen(function* () {
        // Read before the transaction begins, so that its statements see everything up to this sequence.
        const settled = yield* events.settled
        const batch = (workspaceIds: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const cursors = yield* repository.takeCursors(workspaceIds, settled)
            yield* Effect.forEach(cursors, (cursor) => fanOut(cursor, settled), { discard: true })
            return cursors.length
          }).pipe(transactionsOn(sql))
        return yield* isolation.run(
          yield* repository.waiting(settled, deliveryLimits.fanOutWorkspaces),
          (id) => id,
          batch
        )
        // Polled all the time, and only statements: not worth a trace.
      }).pipe(Effect.withTracerEnabled(false))

      const skipIdle = Effect.gen(function* () {
        const settled = yield* events.settled
        for (let after: string | undefined = ""; after !== undefined;) {
          const ids: ReadonlyArray<string> = yield* repository.idle(settled, after, IDLE)
          yield* isolation.run(
            ids,
            (id) => id,
            (some) => Effect.as(repository.moveIdleCursors(some, settled), some.length)
          )
          after = ids.length < IDLE ? undefined : ids.at(-1)
        }
      })

      return { next, nextDue: events.untilSettled, skipIdle: Effect.withSpan(skipIdle, "FanOut.skipIdle") }
    })
  )
}
