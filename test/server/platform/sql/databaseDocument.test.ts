import { readFileSync } from "node:fs"
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
        : sql`SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`
  )
  return rows.map(({ name }) => name)
}

test.each(["tables", "triggers", "functions"] as const)("docs/database.md names all %s", async (kind) => {
  const names = await listNames(kind)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !named.has(name)).sort()).toEqual([])
})
