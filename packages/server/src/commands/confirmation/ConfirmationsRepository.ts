import type { CommandNote } from "@edp/domain/commands/CommandNote"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { isReady } from "../../platform/jobs/isolation.ts"
import { untilTime } from "../../platform/jobs/workWait.ts"
import { query } from "../../platform/sql/transaction.ts"
import { CONFIRMATION, LATE_RESULTS } from "../commandWork.ts"
import { ConfirmableCommand } from "./stateComparison.ts"
import { IdRow, decodeRows } from "../../platform/sql/rows.ts"

/** A command that was looked at, and the next look; null where it has no time of its own. */
export interface LookedAt {
  readonly id: string
  readonly readingId: string | null
  /** The fields of the reading that confirm commands; null if it decided nothing. */
  readonly seen: object | null
  readonly dueAt: Date | null
}

export const TimedOut = Schema.Struct({ id: Schema.String, executedAt: Schema.Date })
export type TimedOut = typeof TimedOut.Type

/** Whether the device's settings may be those of a later command, or those from before a forced mode that has ended since. */
const isReplaced = `(EXISTS (SELECT FROM commands n WHERE n.device_id = c.device_id AND n.id > c.id
    AND n.handed_at IS NOT NULL)
  OR EXISTS (SELECT FROM forced_modes f WHERE f.device_id = c.device_id
    AND (f.phase = 'ending' OR f.ended_at > c.delivered_at)))`

/** A completed command whose effect no state has shown yet, with the newest state of its device. */
export const UnseenCommand = Schema.Struct({
  ...Struct.pick(ConfirmableCommand.fields, ["id", "type", "input", "readingId", "at", "state"]),
  executedAt: Schema.Date,
  effectUntil: Schema.Date
})
export type UnseenCommand = typeof UnseenCommand.Type

/** The result of a look at such a command. `isOver`: it is not looked at again. */
export interface NotedEffect {
  readonly id: string
  readonly note: CommandNote | null
  readonly isOver: boolean
  readonly dueAt: Date
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`c.id, c.type, c.input, c.handed_at AS "handedAt", c.delivered_at AS "deliveredAt",
    c.seen_reading_id AS "seenReadingId", c.sent_input AS "sentInput", c.state_before AS "stateBefore",
    c.state_seen AS "stateSeen", m.confirm_within AS "confirmWithin", ${isReplaced} AS "isReplaced", d.manufacturer, d.manufacturer_device_id AS "manufacturerDeviceId",
    d.type AS "deviceType", d.direct, d.static_state AS "staticState", s.reading_id AS "readingId", s.at, s.state,
    coalesce(s.reported_status = 'asleep', false) AS asleep`)
  const joined = sql.literal(`commands c JOIN devices d ON d.id = c.device_id
    JOIN manufacturers m ON m.slug = d.manufacturer LEFT JOIN device_states s ON s.device_id = c.device_id`)
  const limit = (most: number) => sql.literal(`LIMIT ${most}`)
  const locked = sql.literal("FOR UPDATE OF c SKIP LOCKED")
  const isReadyFor = (work: string) => isReady(sql, work, "c.id")
  const among = (ids: ReadonlyArray<string>) => sql`c.id = ANY(${ids}::text[])`
  const toIds = Effect.map((rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id))
  const isInterrupted = sql.literal(`c.status IN ('pending', 'scheduled') AND c.interruptions > 1
    AND s.reading_id IS DISTINCT FROM c.seen_reading_id AND s.at >= c.handed_at`)

  return {
    /** Milliseconds until the next look at a command is due. Interrupted ones have no time: they are looked at all the time. */
    nextDue: untilTime(
      sql,
      sql`least((SELECT min(due_at) FROM commands WHERE status = 'delivered'),
        (SELECT min(due_at) FROM commands WHERE effect_until IS NOT NULL),
        (SELECT timestamptz 'epoch' FROM commands
          WHERE status IN ('pending', 'scheduled') AND interruptions > 1 LIMIT 1))`
    ),
    /** Delivered commands whose next look is due, the longest due first. */
    due: (now: Date, most: number) =>
      query(
        decodeRows(IdRow)(sql`SELECT c.id FROM commands c WHERE c.status = 'delivered' AND c.due_at <= ${now}
        AND ${isReadyFor(CONFIRMATION)} ORDER BY c.due_at ${limit(most)}`)
      ).pipe(toIds),
    /** For a transaction: locks those that are still due; those that others have locked are left out. */
    unconfirmed: (ids: ReadonlyArray<string>, now: Date) =>
      query(
        decodeRows(ConfirmableCommand)(sql`SELECT ${columns} FROM ${joined}
        WHERE ${among(ids)} AND c.status = 'delivered' AND c.due_at <= ${now} ORDER BY c.due_at ${locked}`)
      ),
    /** Commands whose calls were interrupted twice, with readings that are new. */
    dueInterrupted: (most: number) =>
      query(
        decodeRows(IdRow)(sql`SELECT c.id FROM ${joined}
        WHERE ${isInterrupted} AND ${isReadyFor(CONFIRMATION)} ORDER BY c.id ${limit(most)}`)
      ).pipe(toIds),
    /** For a transaction: locks those that are still so; those that others have locked are left out. */
    interrupted: (ids: ReadonlyArray<string>) =>
      query(
        decodeRows(ConfirmableCommand)(sql`SELECT ${columns} FROM ${joined}
        WHERE ${among(ids)} AND ${isInterrupted} ORDER BY c.id ${locked}`)
      ),
    /**
     * Delivered commands that timed out since a time, with readings that are new. Not those after which another command of their type was
     * delivered: the state is that one's.
     */
    dueTimedOut: (since: Date, after: TimedOut, most: number) =>
      query(
        decodeRows(TimedOut)(sql`SELECT c.id, c.executed_at AS "executedAt" FROM ${joined}
        WHERE ${isReadyFor(LATE_RESULTS)} AND c.reason = 'timeout' AND c.late_result IS NULL AND c.executed_at > ${since}
          AND (c.executed_at, c.id) > (${after.executedAt}::timestamptz, ${after.id}::text)
          AND s.reading_id IS DISTINCT FROM c.seen_reading_id AND s.at >= c.delivered_at
          AND NOT EXISTS (SELECT FROM commands n WHERE n.device_id = c.device_id AND n.id > c.id AND n.type = c.type
            AND n.delivered_at IS NOT NULL)
        ORDER BY c.executed_at, c.id ${limit(most)}`)
      ),
    /** For a transaction: locks those whose late result is still unknown; those that others have locked are left out. */
    timedOut: (ids: ReadonlyArray<string>) =>
      query(
        decodeRows(ConfirmableCommand)(sql`SELECT ${columns} FROM ${joined}
        WHERE ${among(ids)} AND c.reason = 'timeout' AND c.late_result IS NULL ORDER BY c.executed_at, c.id ${locked}`)
      ),
    /** Completed commands whose effect is to be looked at, the longest due first. */
    dueUnseen: (now: Date, most: number) =>
      query(
        decodeRows(IdRow)(sql`SELECT c.id FROM commands c WHERE c.effect_until IS NOT NULL
        AND c.due_at <= ${now} AND ${isReadyFor(CONFIRMATION)} ORDER BY c.due_at ${limit(most)}`)
      ).pipe(toIds),
    /** For a transaction: locks those that are still due; those that others have locked are left out. */
    unseen: (ids: ReadonlyArray<string>, now: Date) =>
      query(
        decodeRows(UnseenCommand)(sql`SELECT c.id, c.type, c.input, c.executed_at AS "executedAt",
          c.effect_until AS "effectUntil", s.reading_id AS "readingId", s.at, s.state
        FROM commands c LEFT JOIN device_states s ON s.device_id = c.device_id
        WHERE ${among(ids)} AND c.effect_until IS NOT NULL AND c.due_at <= ${now} ORDER BY c.due_at ${locked}`)
      ),
    noteEffects: (effects: ReadonlyArray<NotedEffect>) =>
      query(
        sql`UPDATE commands c SET note = given.note, due_at = given."dueAt",
            effect_until = CASE WHEN NOT given."isOver" THEN c.effect_until END
          FROM jsonb_to_recordset(${JSON.stringify(effects)}::jsonb)
            AS given (id text, note jsonb, "isOver" boolean, "dueAt" timestamptz)
          WHERE c.id = given.id`.unprepared
      ),
    /** Remembers which readings commands were compared with. */
    remember: (commands: ReadonlyArray<LookedAt>) =>
      query(
        sql`UPDATE commands c SET seen_reading_id = given."readingId", due_at = coalesce(given."dueAt", c.due_at),
            state_seen = coalesce(given.seen, c.state_seen)
          FROM jsonb_to_recordset(${JSON.stringify(commands)}::jsonb)
            AS given (id text, "readingId" text, "dueAt" timestamptz, seen jsonb)
          WHERE c.id = given.id`.unprepared
      )
  }
})

export class ConfirmationsRepository extends Context.Service<ConfirmationsRepository, Effect.Success<typeof make>>()(
  "@edp/server/ConfirmationsRepository"
) {
  static readonly layer = Layer.effect(ConfirmationsRepository, make)
}
