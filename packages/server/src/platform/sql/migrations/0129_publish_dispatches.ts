import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A program instance that is a program at the OpenADR server, and how its dispatches become events.
  `CREATE TABLE vtn_publications (
    program_instance_id text COLLATE "C" PRIMARY KEY REFERENCES program_instances ON DELETE CASCADE,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    vtn_program_id text COLLATE "C" NOT NULL REFERENCES vtn_programs,
    signal jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX vtn_publications_by_workspace ON vtn_publications (workspace_id)`,
  // The event of a dispatch, and a hash of what it shows of the dispatch; an empty one is out of date.
  `CREATE TABLE vtn_published_dispatches (
    dispatch_id text COLLATE "C" PRIMARY KEY REFERENCES dispatches ON DELETE CASCADE,
    program_instance_id text COLLATE "C" NOT NULL REFERENCES vtn_publications ON DELETE CASCADE,
    event_key text COLLATE "C" NOT NULL,
    published_state text NOT NULL
  )`,
  `CREATE INDEX vtn_published_dispatches_by_instance ON vtn_published_dispatches (program_instance_id)`,
  `CREATE TRIGGER vtn_publications_announced AFTER INSERT OR UPDATE ON vtn_publications
    FOR EACH ROW EXECUTE FUNCTION announce_work('openadr publications')`,
  `CREATE TRIGGER dispatches_announced_to_openadr AFTER INSERT OR UPDATE OF updated_at ON dispatches
    FOR EACH ROW WHEN (NEW.status <> 'draft') EXECUTE FUNCTION announce_work('openadr publications')`
]

/** Publishes the dispatches of program instances at the OpenADR server. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
