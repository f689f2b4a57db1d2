import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Events } from "../../events/Events.ts"
import { beginningOfIds } from "../../platform/Ids.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { COUNT_DIGITS, type Cursor, FanOutRepository } from "./FanOutRepository.ts"

/** Workspaces, and deliveries for each, that one transaction makes. */
const WORKSPACES = 5
const PART = 1000

/** Events that make no more deliveries than that, should each destination get them all. */
const eventsFor = (destinations: number) => Math.max(1, Math.floor(PART / Math.max(1, destinations)))

/** Gives events to the destinations that subscribe to them. */
export class FanOut extends Context.Service<
  FanOut,
  {
    /** Makes the deliveries of a part of what has happened, each once. Answers how many workspaces it was of. */
    readonly next: Effect.Effect<number>
    /** Moves on in workspaces in which nothing has happened, so that looking for something stays cheap. */
    readonly skipIdle: Effect.Effect<void>
  }
>()("@edp/server/destinations/delivery/FanOut") {
  static readonly layer = Layer.effect(
    FanOut,
    Effect.gen(function* () {
      const repository = yield* FanOutRepository
      const events = yield* Events
      const sql = yield* SqlClient.SqlClient

      const give = Effect.fnUntraced(function* (cursor: Cursor, settled: number) {
        if (yield* repository.dropCursor(cursor.workspaceId)) return
        const end = yield* repository.partEnd(cursor, settled, eventsFor(cursor.destinations))
        const now = yield* Clock.currentTimeMillis
        yield* repository.store(cursor, end.sequence, beginningOfIds(now, COUNT_DIGITS), new Date(now))
        yield* repository.moveCursor(cursor.workspaceId, end.sequence, end.since)
      })

      const next = Effect.gen(function* () {
        // Before the transaction looks at anything: what is settled is seen by every statement after this one.
        const settled = yield* events.settled
        const part = Effect.gen(function* () {
          const cursors = yield* repository.takeCursors(settled, WORKSPACES)
          yield* Effect.forEach(cursors, (cursor) => give(cursor, settled), { discard: true })
          return cursors.length
        })
        return yield* transactionsOn(sql)(part)
        // Asked for all the time, and nothing but statements.
      }).pipe(Effect.withTracerEnabled(false))

      return {
        next,
        skipIdle: Effect.flatMap(events.settled, repository.moveIdleCursors).pipe(
          Effect.asVoid,
          Effect.withSpan("FanOut.skipIdle")
        )
      }
    })
  )
}
