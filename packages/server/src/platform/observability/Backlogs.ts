import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"
import { type Family, gauge } from "./processMetrics.ts"

/** Rows are counted up to this number, along an index: a larger backlog is as alarming. */
const MOST = 50_000

/** Pages of the table of current states that are read. The count of a larger table is an estimate. */
const MOST_PAGES = 2000

/** Scrapes within this time get the same figures, so several scrapers cost no more than one. */
const KEPT = "10 seconds"

interface Deliveries {
  readonly pending: number
  readonly due: number
  readonly oldest: number
}

interface Jobs {
  readonly job: string
  readonly n: number
}

/** Work on accounts that is later than this is overdue. */
const OVERDUE_SECONDS = 60

interface DueAccounts {
  readonly manufacturer: string
  readonly due: number
  readonly overdue: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const accounts = query(sql<{ readonly status: string; readonly n: number }>`
    SELECT status, count(*)::int AS n FROM accounts GROUP BY status`)

  const dueAccounts = query(sql<DueAccounts>`
    SELECT slug AS manufacturer, count(w.*)::int AS due,
      (count(*) FILTER (WHERE w.due_at < now() - ${OVERDUE_SECONDS} * interval '1 second'))::int AS overdue
    FROM manufacturers LEFT JOIN LATERAL (
      SELECT due_at FROM account_work WHERE manufacturer = slug AND due_at <= now() ORDER BY due_at LIMIT ${MOST}) AS w ON true
    WHERE connectable GROUP BY slug`)

  const deliveries = query(sql<Deliveries>`
    SELECT count(*)::int AS pending, (count(*) FILTER (WHERE next_attempt_at <= now()))::int AS due,
      coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS oldest
    FROM (SELECT next_attempt_at, created_at FROM deliveries WHERE status = 'pending'
      ORDER BY destination_id, lane, sequence LIMIT ${MOST}) AS pending`).pipe(Effect.map(([row]) => row!))

  const jobs = query(sql<Jobs>`
    SELECT 'energy_rollups' AS job, count(*)::int AS n
      FROM (SELECT FROM device_states WHERE unrolled ORDER BY device_id LIMIT ${MOST}) AS unrolled
    UNION ALL SELECT 'forgotten_histories', count(*)::int
      FROM (SELECT FROM forgotten_histories ORDER BY device_id LIMIT ${MOST}) AS forgotten
    UNION ALL SELECT 'site_changes', count(*)::int FROM (SELECT FROM site_changes ORDER BY id LIMIT ${MOST}) AS changes`)

  const percentOfStates = query(sql<{ readonly percent: number }>`
    SELECT least(100, ${MOST_PAGES * 100} / greatest(1, pg_relation_size('device_states')
      / current_setting('block_size')::int))::float8 AS percent`).pipe(Effect.map(([row]) => row!.percent))

  const online = Effect.flatMap(percentOfStates, (percent) =>
    query(
      sql<{ readonly n: number }>`
      SELECT round(count(*) * 100 / ${percent}::float8)::float8 AS n
      FROM device_states s TABLESAMPLE SYSTEM (${sql.literal(`${percent}`)}) JOIN devices d ON d.id = s.device_id
        JOIN manufacturers m ON m.slug = d.manufacturer
      WHERE s.at >= now() - m.online_window AND s.reported_status IS DISTINCT FROM 'asleep'
        AND d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL`.unprepared
    )
  ).pipe(Effect.map(([row]) => row!.n))

  const devices = query(sql<{ readonly n: number }>`
    SELECT coalesce(sum(devices), 0)::float8 AS n FROM workspace_device_counts`).pipe(Effect.map(([row]) => row!.n))

  const read = Effect.gen(function* () {
    const delivering = yield* deliveries
    const pending = yield* jobs
    const known = yield* devices
    const speaking = yield* online
    const linked = yield* accounts
    const waiting = yield* dueAccounts
    return [
      gauge("edp_deliveries_pending", `Unfinished deliveries, up to ${MOST}`, { value: delivering.pending }),
      gauge("edp_deliveries_due", `Deliveries that could be tried now, up to ${MOST}`, { value: delivering.due }),
      gauge("edp_delivery_oldest_pending_seconds", "Age of the oldest unfinished delivery", {
        value: Math.max(0, delivering.oldest)
      }),
      gauge(
        "edp_jobs_pending",
        `Rows that wait for background work, by task, up to ${MOST}`,
        ...pending.map(({ job, n }) => ({ labels: { task: job }, value: n }))
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
    Effect.as(Effect.logWarning("Backlogs could not be counted", cause), [] as ReadonlyArray<Family>)
  )
  return { families: yield* Effect.cachedWithTTL(readOrNothing, KEPT) }
})

/** Work that waits in the database, for all instances together, as metrics for Prometheus. */
export class Backlogs extends Context.Service<Backlogs, Effect.Success<typeof make>>()(
  "@edp/server/platform/observability/Backlogs"
) {
  static readonly layer = Layer.effect(Backlogs, make)
}
