import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { ConfirmableCommand } from "./confirmation.ts"

/** A command that was looked at, and the next look; null where it has no time of its own. */
export interface LookedAt {
  readonly id: string
  readonly readingId: string | null
  readonly dueAt: Date | null
}

export interface TimedOutCommand extends ConfirmableCommand {
  readonly executedAt: Date
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`c.id, c.type, c.input, c.handed_at AS "handedAt", c.delivered_at AS "deliveredAt",
    c.seen_reading_id AS "seenReadingId", d.manufacturer, d.manufacturer_device_id AS "manufacturerDeviceId",
    d.type AS "deviceType", d.direct, d.static_state AS "staticState", s.reading_id AS "readingId", s.at, s.state,
    coalesce(s.reported_status = 'asleep', false) AS asleep`)
  const joined = sql.literal(`commands c JOIN devices d ON d.id = c.device_id
    LEFT JOIN device_states s ON s.device_id = c.device_id`)
  const limit = (most: number) => sql.literal(`LIMIT ${most} FOR UPDATE OF c SKIP LOCKED`)

  // All are for a transaction: the commands are locked, those that others have locked are left out.
  return {
    /** Delivered commands whose next look is due, the longest due first. */
    unconfirmed: (now: Date, most: number) =>
      query(sql<ConfirmableCommand>`SELECT ${columns} FROM ${joined}
        WHERE c.status = 'delivered' AND c.due_at <= ${now} ORDER BY c.due_at ${limit(most)}`),
    /** Commands whose calls were interrupted twice, with readings that are new. */
    interrupted: (most: number) =>
      query(sql<ConfirmableCommand>`SELECT ${columns} FROM ${joined}
        WHERE c.status IN ('pending', 'scheduled') AND c.interruptions > 1
          AND s.reading_id IS DISTINCT FROM c.seen_reading_id AND s.at >= c.handed_at
        ORDER BY c.id ${limit(most)}`),
    /**
     * Delivered commands that timed out since a time, with readings that are new. Not those after which another command of their type was
     * delivered: the state is that one's.
     */
    timedOut: (since: Date, after: { readonly executedAt: Date; readonly id: string }, most: number) =>
      query(sql<TimedOutCommand>`SELECT ${columns}, c.executed_at AS "executedAt" FROM ${joined}
        WHERE c.reason = 'timeout' AND c.late_result IS NULL AND c.executed_at > ${since}
          AND (c.executed_at, c.id) > (${after.executedAt}::timestamptz, ${after.id}::text)
          AND s.reading_id IS DISTINCT FROM c.seen_reading_id AND s.at >= c.delivered_at
          AND NOT EXISTS (SELECT FROM commands n WHERE n.device_id = c.device_id AND n.id > c.id AND n.type = c.type
            AND n.delivered_at IS NOT NULL)
        ORDER BY c.executed_at, c.id ${limit(most)}`),
    /** Remembers which readings commands were compared with. */
    note: (commands: ReadonlyArray<LookedAt>) =>
      query(
        sql`UPDATE commands c SET seen_reading_id = given."readingId", due_at = coalesce(given."dueAt", c.due_at)
          FROM jsonb_to_recordset(${JSON.stringify(commands)}::jsonb)
            AS given (id text, "readingId" text, "dueAt" timestamptz)
          WHERE c.id = given.id`.unprepared
      )
  }
})

export class ConfirmationsRepository extends Context.Service<ConfirmationsRepository, Effect.Success<typeof make>>()(
  "@edp/server/ConfirmationsRepository"
) {
  static readonly layer = Layer.effect(ConfirmationsRepository, make)
}
