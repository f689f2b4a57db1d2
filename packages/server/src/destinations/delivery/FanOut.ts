import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Events } from "../../events/Events.ts"
import { beginningOfIds } from "../../platform/Ids.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { Cursor } from "./orderingKeys.ts"
import { COUNT_DIGITS, LanesRepository } from "./OrderingKeysRepository.ts"

/** Workspaces, and deliveries for each, that one transaction makes. */
const WORKSPACES = 5
const PART = 1000

/** Events that make no more deliveries than that, should each destination get them all. */
const eventsFor = (destinations: number) => Math.max(1, Math.floor(PART / Math.max(1, destinations)))

/** Gives events to the destinations that subscribe to them. */
export class Dispatch extends Context.Service<
  Dispatch,
  {
    /** Makes the deliveries of a part of what has happened, each once. Answers how many workspaces it was of. */
    readonly next: Effect.Effect<number>
    /** Moves on in workspaces in which nothing has happened, so that looking for something stays cheap. */
    readonly skipIdle: Effect.Effect<void>
  }
>()("@edp/server/destinations/delivery/FanOut") {
  static readonly layer = Layer.effect(
    Dispatch,
    Effect.gen(function* () {
      const lanes = yield* LanesRepository
      const events = yield* Events
      const sql = yield* SqlClient.SqlClient

      const give = Effect.fnUntraced(function* (cursor: Cursor, settled: number) {
        if (yield* lanes.dropCursor(cursor.workspaceId)) return
        const end = yield* lanes.partEnd(cursor, settled, eventsFor(cursor.destinations))
        const now = yield* Clock.currentTimeMillis
        yield* lanes.give(cursor, end.sequence, beginningOfIds(now, COUNT_DIGITS), new Date(now))
        yield* lanes.moveCursor(cursor.workspaceId, end.sequence, end.since)
      })

      const next = Effect.gen(function* () {
        // Before the transaction looks at anything: what is settled is seen by every statement after this one.
        const settled = yield* events.settled
        const part = Effect.gen(function* () {
          const cursors = yield* lanes.takeCursors(settled, WORKSPACES)
          yield* Effect.forEach(cursors, (cursor) => give(cursor, settled), { discard: true })
          return cursors.length
        })
        return yield* transactionsOn(sql)(part)
        // Asked for all the time, and nothing but statements.
      }).pipe(Effect.withTracerEnabled(false))

      return {
        next,
        skipIdle: Effect.flatMap(events.settled, lanes.moveIdleCursors).pipe(
          Effect.asVoid,
          Effect.withSpan("Dispatch.skipIdle")
        )
      }
    })
  )
}
