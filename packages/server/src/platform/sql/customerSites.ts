import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { query } from "./transaction.ts"

export interface CustomerSite {
  readonly customerId: string
  readonly siteId: string
}

/** Associates customers with sites of the workspace. Those that are associated already stay. */
export const linkCustomerSites =
  (sql: SqlClient.SqlClient) =>
  (workspaceId: string, links: ReadonlyArray<CustomerSite>): Effect.Effect<void> =>
    links.length === 0
      ? Effect.void
      : Effect.asVoid(
          query(sql`INSERT INTO customer_sites (workspace_id, customer_id, site_id)
            SELECT ${workspaceId}, customer, site FROM unnest(${links.map((one) => one.customerId)}::text[],
              ${links.map((one) => one.siteId)}::text[]) AS given (customer, site)
            ON CONFLICT DO NOTHING`)
        )
