import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const masked = (column: string) =>
  `CASE WHEN ${column}->>'url' IS NULL THEN ${column}
    ELSE jsonb_set(${column}::jsonb, '{url}', to_jsonb(regexp_replace(${column}->>'url', '^([a-z]+://[^/?#]*).*$', '\\1/********', 'i')))::json
  END`

/**
 * A destination's URL is a secret: `sealed_url` holds it, `url` its scheme and host. SQL cannot seal, so the service seals at
 * its next start what `destinations_unsealed` names. What the audit log has told of URLs so far is masked here.
 */
const statements = [
  `ALTER TABLE destinations ADD COLUMN sealed_url bytea`,
  `CREATE INDEX destinations_unsealed ON destinations (id) WHERE url IS NOT NULL AND sealed_url IS NULL`,
  `UPDATE audit_logs a SET before = ${masked("before")}, after = ${masked("after")} FROM organizations o
    WHERE a.organization_id = o.id AND a.action >= 'destination.' AND a.action < 'destination/'
      AND (before->>'url' IS NOT NULL OR after->>'url' IS NOT NULL)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
