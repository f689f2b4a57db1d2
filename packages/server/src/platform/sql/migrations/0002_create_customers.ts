import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A reference may be longer than an entry of an index, so it is the digest that is unique. The indexes of the names and
 * of the email serve beginnings as well as whole texts, in any case.
 */
const customers = [
  `CREATE TABLE customers (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    reference_id text,
    first_name text,
    last_name text,
    email text,
    phone text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX customers_by_workspace ON customers (workspace_id, id DESC)`,
  `CREATE UNIQUE INDEX customers_reference_key ON customers (workspace_id, md5(reference_id))`,
  `CREATE INDEX customers_by_first_name ON customers (workspace_id, lower(first_name) text_pattern_ops)`,
  `CREATE INDEX customers_by_last_name ON customers (workspace_id, lower(last_name) text_pattern_ops)`,
  `CREATE INDEX customers_by_email ON customers (workspace_id, lower(email) text_pattern_ops)`
]

/**
 * A customer's devices are those at the sites of `customer_sites` and those that the customer has connected, whose
 * `customer_id` says so. Both keys begin with an id: ids are unique over all workspaces, and the foreign keys look by them.
 */
const associations = [
  `CREATE TABLE customer_sites (
    workspace_id text COLLATE "C" NOT NULL,
    customer_id text COLLATE "C" NOT NULL REFERENCES customers ON DELETE CASCADE,
    site_id text COLLATE "C" NOT NULL REFERENCES sites ON DELETE CASCADE,
    PRIMARY KEY (customer_id, site_id)
  )`,
  `CREATE INDEX customer_sites_by_site ON customer_sites (site_id, customer_id)`,
  `ALTER TABLE devices ADD COLUMN customer_id text COLLATE "C" REFERENCES customers ON DELETE SET NULL`,
  `CREATE INDEX devices_by_customer ON devices (customer_id, workspace_id, id DESC) WHERE customer_id IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...customers, ...associations]) yield* sql.unsafe(statement)
})
