import type { SqlClient, Statement } from "effect/sql"

/**
 * Ids of a customer's devices: those at the customer's sites and those that the customer connected, each once. Both parts
 * are led by an index on what the customer has, never by one over the whole workspace.
 */
export const customerDeviceIds = (
  sql: SqlClient.SqlClient,
  workspaceId: Statement.Fragment,
  customerId: Statement.Fragment
) =>
  sql`SELECT devices.id FROM customer_sites JOIN devices USING (site_id)
      WHERE customer_sites.customer_id = ${customerId} AND devices.workspace_id = ${workspaceId}
    UNION SELECT id FROM devices WHERE customer_id = ${customerId} AND workspace_id = ${workspaceId}`
