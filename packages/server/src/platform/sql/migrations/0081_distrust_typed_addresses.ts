import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A visitor of a public page typed the e-mail address: it says nothing about whose it is, and nobody is found by it.
  "ALTER TABLE customers ADD COLUMN email_unproven boolean NOT NULL DEFAULT false",
  `UPDATE customers SET email_unproven = true WHERE id IN (SELECT customer_id FROM enrollments
    WHERE page_token_hash IS NOT NULL AND status NOT IN ('approved', 'unenrolled'))`
]

/** Addresses that strangers typed match no customer, until an operator vouches for them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
