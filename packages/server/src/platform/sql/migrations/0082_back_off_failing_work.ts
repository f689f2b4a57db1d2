import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Items of background work that failed for themselves: they wait until `retry_at`, the longer the more often they have failed.
  `CREATE TABLE failing_work (
    work text COLLATE "C" NOT NULL,
    item text COLLATE "C" NOT NULL,
    failures integer NOT NULL,
    error text NOT NULL,
    failed_at timestamptz NOT NULL,
    retry_at timestamptz NOT NULL,
    PRIMARY KEY (work, item)
  )`,
  `CREATE INDEX failing_work_by_retry ON failing_work (retry_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
