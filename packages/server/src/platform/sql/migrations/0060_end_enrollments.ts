import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const end = (column: string, record: string) => `
  UPDATE enrollments SET status = 'unenrolled', status_reason = 'The ${record} was deleted',
    unenrolled_at = date_trunc('milliseconds', now()), updated_at = date_trunc('milliseconds', now())
  FROM removed
  WHERE enrollments.workspace_id = removed.workspace_id AND enrollments.${column} = removed.id
    AND enrollments.status NOT IN ('rejected', 'ineligible', 'unenrolled');`

const statements = [
  // A reference may be longer than an index entry.
  `DROP INDEX enrollments_by_reference`,
  `CREATE INDEX enrollments_by_reference ON enrollments (program_instance_id, md5(reference_id), id DESC)
    WHERE reference_id IS NOT NULL`,
  `CREATE FUNCTION end_enrollments() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_TABLE_NAME = 'customers' THEN ${end("customer_id", "customer")}
    ELSE ${end("site_id", "site")}
    END IF;
    RETURN NULL;
  END
  $$`,
  ...["customers", "sites"].map(
    (table) => `CREATE TRIGGER ${table}_end_enrollments AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION end_enrollments()`
  )
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
