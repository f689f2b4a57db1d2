import type { TestApp } from "../support/TestApp.ts"
import type { World } from "./world.ts"

/** Tables whose rows belong to a workspace, a device or a destination, by the column that says so. */
const owners = ["workspace_id", "origin_workspace_id", "organization_id", "device_id", "destination_id"]

/** Every row of the database that belongs to one of the worlds, of all tables in the database. */
export const readRows = async (app: TestApp, worlds: ReadonlyArray<World>): Promise<Record<string, unknown>> => {
  const tables = await app.sql<{ readonly name: string; readonly column: string }>(
    (sql) => sql`SELECT columns.table_name AS name, columns.column_name AS column FROM information_schema.columns
      JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = ANY(${owners}) ORDER BY 1, 2`
  )
  const ids = worlds.flatMap(({ workspaceId, deviceId, commonDeviceId, removedDeviceId, destinationId }) => [
    workspaceId,
    deviceId,
    commonDeviceId,
    removedDeviceId,
    destinationId
  ])
  const rows: Record<string, unknown> = {}
  for (const { name, column } of tables) {
    const found = await app.sql(
      // Using a key is no change of it.
      (sql) => sql`SELECT to_jsonb(t) - 'last_used_at' AS row FROM ${sql(name)} AS t
        WHERE ${sql(column)} = ANY(${ids}) ORDER BY to_jsonb(t)::text`
    )
    if (found.length > 0) rows[`${name}.${column}`] = found
  }
  return rows
}
