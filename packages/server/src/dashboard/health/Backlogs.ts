import { Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { type Family, gauge } from "../../platform/observability/processMetrics.ts"
import { CountRow, queryCount, queryRows } from "../../platform/sql/rows.ts"

/** Rows are counted up to this number, along an index: a larger backlog is as alarming. */
export const MOST = 50_000

/** Pages of the table of current states that are read. The count of a larger table is an estimate. */
const MOST_PAGES = 2000

/** Scrapes within this time get the same figures, so several scrapers cost no more than one. */
const KEPT = "10 seconds"

const Deliveries = Schema.Struct({ pending: Schema.Finite, due: Schema.Finite, oldest: Schema.Finite })
type Deliveries = typeof Deliveries.Type

/** The rows that wait for a kind of background work. */
export const WaitingWork = Schema.Struct({
  task: Schema.String,
  /** Rows, up to `MOST`. */
  waiting: Schema.Finite,
  /** How long the oldest has waited; null if none waits, or the table has no times. */
  oldestSeconds: Schema.NullOr(Schema.Finite)
})
export type WaitingWork = typeof WaitingWork.Type

/** Work on accounts that is later than this is overdue. */
const OVERDUE_SECONDS = 60

const DueAccounts = Schema.Struct({
  manufacturer: Schema.String,
  due: Schema.Finite,
  overdue: Schema.Finite,
  oldest: Schema.NullOr(Schema.Finite)
})
type DueAccounts = typeof DueAccounts.Type

const secondsSince = (column: string) => `extract(epoch FROM now() - min(nullif(${column}, '-infinity')))::float8`

const StatusNRow = Schema.Struct({ status: Schema.String, n: Schema.Finite })
const PercentRow = Schema.Struct({ percent: Schema.Finite })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const accounts = queryRows(StatusNRow)(sql`
    SELECT status, count(*)::int AS n FROM accounts GROUP BY status`)

  const dueAccounts = queryRows(DueAccounts)(sql`
    SELECT slug AS manufacturer, count(w.*)::int AS due,
      (count(*) FILTER (WHERE w.due_at < now() - ${OVERDUE_SECONDS} * interval '1 second'))::int AS overdue,
      ${sql.literal(secondsSince("w.due_at"))} AS oldest
    FROM manufacturers LEFT JOIN LATERAL (
      SELECT due_at FROM account_work WHERE manufacturer = slug AND due_at <= now() ORDER BY due_at LIMIT ${MOST}) AS w ON true
    WHERE connectable GROUP BY slug`)

  const deliveries = queryRows(Deliveries)(sql`
    SELECT count(*)::int AS pending, (count(*) FILTER (WHERE next_attempt_at <= now()))::int AS due,
      coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS oldest
    FROM (SELECT next_attempt_at, created_at FROM deliveries WHERE status = 'pending'
      ORDER BY destination_id, lane, sequence LIMIT ${MOST}) AS pending`).pipe(Effect.map(([row]) => row!))

  /** Rows of a table that are due, along the index of a time. */
  const due = (task: string, table: string, column: string, condition = "true") => `
    UNION ALL SELECT '${task}', count(*)::int, ${secondsSince("at")}
      FROM (SELECT ${column} AS at FROM ${table} WHERE ${column} <= now() AND ${condition}
        ORDER BY ${column} LIMIT ${MOST}) AS due`

  const jobs = queryRows(WaitingWork)(sql`
    SELECT 'energy_rollups' AS task, count(*)::int AS waiting, NULL::float8 AS "oldestSeconds"
      FROM (SELECT FROM device_states WHERE unrolled ORDER BY device_id LIMIT ${MOST}) AS unrolled
    UNION ALL SELECT 'forgotten_histories', count(*)::int, ${sql.literal(secondsSince("created_at"))}
      FROM (SELECT created_at FROM forgotten_histories ORDER BY device_id LIMIT ${MOST}) AS forgotten
    UNION ALL SELECT 'site_changes', count(*)::int, NULL
      FROM (SELECT FROM site_changes ORDER BY id LIMIT ${MOST}) AS changes
    UNION ALL SELECT 'event_fan_out', count(e.*)::int, ${sql.literal(secondsSince("e.created_at"))}
      FROM (SELECT settled_event_sequence() AS sequence OFFSET 0) AS settled, event_cursors c JOIN LATERAL (
        SELECT created_at FROM events WHERE workspace_id = c.workspace_id AND sequence > c.sequence
          AND sequence <= settled.sequence AND created_at >= c.since - interval '1 day'
        ORDER BY sequence LIMIT 1) AS e ON true
      WHERE c.sequence < settled.sequence
    UNION ALL SELECT 'commands', count(w.*)::int, ${sql.literal(secondsSince("w.due_at"))}
      FROM manufacturers LEFT JOIN LATERAL (
        SELECT due_at FROM device_work WHERE manufacturer = slug AND due_at <= now() ORDER BY due_at LIMIT ${MOST}) AS w ON true
    ${sql.literal(
      due("command_confirmations", "commands", "due_at", "status = 'delivered'") +
        due(
          "command_timeouts",
          "commands",
          "deadline",
          "status IN ('pending', 'scheduled', 'delivered') AND deadline > '-infinity'"
        ) +
        due("schedules", "schedules", "next_transition_at") +
        due("dispatches", "dispatches", "due_at") +
        due("silence_checks", "device_watches", "check_at")
    )}`)

  const percentOfStates = queryRows(PercentRow)(sql`
    SELECT least(100, ${MOST_PAGES * 100} / greatest(1, pg_relation_size('device_states')
      / current_setting('block_size')::int))::float8 AS percent`).pipe(Effect.map(([row]) => row!.percent))

  const online = Effect.flatMap(percentOfStates, (percent) =>
    queryRows(CountRow)(
      sql`
      SELECT round(count(*) * 100 / ${percent}::float8)::float8 AS n
      FROM device_states s TABLESAMPLE SYSTEM (${sql.literal(`${percent}`)}) JOIN devices d ON d.id = s.device_id
        JOIN manufacturers m ON m.slug = d.manufacturer
      WHERE s.at >= now() - m.online_window AND coalesce(s.reported_status, '') NOT IN ('asleep', 'unreachable')
        AND d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL`.unprepared
    )
  ).pipe(Effect.map(([row]) => row!.n))

  const devices = queryCount(sql`
    SELECT coalesce(sum(devices), 0)::float8 AS n FROM workspace_device_counts`)

  const counts = Effect.gen(function* () {
    const delivering = yield* deliveries
    const waiting = yield* dueAccounts
    const pending = yield* jobs
    return { asOf: new Date(yield* Clock.currentTimeMillis), delivering, pending, waiting }
  })

  const cachedCounts = yield* Effect.cachedWithTTL(counts, (exit) => (Exit.isSuccess(exit) ? KEPT : 0))

  const work = Effect.map(cachedCounts, ({ asOf, delivering, pending, waiting }) => {
    const accountsDue = waiting.reduce((sum, { due }) => sum + due, 0)
    const latest = waiting.flatMap(({ oldest }) => oldest ?? [])
    const tasks: ReadonlyArray<WaitingWork> = [
      ...pending,
      {
        task: "deliveries",
        waiting: delivering.pending,
        oldestSeconds: delivering.pending === 0 ? null : delivering.oldest
      },
      {
        task: "account_readings",
        waiting: accountsDue,
        oldestSeconds: latest.length === 0 ? null : Math.max(...latest)
      }
    ]
    return { asOf, tasks }
  })

  const read = Effect.gen(function* () {
    const { delivering, pending, waiting } = yield* cachedCounts
    const known = yield* devices
    const speaking = yield* online
    const linked = yield* accounts
    return [
      gauge("edp_deliveries_pending", `Unfinished deliveries, up to ${MOST}`, { value: delivering.pending }),
      gauge("edp_deliveries_due", `Deliveries that could be tried now, up to ${MOST}`, { value: delivering.due }),
      gauge("edp_delivery_oldest_pending_seconds", "Age of the oldest unfinished delivery", {
        value: Math.max(0, delivering.oldest)
      }),
      gauge(
        "edp_jobs_pending",
        `Rows that wait for background work, by task, up to ${MOST}`,
        ...pending.map(({ task, waiting: n }) => ({ labels: { task }, value: n }))
      ),
      gauge(
        "edp_accounts",
        "Accounts at manufacturers, by status",
        ...linked.map(({ n, status }) => ({ labels: { status }, value: n }))
      ),
      gauge(
        "edp_accounts_due",
        `Accounts whose work is due and that no instance works on, by manufacturer, up to ${MOST}`,
        ...waiting.map(({ due, manufacturer }) => ({ labels: { manufacturer }, value: due }))
      ),
      gauge(
        "edp_accounts_overdue",
        `Accounts whose work has been due for more than ${OVERDUE_SECONDS} seconds, by manufacturer, up to ${MOST}`,
        ...waiting.map(({ manufacturer, overdue }) => ({ labels: { manufacturer }, value: overdue }))
      ),
      gauge("edp_devices", "Devices of all workspaces", { value: known }),
      gauge("edp_devices_online", "Devices with a recent reading; an estimate for large numbers", {
        value: speaking
      })
    ] satisfies ReadonlyArray<Family>
  }).pipe(Effect.timeoutOption("5 seconds"), Effect.map(Option.getOrElse((): ReadonlyArray<Family> => [])))

  /** The metrics of the process are reported without the database, too. */
  const readOrNothing = Effect.catchCause(read, (cause) =>
    Effect.as(logFailure("backlogs", "Backlogs could not be counted", cause), [] as ReadonlyArray<Family>)
  )
  return {
    families: yield* Effect.cachedWithTTL(readOrNothing, KEPT),
    /** The rows that waited for each kind of background work, at most 10 seconds ago. */
    work
  }
})

/** Work that waits in the database, for all instances together. */
export class Backlogs extends Context.Service<Backlogs, Effect.Success<typeof make>>()(
  "@edp/server/dashboard/health/Backlogs"
) {
  static readonly layer = Layer.effect(Backlogs, make)
}
