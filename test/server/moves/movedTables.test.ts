import { movedTables, otherIds, referredTables, unmovedTables } from "@edp/server/moves/movedTables"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()

test("every table is in an archive, or left out for a reason", async () => {
  const rows = await app.sql<{ readonly name: string }>(
    (sql) => sql`SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
      AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`
  )
  const listed = [...movedTables.map(({ table }) => table), ...Object.keys(unmovedTables)].toSorted()
  expect(listed).toEqual(rows.map(({ name }) => name).toSorted())
})

test("a row comes after those that it refers to", async () => {
  const rows = await app.sql<{ readonly from: string; readonly to: string }>(
    (sql) => sql`SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
      WHERE contype = 'f' AND conrelid <> confrelid`
  )
  const place = new Map(movedTables.map(({ table }, index) => [table, index]))
  const wrong = rows.filter(({ from, to }) => (place.get(to) ?? -1) > (place.get(from) ?? Infinity))
  expect(wrong).toEqual([])
})

test("every column of sealed secrets is sealed again with the key of the archive", async () => {
  const rows = await app.sql<{ readonly name: string }>(
    (sql) => sql`SELECT relname || '.' || attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attname LIKE 'sealed%' ORDER BY 1`
  )
  const listed = movedTables.flatMap(({ sealed = {}, table }) =>
    Object.keys(sealed).map((column) => `${table}.${column}`)
  )
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test("every column with ids is known to refer to rows of the archive, or to none that a workspace owns", async () => {
  const moved = movedTables.filter(({ as }) => as !== "shared").map(({ table }) => table)
  const rows = await app.sql<{ readonly name: string }>(
    (sql) => sql`SELECT DISTINCT attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(${moved}::text[])
        AND attnum > 0 AND NOT attisdropped AND (attname LIKE '%\_id' OR attname LIKE '%\_ids') ORDER BY 1`
  )
  const listed = [...Object.keys(referredTables), ...Object.keys(otherIds)].toSorted()
  expect(rows.map(({ name }) => name)).toEqual(listed)
})
