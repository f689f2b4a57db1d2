import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The ids of devices that dial in, such as charging stations, while a person links them: whoever claimed one first keeps it.
  `CREATE TABLE inbound_claims (
    manufacturer text COLLATE "C" NOT NULL REFERENCES manufacturers,
    external_id text NOT NULL,
    -- who links the device: a connect session, or the user of a reference
    holder text COLLATE "C" NOT NULL,
    -- the pending account, once it is stored: the claim ends with it
    account_id text COLLATE "C" REFERENCES accounts ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (manufacturer, external_id)
  )`,
  `CREATE INDEX inbound_claims_by_account ON inbound_claims (account_id) WHERE account_id IS NOT NULL`,
  `CREATE INDEX inbound_claims_by_expiry ON inbound_claims (expires_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
