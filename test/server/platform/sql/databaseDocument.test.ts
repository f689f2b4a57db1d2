import { readFileSync } from "node:fs"
import { describeSchema } from "@edp/server/tools/schemaText"
import { expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp({ own: true })

const page = readFileSync(new URL("../../../../docs/database.md", import.meta.url), "utf8")
const named = new Set([...page.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))

const listNames = async (kind: "tables" | "triggers" | "functions") => {
  const rows = await app.sql<{ readonly name: string }>((sql) =>
    kind === "tables"
      ? sql`SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
          AND relkind IN ('r', 'p') AND NOT relispartition`
      : kind === "triggers"
        ? sql`SELECT DISTINCT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0`
        : sql`SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (
            SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')`
  )
  return rows.map(({ name }) => name)
}

test.each(["tables", "triggers", "functions"] as const)("docs/database.md names all %s", async (kind) => {
  const names = await listNames(kind)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !named.has(name)).sort()).toEqual([])
})

const readSchema = () => app.run(describeSchema)

test("packages/server/schema.sql is the schema of the migrated database", async () => {
  const committed = readFileSync(new URL("../../../../packages/server/schema.sql", import.meta.url), "utf8")
  expect(await readSchema()).toBe(committed)
})

const additions = [
  `CREATE SEQUENCE probes START 5`,
  `CREATE FUNCTION probe() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  `ALTER TABLE sites ADD COLUMN probe text COLLATE "C" DEFAULT 'none', ADD CONSTRAINT probed CHECK (probe <> '')`,
  `CREATE INDEX sites_probe ON sites (probe) WHERE probe IS NOT NULL`,
  `CREATE TRIGGER sites_probed AFTER DELETE ON sites FOR EACH ROW EXECUTE FUNCTION probe()`,
  `SELECT ensure_events_partition('2031-05-05')`
]

const withoutComma = (line: string) => line.replace(/,$/, "")

test("the schema shows an added column, constraint, index, trigger, function and sequence, and no partition", async () => {
  const before = new Set((await readSchema()).split("\n").map(withoutComma))
  for (const statement of additions) await app.sql((sql) => sql.unsafe(statement))
  const after = (await readSchema()).split("\n").map(withoutComma)
  expect(after.filter((line) => !before.has(line))).toEqual([
    "CREATE SEQUENCE probes AS bigint START 5;",
    `  probe text COLLATE "C" DEFAULT 'none'::text`,
    "  CONSTRAINT probed CHECK (probe <> ''::text)",
    "CREATE INDEX sites_probe ON sites (probe) WHERE probe IS NOT NULL;",
    "CREATE TRIGGER sites_probed AFTER DELETE ON sites FOR EACH ROW EXECUTE FUNCTION probe();",
    "CREATE FUNCTION probe()",
    "AS $function$BEGIN RETURN NULL; END$function$;"
  ])
})
