import type { SqlClient, Statement } from "effect/sql"

/**
 * SQL of those of some targets that business logic has granted to a client, by its VEN, or that one of its resources has. A client may have
 * tens of thousands of resources, so they are looked up by the targets, in the order of the index: for a target that many have, the planner
 * would rather read all.
 */
export const grantedTargets = (
  sql: SqlClient.SqlClient,
  workspaceId: Statement.Fragment,
  clientId: Statement.Fragment,
  some: Statement.Fragment
): Statement.Fragment => sql`SELECT wanted.target FROM unnest(${some}) AS wanted (target)
  WHERE EXISTS (SELECT FROM vtn_vens granted WHERE granted.workspace_id = ${workspaceId}
      AND granted.client_id = ${clientId} AND wanted.target = ANY(granted.targets))
    OR (SELECT granted.resource_id FROM vtn_resource_targets granted WHERE granted.workspace_id = ${workspaceId}
      AND granted.client_id = ${clientId} AND granted.target = wanted.target COLLATE "C"
      ORDER BY granted.resource_id LIMIT 1) IS NOT NULL`

/** SQL of the targets in the first array that are in the second, in the order of the first. */
export const commonTargets = (
  sql: SqlClient.SqlClient,
  all: Statement.Fragment,
  some: Statement.Fragment
): Statement.Fragment => sql`ARRAY(SELECT target FROM unnest(${all}) WITH ORDINALITY AS own (target, place)
    WHERE target = ANY(${some}) ORDER BY place)`
