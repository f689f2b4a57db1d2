import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The first answers of requests that named themselves by an Idempotency-Key. `scope` is a SHA-256 of the API key's id,
 * the path and the header; `request` one of what was sent. A row without a status is a claim: its request still runs.
 * `expires_at` is when the row may be taken over: the end of the claim's lease, or of the answer's day.
 */
const statements = [
  `CREATE TABLE idempotent_answers (
    scope bytea PRIMARY KEY,
    request bytea NOT NULL,
    claim uuid NOT NULL,
    status smallint,
    headers jsonb,
    body bytea,
    expires_at timestamptz NOT NULL,
    CONSTRAINT idempotent_answers_whole CHECK ((status IS NULL) = (headers IS NULL) AND (status IS NULL) = (body IS NULL))
  )`,
  `CREATE INDEX idempotent_answers_by_expiry ON idempotent_answers (expires_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
