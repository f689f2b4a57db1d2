import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE commands
    -- why the device does nothing for a completed command
    ADD COLUMN note jsonb,
    -- a completed command whose effect no state has shown yet: readings are looked at until then
    ADD COLUMN effect_until timestamptz`,
  `CREATE INDEX commands_awaiting_effect ON commands (due_at) WHERE effect_until IS NOT NULL`
]

/** A command may be completed while its device does nothing for it, which a note says. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
