import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // When the credentials are renewed: some time before they expire, and not at the same time for all accounts.
  `ALTER TABLE accounts ADD COLUMN refresh_at timestamptz`,
  // Answers of the manufacturer that the adapter did not understand at the last reading.
  `ALTER TABLE account_work ADD COLUMN problem text`,
  `CREATE INDEX accounts_by_status ON accounts (status)`,
  // Work of a manufacturer whose adapter does not run here is never passed over row by row.
  `DROP INDEX account_work_due`,
  `CREATE INDEX account_work_due ON account_work (manufacturer, due_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
