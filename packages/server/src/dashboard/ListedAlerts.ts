import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Alert, AlertFilters } from "@edp/domain/alerts/Alert"
import type { ListedAlert, alertSorts } from "@edp/domain/dashboard/ListedAlertsApi"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Alerts } from "../alerts/Alerts.ts"
import { queryRows } from "../platform/sql/rows.ts"

type Query = Schema.Struct.Type<typeof AlertFilters> & { readonly sort?: (typeof alertSorts)[number] }

const NamesRow = Schema.Struct({
  id: Schema.String,
  siteName: Schema.NullOr(Schema.String),
  customerId: Schema.NullOr(Schema.String),
  customerName: Schema.NullOr(Schema.String)
})

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The site and the customer of each alert, as the rows of the fleet name them. */
    names: (workspaceId: string, alerts: ReadonlyArray<Pick<Alert, "id" | "deviceId" | "siteId">>) =>
      queryRows(NamesRow)(sql`SELECT given.id, coalesce(st.name, st.street_one || ', ' || st.city) AS "siteName",
          c.id AS "customerId",
          coalesce(nullif(concat_ws(' ', c.first_name, c.last_name), ''), c.email, c.reference_id) AS "customerName"
        FROM jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) AS given (id text, "deviceId" text, "siteId" text)
          LEFT JOIN devices d ON d.id = given."deviceId" AND d.workspace_id = ${workspaceId}
          LEFT JOIN sites st ON st.id = given."siteId" AND st.workspace_id = ${workspaceId}
          LEFT JOIN customers c ON c.id = coalesce(d.customer_id,
            (SELECT customer_id FROM customer_sites WHERE site_id = st.id ORDER BY customer_id LIMIT 1)) AND c.workspace_id = ${workspaceId}`)
  }
})

/** Alerts with the names that operators know, the most severe first. */
export const ListedAlerts = Effect.gen(function* () {
  const repository = yield* statements
  const alerts = yield* Alerts
  return {
    list: Effect.fn("ListedAlerts.list")(function* (caller: CurrentKey["Service"], query: Query) {
      const { data, ...page } = yield* alerts.list(caller, { sort: "severity", ...query })
      const subjects = data.map(({ id, deviceId, siteId }) => ({ id, deviceId, siteId }))
      const rows = data.length === 0 ? [] : yield* repository.names(caller.workspaceId, subjects)
      const names = new Map(rows.map((row) => [row.id, row]))
      return {
        ...page,
        data: data.map((alert): ListedAlert => ({
          ...alert,
          siteName: names.get(alert.id)?.siteName ?? null,
          customerId: names.get(alert.id)?.customerId ?? null,
          customerName: names.get(alert.id)?.customerName ?? null
        }))
      }
    })
  }
})
