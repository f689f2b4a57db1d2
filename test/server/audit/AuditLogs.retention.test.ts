import { deleteOldAuditLogs } from "@edp/server/audit/AuditLogs"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { firstIdAt } from "@edp/server/platform/Ids"
import { ConfigProvider, Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp({ own: true })
const DAY = 24 * 60 * 60 * 1000

/** Records of the given ages. */
const arrange = async (days: ReadonlyArray<number>) => {
  const { organizationId } = await app.workspace()
  const ids = days.map((age, n) => `${firstIdAt(Date.now() - age * DAY)}${String(n).padStart(16, "0")}`)
  await app.sql(
    (sql) => sql`INSERT INTO audit_logs (id, organization_id, action, resource_id, actor_id, actor_type, request_id,
        created_at)
      SELECT id, ${organizationId}, 'organization.update', 'x', 'x', 'MANAGEMENT', 'x', now() FROM unnest(${ids}::text[]) AS given (id)`
  )
  const left = async () => {
    const rows = await app.sql<{ readonly id: string }>(
      (sql) => sql`SELECT id FROM audit_logs WHERE organization_id = ${organizationId}`
    )
    return ids
      .map((id, n) => (rows.some((row) => row.id === id) ? days[n]! : undefined))
      .filter((age) => age !== undefined)
  }
  return { left }
}

const keep = (retention: string) => {
  const env = { EDP_AUDIT_RETENTION: retention }
  const config = ServerConfig.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
  return app.run(Effect.provide(deleteOldAuditLogs, config, { local: true }))
}

test("only records older than the retention are deleted, of every organization", async () => {
  const old = Array.from({ length: 2500 }, () => 800)
  const places = [await arrange([1000, 731, 729, 1]), await arrange([5000, 0]), await arrange(old)]
  await keep("730 days")
  expect(await Promise.all(places.map((place) => place.left()))).toEqual([[729, 1], [0], []])
})

test("everything is kept without a setting", async () => {
  const { left } = await arrange([9000])
  await keep("")
  expect(await left()).toEqual([9000])
})
