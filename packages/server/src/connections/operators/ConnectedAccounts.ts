import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  ACCOUNT_DEVICES_LIMIT,
  ConnectedAccount,
  type ConnectedAccountFilters,
  type ConnectedAccountStatus
} from "@edp/domain/connections/ConnectedAccount"
import { Effect, Schema, Struct } from "effect"
import { paginate, conditions } from "../../platform/sql/lists.ts"
import { iso, isoOrNull } from "../../platform/sql/records.ts"
import { SqlClient } from "effect/sql"
import { queryCount, queryRows } from "../../platform/sql/rows.ts"

interface Filters {
  readonly id: ReadonlyArray<string> | undefined
  readonly status: ReadonlyArray<ConnectedAccountStatus> | undefined
  readonly manufacturer: ReadonlyArray<string> | undefined
}

/** An account with what operators see of its person, credentials, work and devices. */
export const ConnectedAccountRow = Schema.Struct({
  ...Struct.omit(ConnectedAccount.fields, [
    "customer",
    "credentialsExpireAt",
    "renewAt",
    "createdAt",
    "connectedAt",
    "disconnectedAt"
  ]),
  customerId: Schema.NullOr(Schema.String),
  customerName: Schema.NullOr(Schema.String),
  credentialsExpireAt: Schema.NullOr(Schema.Date),
  renewAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  connectedAt: Schema.NullOr(Schema.Date),
  disconnectedAt: Schema.NullOr(Schema.Date)
})
export type ConnectedAccountRow = typeof ConnectedAccountRow.Type

/** Accounts with their persons, sessions and devices. */
const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const matching = (workspaceId: string, { id, manufacturer, status }: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      ...isAnyOf("id", id),
      ...isAnyOf("manufacturer", manufacturer),
      ...(status === undefined ? [sql`status <> 'pending'`] : isAnyOf("status", status))
    ])

  return {
    list: (workspaceId: string, filters: Filters, devices: number, limit: number, offset: number) =>
      queryRows(ConnectedAccountRow)(sql`SELECT a.id, a.manufacturer, a.name, a.status, a.reference_id AS "referenceId",
            a.customer_id AS "customerId",
            coalesce(nullif(concat_ws(' ', c.first_name, c.last_name), ''), c.email, c.reference_id) AS "customerName",
            a.site_id AS "siteId", s.id AS "sessionId", a.expires_at AS "credentialsExpireAt",
            a.refresh_at AS "renewAt", a.last_error AS "lastError", coalesce(w.failures, 0) AS failures,
            a.created_at AS "createdAt", a.connected_at AS "connectedAt", a.disconnected_at AS "disconnectedAt",
            own.n AS "deviceCount", own.connected AS "connectedDeviceCount", own.obstacles AS "interventionCount",
            shown.devices
          FROM (SELECT * FROM accounts WHERE ${matching(workspaceId, filters)}
            ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}) AS a
          LEFT JOIN customers c ON c.id = a.customer_id
          LEFT JOIN account_work w ON w.account_id = a.id
          LEFT JOIN LATERAL (
            SELECT id FROM connect_sessions WHERE account_id = a.id AND status = 'SUCCESS' AND removed_at IS NULL
              AND workspace_id = a.workspace_id
            ORDER BY id DESC LIMIT 1) AS s ON true
          CROSS JOIN LATERAL (
            SELECT count(*)::int AS n, count(*) FILTER (WHERE disconnected_at IS NULL)::int AS connected,
              coalesce(sum(jsonb_array_length(coalesce(interventions, '[]'))), 0)::int AS obstacles
            FROM devices WHERE account_id = a.id AND workspace_id IS NOT NULL) AS own
          CROSS JOIN LATERAL (
            SELECT coalesce(json_agg(d), '[]') AS devices FROM (
              SELECT id, name, type, disconnected_at IS NULL AS "isConnected",
                coalesce(interventions, '[]') AS interventions
              FROM devices WHERE account_id = a.id AND workspace_id IS NOT NULL
              ORDER BY jsonb_array_length(coalesce(interventions, '[]')) DESC, id LIMIT ${devices}) AS d) AS shown
          ORDER BY a.id DESC`),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM accounts
        WHERE ${matching(workspaceId, filters)}`)
  }
})

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof ConnectedAccountFilters>

const toAccount = ({ customerId, customerName, ...row }: ConnectedAccountRow): ConnectedAccount => ({
  ...row,
  customer: customerId === null ? null : { id: customerId, name: customerName ?? customerId },
  credentialsExpireAt: isoOrNull(row.credentialsExpireAt),
  renewAt: isoOrNull(row.renewAt),
  createdAt: iso(row.createdAt),
  connectedAt: isoOrNull(row.connectedAt),
  disconnectedAt: isoOrNull(row.disconnectedAt)
})

/** Lists the connected accounts for operators. */
export const ConnectedAccounts = Effect.gen(function* () {
  const repository = yield* statements
  return {
    list: Effect.fn("ConnectedAccounts.list")(function* ({ workspaceId }: Caller, query: Query) {
      const { id, manufacturer, status, ...paging } = query
      const filters = { id, manufacturer, status }
      const list = (limit: number, offset: number) =>
        repository.list(workspaceId, filters, ACCOUNT_DEVICES_LIMIT, limit, offset)
      const { data, ...rest } = yield* paginate(paging, 10, list, repository.count(workspaceId, filters))
      return { ...rest, data: data.map(toAccount) }
    })
  }
})
