import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The address that a visitor typed in an enrollment, and the mail with a link that confirms it: sent at `due_at`, null for none.
  `CREATE TABLE enrollment_emails (
    enrollment_id text COLLATE "C" PRIMARY KEY REFERENCES enrollments ON DELETE CASCADE,
    workspace_id text COLLATE "C" NOT NULL,
    email text NOT NULL,
    language text NOT NULL,
    due_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    mails integer NOT NULL DEFAULT 1,
    requested_at timestamptz NOT NULL,
    -- SHA-256 of the token in the newest mail.
    token_hash bytea,
    token_expires_at timestamptz,
    confirmed_at timestamptz
  )`,
  `CREATE INDEX enrollment_emails_due ON enrollment_emails (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX enrollment_emails_by_address ON enrollment_emails (lower(email), requested_at)`,
  `CREATE UNIQUE INDEX enrollment_emails_token_key ON enrollment_emails (token_hash) WHERE token_hash IS NOT NULL`
]

/** Mails with links that confirm the addresses of enrollments. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
