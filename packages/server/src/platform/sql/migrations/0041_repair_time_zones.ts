import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The spelling of the IANA database; undefined where Temporal, which computes the buckets of metrics, knows no such zone. */
const canonical = (name: string) => {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}

/** A site without a time zone follows its workspace; a workspace must have one. */
const tables = [
  { table: "sites", otherwise: null },
  { table: "workspaces", otherwise: "UTC" }
] as const

/**
 * Names such as PST and SystemV/PST8PDT were let in, though nothing could be computed in them, and so was any mixture of
 * upper and lower case. What each of the former was meant to be nobody can tell: BST is British to some and of Bangladesh to
 * others. There are at most some hundreds of names, whatever the number of sites.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const { table, otherwise } of tables) {
    const stored = yield* sql<{ readonly name: string }>`
      SELECT DISTINCT timezone AS name FROM ${sql(table)} WHERE timezone IS NOT NULL`
    const repairs = stored
      .map(({ name }) => ({ name, repaired: canonical(name) ?? otherwise }))
      .filter(({ name, repaired }) => repaired !== name)
    if (repairs.length === 0) continue
    yield* sql`UPDATE ${sql(table)} SET timezone = repair.repaired
      FROM jsonb_to_recordset(${JSON.stringify(repairs)}::jsonb) AS repair (name text, repaired text)
      WHERE timezone = repair.name`
    const lost = repairs.filter(({ name }) => canonical(name) === undefined).map(({ name }) => name)
    if (lost.length === 0) continue
    yield* Effect.logWarning(
      `Nothing can be computed in these time zones of ${table}, which now have ${otherwise ?? "their workspace's"}: ${lost.join(", ")}`
    )
  }
})
