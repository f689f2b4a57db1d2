import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What was done outlives what it was done to: nothing here refers to a workspace, a key or a resource. Each index that
 * is led through by one filter goes on with the action, of which there are few, so that it serves both together in the
 * order of the list. `uses` and `last_at` are of refused uses, whose `resource_id` is the method and route of an
 * endpoint; they grow for a minute, and nothing else of a row ever changes.
 */
const statements = [
  `CREATE TABLE audit_logs (
    id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
    workspace_id text COLLATE "C",
    action text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C" NOT NULL,
    actor_type text NOT NULL,
    actor_owner_id text,
    address text,
    request_id text NOT NULL,
    before json,
    after json,
    reason text,
    uses integer,
    last_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT audit_logs_refused CHECK ((reason IS NULL) = (uses IS NULL) AND (reason IS NULL) = (last_at IS NULL))
  )`,
  `CREATE INDEX audit_logs_by_action ON audit_logs (organization_id, action, id DESC)`,
  `CREATE INDEX audit_logs_by_workspace ON audit_logs (organization_id, workspace_id, action, id DESC)`,
  `CREATE INDEX audit_logs_by_resource ON audit_logs (organization_id, resource_id, action, id DESC)`,
  `CREATE INDEX audit_logs_by_actor ON audit_logs (organization_id, actor_id, action, id DESC)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
