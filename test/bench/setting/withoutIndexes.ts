import type { Client } from "pg"

/** Without the indexes of tables that no constraint needs, until `load` has run: to build them at the end takes a third of the time. */
export const withoutIndexes = async (client: Client, tables: ReadonlyArray<string>, load: () => Promise<void>) => {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = ANY ($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [tables]
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  await load()
  for (const { definition } of rows) await client.query(definition)
}
