import type { SqlClient, Statement } from "effect/sql"

/** SQL of the targets that business logic has granted to clients, by their VENs and the resources of those. */
export const grantedTargets = (
  sql: SqlClient.SqlClient,
  workspaceId: Statement.Fragment,
  clientId: Statement.Fragment
): Statement.Fragment => sql`SELECT unnest(targets) FROM vtn_vens
    WHERE workspace_id = ${workspaceId} AND client_id = ${clientId}
  UNION SELECT unnest(targets) FROM vtn_resources WHERE workspace_id = ${workspaceId} AND client_id = ${clientId}`

/** SQL of the targets in the first array that are in the second, in the order of the first. */
export const commonTargets = (
  sql: SqlClient.SqlClient,
  all: Statement.Fragment,
  some: Statement.Fragment
): Statement.Fragment => sql`ARRAY(SELECT target FROM unnest(${all}) WITH ORDINALITY AS own (target, place)
    WHERE target = ANY(${some}) ORDER BY place)`
