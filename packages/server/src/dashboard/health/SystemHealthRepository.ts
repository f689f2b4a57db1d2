import { HealthAccount, HealthDestination } from "@edp/domain/dashboard/SystemHealth"
import { HEALTH_ITEMS } from "@edp/domain/dashboard/SystemHealth"
import { Effect, Struct, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../platform/sql/migrationList.ts"
import { query, transactionsOn } from "../../platform/sql/transaction.ts"
import { CountedCalls } from "./quotaUse.ts"
import { queryRows } from "../../platform/sql/rows.ts"

/** Deliveries are counted up to this number for each destination, and destinations with deliveries are looked at. */
const MOST_DELIVERIES = 1000
const MOST_QUEUES = 1000

/** Milliseconds after which a server ends a statement. */
const STATEMENT_TIMEOUT = 2500

/** Seconds by which the renewal of a token may be late: workers renew an account's when they next read it. */
const RENEWAL_PATIENCE = 300

/** A token that no refresh renews is announced this long before its end. */
const WARNING = "7 days"

const DestinationRow = Schema.Struct({
  ...Struct.omit(HealthDestination.fields, ["isCapped", "failingSince", "deactivatedAt"]),
  failingSince: Schema.NullOr(Schema.Date),
  deactivatedAt: Schema.NullOr(Schema.Date)
})
type DestinationRow = typeof DestinationRow.Type

const AccountRow = Schema.Struct({
  ...Struct.omit(HealthAccount.fields, ["expiresAt", "since"]),
  expiresAt: Schema.NullOr(Schema.Date),
  since: Schema.NullOr(Schema.Date)
})
type AccountRow = typeof AccountRow.Type

export const PartitionRow = Schema.Struct({
  table: Schema.Literals(["readings", "events"]),
  name: Schema.String,
  from: Schema.NullOr(Schema.Date),
  to: Schema.NullOr(Schema.Date),
  rows: Schema.NullOr(Schema.Finite),
  bytes: Schema.Finite
})
export type PartitionRow = typeof PartitionRow.Type

const DestinationCountsRow = Schema.Struct({ total: Schema.Finite, deactivated: Schema.Finite, failing: Schema.Finite })
const ConnectedSignInNeededRow = Schema.Struct({ connected: Schema.Finite, signInNeeded: Schema.Finite })
const VersionBytesRow = Schema.Struct({ version: Schema.String, bytes: Schema.Finite })
const AppliedLatestRow = Schema.Struct({ applied: Schema.Finite, latest: Schema.NullOr(Schema.String) })

/** Reads the state of the deployment and of what an organization has in it. */
export const SystemHealthRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transaction = transactionsOn(sql)

  /** Reads with a time limit for each statement, which the embedded database can't end. */
  const bounded = <A, E, R>(read: Effect.Effect<A, E, R>) =>
    sql.driver === "pglite"
      ? read
      : transaction(
          Effect.andThen(query(sql`SET LOCAL statement_timeout = ${sql.literal(`${STATEMENT_TIMEOUT}`)}`), read)
        )

  const ofOrganization = (organizationId: string) =>
    sql`(SELECT id FROM workspaces WHERE organization_id = ${organizationId})`

  const destinations = (organizationId: string) =>
    queryRows(DestinationRow)(sql`SELECT d.id, d.workspace_id AS "workspaceId", d.label,
        d.destination_type AS "destinationType", p.waiting, p.oldest AS "oldestSeconds",
        d.failing_since AS "failingSince", d.deactivated_at AS "deactivatedAt",
        d.deactivated_reason AS "deactivatedReason"
      FROM (SELECT * FROM destinations
          WHERE workspace_id IN ${ofOrganization(organizationId)} AND (deactivated_at IS NOT NULL OR failing_since IS NOT NULL
            OR EXISTS (SELECT FROM delivery_queues q WHERE q.destination_id = destinations.id))
          ORDER BY deactivated_at IS NOT NULL, failing_since, id LIMIT ${MOST_QUEUES}) AS d
        CROSS JOIN LATERAL (SELECT count(*)::int AS waiting,
            extract(epoch FROM now() - min(created_at))::float8 AS oldest
          FROM (SELECT created_at FROM deliveries WHERE destination_id = d.id AND status = 'pending'
            ORDER BY lane, sequence LIMIT ${MOST_DELIVERIES}) AS pending) AS p
      WHERE d.deactivated_at IS NOT NULL OR d.failing_since IS NOT NULL OR p.waiting > 0
      ORDER BY d.deactivated_at IS NOT NULL, d.failing_since, p.waiting DESC, d.id LIMIT ${HEALTH_ITEMS}`)

  const destinationCounts = (organizationId: string) =>
    queryRows(DestinationCountsRow)(sql`
      SELECT count(*)::int AS total, (count(*) FILTER (WHERE deactivated_at IS NOT NULL))::int AS deactivated,
        (count(*) FILTER (WHERE deactivated_at IS NULL AND failing_since IS NOT NULL))::int AS failing
      FROM destinations WHERE workspace_id IN ${ofOrganization(organizationId)}`).pipe(Effect.map(([row]) => row!))

  /** Found by the indexes of failed accounts and of tokens' ends. */
  const accounts = (organizationId: string) =>
    queryRows(AccountRow)(sql`WITH found AS (
        SELECT id FROM accounts WHERE workspace_id IN ${ofOrganization(organizationId)}
          AND (status = 'failed' OR last_error IS NOT NULL)
        UNION SELECT id FROM accounts WHERE workspace_id IN ${ofOrganization(organizationId)}
          AND status = 'connected' AND expires_at < now() + interval '${sql.literal(WARNING)}'
      ), judged AS (
        SELECT a.*, CASE
          WHEN status = 'failed' THEN 'sign_in_needed'
          WHEN expires_at <= now() THEN 'expired'
          WHEN refresh_at < now() - ${RENEWAL_PATIENCE} * interval '1 second' THEN 'refresh_overdue'
          WHEN refresh_at IS NULL AND expires_at IS NOT NULL AND expires_at < now() + interval '${sql.literal(WARNING)}' THEN 'expires_soon'
          WHEN last_error IS NOT NULL THEN 'call_failed' END AS trouble
        FROM found JOIN accounts a USING (id) WHERE status IN ('failed', 'connected')
      )
      SELECT id, workspace_id AS "workspaceId", manufacturer, left(name, 255) AS name, trouble,
        expires_at AS "expiresAt",
        coalesce(CASE WHEN status = 'failed' THEN disconnected_at END, (last_error->>'at')::timestamptz) AS since,
        last_error->>'failure' AS failure, last_error->>'message' AS message
      FROM judged WHERE trouble IS NOT NULL
      ORDER BY array_position(ARRAY['sign_in_needed', 'expired', 'refresh_overdue', 'expires_soon', 'call_failed'], trouble), id
      LIMIT ${HEALTH_ITEMS}`)

  const accountCounts = (organizationId: string) =>
    queryRows(ConnectedSignInNeededRow)(sql`
      SELECT (count(*) FILTER (WHERE status = 'connected'))::int AS connected,
        (count(*) FILTER (WHERE status = 'failed'))::int AS "signInNeeded"
      FROM accounts WHERE workspace_id IN ${ofOrganization(organizationId)}`).pipe(Effect.map(([row]) => row!))

  return {
    destinations: (organizationId: string) =>
      bounded(Effect.all({ counts: destinationCounts(organizationId), rows: destinations(organizationId) })),
    mostDeliveries: MOST_DELIVERIES,
    accounts: (organizationId: string) =>
      bounded(Effect.all({ counts: accountCounts(organizationId), rows: accounts(organizationId) })),
    /** Calls that were made for all accounts together, and for the accounts of the organization with the most calls. */
    calls: (organizationId: string) =>
      bounded(
        queryRows(CountedCalls)(sql`SELECT c.manufacturer, c.account_id AS "accountId", NULL AS "accountName",
            NULL AS "workspaceId", window_seconds AS "windowSeconds", window_start AS "windowStart", calls,
            p.until AS "pausedUntil"
          FROM manufacturer_calls c LEFT JOIN manufacturer_pauses p
            ON p.manufacturer = c.manufacturer AND p.account_id = '' AND p.until > now()
          WHERE c.account_id = ''
          UNION ALL (SELECT c.manufacturer, c.account_id, left(a.name, 255), a.workspace_id, window_seconds, window_start,
              calls, p.until
            FROM accounts a JOIN manufacturer_calls c ON c.manufacturer = a.manufacturer AND c.account_id = a.id
              LEFT JOIN manufacturer_pauses p
                ON p.manufacturer = c.manufacturer AND p.account_id = c.account_id AND p.until > now()
            WHERE a.workspace_id IN ${ofOrganization(organizationId)}
            ORDER BY p.until IS NULL, calls DESC, c.account_id, window_seconds LIMIT ${HEALTH_ITEMS})`)
      ),
    /** The latest partitions first. Their rows are the planner's estimates, their bounds those of the attached ranges. */
    partitions: bounded(
      queryRows(PartitionRow)(sql`SELECT parent.relname AS table, c.relname AS name,
          (regexp_match(bound, 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz AS from,
          (regexp_match(bound, 'TO \\(''([^'']+)''\\)'))[1]::timestamptz AS to,
          CASE WHEN c.reltuples >= 0 THEN c.reltuples::float8 END AS rows, coalesce(pg_total_relation_size(c.oid), 0)::float8 AS bytes
        FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
          CROSS JOIN LATERAL pg_get_expr(c.relpartbound, c.oid) AS bound
        WHERE inhparent IN ('readings'::regclass, 'events'::regclass) AND c.relkind IN ('r', 'p')
        ORDER BY parent.relname DESC, c.relname DESC`)
    ),
    database: bounded(
      Effect.all({
        server: queryRows(VersionBytesRow)(sql`
          SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS bytes`).pipe(
          Effect.map(([row]) => row!)
        ),
        migrations: queryRows(AppliedLatestRow)(sql`
          SELECT count(*)::int AS applied, (SELECT lpad(migration_id::text, 4, '0') || '_' || name
            FROM migrations ORDER BY migration_id DESC LIMIT 1) AS latest FROM migrations`).pipe(
          Effect.map(([row]) => row!)
        )
      })
    ),
    knownMigrations: Object.keys(migrations).length,
    ping: Effect.asVoid(query(sql`SELECT 1`)),
    driver: sql.driver
  }
})
