import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const due = "coalesce(NEW.due_at, 'infinity') < coalesce(OLD.due_at, 'infinity')"

const statements = [
  // The connection to the broker is leased work: a claimed row is due again when its lease ends. `version` changes with the settings.
  `CREATE TABLE home_assistant_publications (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    host text NOT NULL,
    port integer NOT NULL,
    tls boolean NOT NULL,
    fingerprint text,
    username text,
    sealed_password bytea,
    discovery_prefix text COLLATE "C" NOT NULL,
    tag text COLLATE "C",
    takes_commands boolean NOT NULL,
    version integer NOT NULL,
    connected_at timestamptz,
    failure text,
    failing_since timestamptz,
    devices integer,
    devices_left_out integer NOT NULL,
    due_at timestamptz NOT NULL,
    claim uuid,
    holder uuid,
    failures integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  ) WITH (fillfactor = 85)`,
  `CREATE INDEX home_assistant_publications_by_workspace ON home_assistant_publications (workspace_id, id DESC)`,
  `CREATE UNIQUE INDEX home_assistant_publications_broker
    ON home_assistant_publications (workspace_id, lower(host), port, discovery_prefix)`,
  `CREATE INDEX home_assistant_publications_due ON home_assistant_publications (due_at)`,
  `CREATE TRIGGER home_assistant_publications_announce_inserted AFTER INSERT ON home_assistant_publications FOR EACH ROW
    EXECUTE FUNCTION announce_work('home assistant')`,
  `CREATE TRIGGER home_assistant_publications_announce_updated AFTER UPDATE ON home_assistant_publications FOR EACH ROW
    WHEN (NEW.claim IS NULL AND ${due}) EXECUTE FUNCTION announce_work('home assistant')`
]

/** Publishes devices to the brokers of Home Assistants. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
