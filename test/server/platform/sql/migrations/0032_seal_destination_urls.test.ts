import sealDestinationUrls from "@edp/server/platform/sql/migrations/0032_seal_destination_urls"
import { expect, test } from "vitest"
import { useTestApp } from "../../../../support/TestApp.ts"

const app = useTestApp({ own: true })

test("the migration masks URLs in the audit log, and nothing else", async () => {
  const { organizationId } = await app.workspace()
  await app.sql((sql) => sql`ALTER TABLE destinations DROP COLUMN sealed_url`)
  const insert = (n: number, action: string, before: object | null, after: object | null) =>
    app.sql(
      (
        sql
      ) => sql`INSERT INTO audit_logs (id, organization_id, action, resource_id, actor_id, actor_type, request_id, before, after, created_at)
        VALUES (${`c${String(n).padStart(24, "0")}`}, ${organizationId}, ${action}, ${`r${n}`}, 'a', 'MANAGEMENT', 'r',
          ${before === null ? null : JSON.stringify(before)}::json, ${after === null ? null : JSON.stringify(after)}::json, now())`
    )
  await insert(1, "destination.create", null, { label: "a", url: "https://example.com:8443/hooks/secret?token=t#f" })
  await insert(2, "destination.update", { url: "HTTP://example.com" }, { url: "http://[::1]:9/a\nb" })
  await insert(3, "destination.update", { label: "a" }, { label: "b" })
  await insert(4, "destination.delete", { url: null, email: "ada@example.com" }, null)
  await insert(5, "workspace.update", { url: "https://example.com/kept" }, { url: "https://example.com/kept" })
  await app.run(sealDestinationUrls)
  const logged = await app.sql((sql) => sql`SELECT before, after FROM audit_logs ORDER BY id`)
  expect(logged).toEqual([
    { before: null, after: { label: "a", url: "https://example.com:8443/********" } },
    { before: { url: "HTTP://example.com/********" }, after: { url: "http://[::1]:9/********" } },
    { before: { label: "a" }, after: { label: "b" } },
    { before: { url: null, email: "ada@example.com" }, after: null },
    { before: { url: "https://example.com/kept" }, after: { url: "https://example.com/kept" } }
  ])
})
