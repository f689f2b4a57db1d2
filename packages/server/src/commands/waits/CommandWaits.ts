import { Clock, Effect, Schema } from "effect"
import { CommandIssuer } from "../issuing/CommandIssuer.ts"
import { SqlClient } from "effect/sql"
import { forcedModeColumn } from "../../devices/deviceTable.ts"
import { commandLimits } from "../commandLimits.ts"
import { queryRows } from "../../platform/sql/rows.ts"

/** Rows that one statement changes at most. */
const BATCH = 1000

/** Clocks of several machines differ by less, in seconds. */
const TOLERANCE = "5 seconds"

/** The longest pause before an attempt to restore settings, and after a failure. */
const LONGEST_PAUSE = "20 minutes"

const Changed = Schema.Struct({ n: Schema.Finite })
type Changed = typeof Changed.Type

const counted = Effect.map((rows: ReadonlyArray<Changed>) => rows[0]!.n === BATCH)

// A row that another worker has locked is being written now: it is left out, and so nothing here waits for others.
/** Waits of commands that were stored while a clock was ahead. */
const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const forcedMode = forcedModeColumn(sql)
  const tolerance = sql.literal(`interval '${TOLERANCE}'`)
  const most = sql.literal(String(BATCH))
  const pause = sql.literal(`interval '${LONGEST_PAUSE}'`)
  const interval = (seconds: number) => sql.literal(`interval '${seconds} seconds'`)
  const revertAfter = sql.literal(`coalesce(c.revert_after, ${commandLimits.longestModeSeconds}) * interval '1 second'`)

  return {
    /** Lets forced modes end, and settings be restored, no later than if they had begun now. Returns whether there may be more. */
    limitModes: (now: Date) =>
      queryRows(Changed)(
        sql`WITH late AS MATERIALIZED (
          SELECT f.device_id, least(f.until, ${now}::timestamptz + ${revertAfter}) AS until,
            CASE f.phase WHEN 'holding' THEN least(f.due_at, ${now}::timestamptz + ${revertAfter})
              ELSE least(f.due_at, ${now}::timestamptz + ${pause}) END AS due_at
          FROM forced_modes f JOIN devices d ON d.id = f.device_id JOIN device_work w ON w.device_id = f.device_id
            LEFT JOIN commands c ON c.id = f.command_id
          WHERE f.phase = 'holding' AND f.due_at > ${now}::timestamptz + ${revertAfter}
            OR f.phase = 'ending' AND f.due_at > ${now}::timestamptz + ${pause}
          ORDER BY f.device_id LIMIT ${most} FOR NO KEY UPDATE OF w, f, d SKIP LOCKED
        ), modes AS (
          UPDATE forced_modes f SET until = late.until, due_at = late.due_at FROM late WHERE f.device_id = late.device_id
        ), shown AS (
          ${forcedMode.end(sql`late`)}
        ), due AS (
          UPDATE device_work w SET due_at = least(w.due_at, late.due_at) FROM late WHERE w.device_id = late.device_id
        )
        SELECT count(*)::int AS n FROM late`.unprepared
      ).pipe(counted),
    /**
     * Open commands that were issued, sent or accepted in the future were so now: their times move with that. A time for which a caller
     * has scheduled a command stays. Returns whether there may be more.
     */
    limitCommands: (now: Date) =>
      queryRows(Changed)(
        sql`WITH early AS MATERIALIZED (
          SELECT c.id, c.device_id, greatest(c.issued_at - ${now}::timestamptz, interval '0') AS issued,
            greatest(coalesce(c.delivered_at, ${now}::timestamptz) - ${now}::timestamptz, interval '0') AS delivered,
            greatest(c.issued_at, c.delivered_at, c.handed_at) - ${now}::timestamptz AS moved
          FROM commands c JOIN device_work w ON w.device_id = c.device_id
          WHERE c.status IN ('pending', 'scheduled', 'delivered')
            AND greatest(c.issued_at, c.delivered_at, c.handed_at) > ${now}::timestamptz + ${tolerance}
          ORDER BY c.device_id, c.id LIMIT ${most} FOR NO KEY UPDATE OF w, c SKIP LOCKED
        ), moved AS (
          UPDATE commands c SET issued_at = c.issued_at - early.issued, delivered_at = c.delivered_at - early.delivered,
            handed_at = least(c.handed_at, ${now}),
            expires_at = CASE WHEN c.scheduled_for IS NULL THEN c.expires_at - early.issued ELSE c.expires_at END,
            deadline = CASE WHEN c.status = 'delivered' THEN c.deadline - early.delivered
              WHEN c.scheduled_for IS NULL THEN c.deadline - early.issued ELSE c.deadline END,
            due_at = CASE WHEN c.status <> 'delivered' AND c.scheduled_for > ${now} THEN c.due_at
              ELSE least(c.due_at, greatest(${now}, c.due_at - early.moved)) END
          FROM early WHERE c.id = early.id RETURNING c.device_id, c.due_at, c.status
        ), due AS (
          UPDATE device_work w SET due_at = least(w.due_at, first.due_at)
          FROM (SELECT device_id, min(due_at) AS due_at FROM moved WHERE status <> 'delivered' GROUP BY 1) AS first
          WHERE w.device_id = first.device_id
        )
        SELECT count(*)::int AS n FROM early`.unprepared
      ).pipe(counted),
    /** Lets leases, pauses after failures and what is left to other instances last no longer than if they had begun now. */
    limitLeases: queryRows(Changed)(sql`WITH long AS MATERIALIZED (
          SELECT device_id FROM device_work
          WHERE lease_until > clock_timestamp() + CASE WHEN claim IS NULL THEN ${pause} ELSE ${interval(commandLimits.leaseSeconds + 1)} END
            OR avoided_until > clock_timestamp() + ${interval(commandLimits.leftSeconds)} + interval '1 second'
          ORDER BY device_id LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED
        ), limited AS (
          UPDATE device_work w SET
            lease_until = CASE WHEN claim IS NULL THEN NULL
              ELSE least(lease_until, clock_timestamp() + ${interval(commandLimits.leaseSeconds)}) END,
            avoided_until = least(avoided_until, clock_timestamp() + ${interval(commandLimits.leftSeconds)})
          FROM long WHERE w.device_id = long.device_id
        )
        SELECT count(*)::int AS n FROM long`).pipe(counted)
  }
})

/** Limits the waits of commands and forced modes that were stored while a clock was ahead. */
export const CommandWaits = Effect.gen(function* () {
  const { limitCommands, limitLeases, limitModes } = yield* statements
  const { wake } = yield* CommandIssuer
  const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
  const all = <E>(statement: Effect.Effect<boolean, E>) => Effect.repeat(statement, { while: (more) => more })
  return {
    limit: Effect.gen(function* () {
      yield* all(Effect.flatMap(now, limitCommands))
      yield* all(Effect.flatMap(now, limitModes))
      yield* all(limitLeases)
      yield* wake
    }).pipe(Effect.withSpan("CommandWaits.limit"))
  }
})
