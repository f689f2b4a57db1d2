import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // After a rotation the former secret of a key works until a time. Only its hash is stored, as that of the key.
  `ALTER TABLE api_keys ADD COLUMN previous_key_hash bytea, ADD COLUMN previous_key_until timestamptz`,
  `CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_key_hash) WHERE previous_key_hash IS NOT NULL`,
  // Operators see when a callback of an OpenADR subscription failed last, also after it has recovered.
  `ALTER TABLE vtn_callbacks ADD COLUMN last_failed_at timestamptz`,
  // Lists of events that have not transpired look at no others.
  `CREATE INDEX vtn_events_by_end ON vtn_events (workspace_id, ends_at)`
]

/** Lets keys get a new secret under the same id, and shows the state of the callbacks of OpenADR. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
