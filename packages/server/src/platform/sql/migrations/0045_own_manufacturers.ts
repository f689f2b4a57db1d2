import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A manufacturer belongs to the organization that made it, and those of the catalogue to none. Who made the present ones is
 * in the audit log.
 */
const statements = [
  `ALTER TABLE manufacturers ADD COLUMN organization_id text COLLATE "C" REFERENCES organizations`,
  `UPDATE manufacturers SET organization_id = made.organization_id
    FROM audit_logs made WHERE made.action = 'manufacturer.create' AND made.resource_id = manufacturers.slug`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
