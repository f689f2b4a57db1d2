import type { TestApp } from "./TestApp.ts"

/**
 * Runs an action while statements that read a table fail as they do while a database shuts down. For an app of the test's own.
 */
export const duringOutage = async <A>(app: TestApp, table: string, action: () => Promise<A>): Promise<A> => {
  const run = (statement: string) => app.sql((sql) => sql.unsafe(statement))
  await run(`CREATE OR REPLACE FUNCTION fail_for_outage() RETURNS boolean LANGUAGE plpgsql STABLE AS
    $$ BEGIN RAISE EXCEPTION 'outage' USING ERRCODE = '57P03'; END $$`)
  await run(`ALTER TABLE ${table} RENAME TO ${table}_kept`)
  await run(`CREATE VIEW ${table} AS SELECT * FROM ${table}_kept WHERE fail_for_outage()`)
  try {
    return await action()
  } finally {
    await run(`DROP VIEW ${table}`)
    await run(`ALTER TABLE ${table}_kept RENAME TO ${table}`)
  }
}
