import { Clock, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { firstIdAt } from "../../platform/Ids.ts"
import { eventTable } from "../../platform/outbox/EventPartitions.ts"
import { queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"

/** Events of readings that arrived earlier are no longer kept. */
export const EVENTS_KEPT = 31 * 86_400_000

const StateRow = Schema.Struct({ id: Schema.String, state: Schema.String })

/** Copies states into the events that refer to readings `r`, before these leave their table. */
export const keepEventStates = (sql: SqlClient.SqlClient) => {
  const events = eventTable(sql)
  return Effect.fnUntraced(function* (from: Statement.Fragment, condition: Statement.Fragment) {
    const first = firstIdAt((yield* Clock.currentTimeMillis) - EVENTS_KEPT)
    const recent = yield* queryRows(StateRow)(
      sql`SELECT r.id, r.state::text AS state FROM ${from} WHERE ${condition} AND r.id >= ${first}`.unprepared
    )
    if (recent.length > 0) yield* query(events.keepStatesOfReadings(recent))
  })
}
