import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The criteria are kept as they were written: json, not jsonb. `freshness` is what the members were last made of: while
 * it stays the same, they are current.
 */
const collections = [
  `CREATE TABLE collections (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    collection_type text NOT NULL,
    description text,
    criteria json NOT NULL,
    criteria_version text NOT NULL,
    dynamic boolean NOT NULL,
    is_active boolean NOT NULL,
    visibility_level text NOT NULL,
    created_by_id text NOT NULL,
    created_by_type text NOT NULL,
    freshness text,
    deleted_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX collections_name_key ON collections (workspace_id, name) WHERE deleted_at IS NULL`,
  `CREATE INDEX collections_by_workspace ON collections (workspace_id, id DESC)`,
  `CREATE INDEX collections_kept ON collections (id) WHERE deleted_at IS NULL AND NOT dynamic AND is_active`
]

/** Members are devices, sites or customers, so that no foreign key can hold them: what is deleted leaves by trigger. */
const members = [
  `CREATE TABLE collection_members (
    workspace_id text COLLATE "C" NOT NULL,
    collection_id text COLLATE "C" NOT NULL REFERENCES collections ON DELETE CASCADE,
    member_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (collection_id, member_id)
  )`,
  `CREATE INDEX collection_members_by_member ON collection_members (member_id)`,
  `CREATE FUNCTION leave_collections() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      DELETE FROM collection_members USING removed WHERE collection_members.member_id = removed.id;
    ELSE
      DELETE FROM collection_members WHERE member_id = OLD.id;
    END IF;
    RETURN NULL;
  END
  $$`,
  ...["devices", "sites", "customers"].map(
    (table) => `CREATE TRIGGER ${table}_leave_collections AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION leave_collections()`
  ),
  `CREATE TRIGGER devices_moved_leave_collections AFTER UPDATE OF workspace_id ON devices FOR EACH ROW
    WHEN (OLD.workspace_id IS DISTINCT FROM NEW.workspace_id) EXECUTE FUNCTION leave_collections()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...collections, ...members]) yield* sql.unsafe(statement)
})
