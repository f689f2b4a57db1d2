import { CommandIssuer } from "@edp/server/commands/issuing/CommandIssuer"
import { SiteLimits } from "@edp/server/commands/site-limits/SiteLimits"
import type { TargetedCommand } from "@edp/server/commands/issuing/CommandTargets"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { arrangeSchedules, charge, rule } from "../../schedules/arrangeSchedules.ts"

const rated = { capacity: 10_000, maxChargeRate: 5000, maxDischargeRate: 5000 }
const powered = { ...rated, takesTargetPower: true }

const arrange = async (app: TestApp) => {
  const place = await arrangeSchedules(app)
  const limited = async (limits: object) => {
    const { id } = await place.site()
    const response = await place.call("PATCH", `/v1/sites/${id}`, limits)
    expect(response).toMatchObject({ status: 200, body: limits })
    return id as string
  }
  const command = (deviceId: string, input: object = charge) => ({
    workspaceId: place.workspaceId,
    deviceId,
    type: "battery:set-operating-mode" as const,
    input: { ...input }
  })
  const fit = (commands: ReadonlyArray<TargetedCommand>, on = app) =>
    on.run(Effect.flatMap(SiteLimits, (limits) => limits.fit(commands)))
  /** Fits and issues commands in one transaction, as schedules and dispatches do. */
  const issue = (commands: ReadonlyArray<TargetedCommand>, on = app) =>
    on.run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const limits = yield* SiteLimits
        const issuer = yield* CommandIssuer
        const given = {
          source: "dispatch" as const,
          sourceId: null,
          batchId: null,
          scheduledFor: null,
          notBefore: null,
          expiresAt: new Date(Date.now() + 900_000),
          revertAfter: null
        }
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            const { fit } = yield* limits.fit(commands)
            return yield* issuer.issue(fit.map((one) => ({ ...one, ...given })))
          })
        )
      })
    )
  return { ...place, command, fit, issue, limited }
}

describe("the limits of a site", () => {
  const app = useTestApp({ own: true })

  test("bound the commands for its devices together, and leave those of other sites alone", async () => {
    const { battery, command, fit, limited, site } = await arrange(app)
    const siteId = await limited({ maxImportW: 6000, maxExportW: null })
    const [first, second] = [
      await battery({ siteId, staticState: rated }),
      await battery({ siteId, staticState: powered })
    ]
    const third = await battery({ siteId, staticState: rated })
    const elsewhere = await battery({ siteId: (await site()).id, staticState: rated })
    const homeless = await battery({ staticState: rated })
    const commands = [third, second, first, elsewhere, homeless].map((id) => command(id))
    expect(await fit(commands)).toEqual({
      fit: [command(second, { ...charge, targetPowerW: 1000 }), command(first), command(elsewhere), command(homeless)],
      skipped: [{ deviceId: third, code: "SITE_LIMIT" }]
    })
  })

  test("count what other commands have asked of its devices, and what these show", async () => {
    const { battery, command, fit, issue, limited } = await arrange(app)
    const siteId = await limited({ maxImportW: 11_000, maxExportW: 0 })
    const asked = await battery({ siteId, staticState: rated })
    const next = await battery({ siteId, staticState: powered })
    const state = { chargingState: "charging", charge: 5000, chargePercentage: 50, whConsumed: null, chargeRate: -2000 }
    const showing = await battery({ siteId, staticState: rated })
    await app.sql(
      (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state)
        VALUES (${showing}, 'r', now(), now(), ${JSON.stringify(state)}::jsonb)`
    )
    await issue([command(asked)])
    expect((await fit([command(next)])).fit).toEqual([command(next, { ...charge, targetPowerW: 4000 })])
    const exporting = { operatingMode: "discharge", enableGridInteraction: true }
    expect(await fit([command(next, exporting)])).toEqual({
      fit: [],
      skipped: [{ deviceId: next, code: "SITE_LIMIT" }]
    })
  })

  test("bound what schedules ask", async () => {
    const { battery, create, issued, limited, runAt, setDue } = await arrange(app)
    const siteId = await limited({ maxImportW: 7000, maxExportW: null })
    const [first, second] = [
      await battery({ siteId, staticState: rated, tags: ["night"] }),
      await battery({ siteId, staticState: powered, tags: ["night"] })
    ]
    await battery({ siteId, staticState: rated, tags: ["night"] })
    const { id } = await create({ target: { tag: "night" }, rules: [rule("22:00", "06:00", charge)] })
    await setDue(id, "2026-06-01T22:00:00Z")
    await runAt("2026-06-01T22:00:00Z")
    expect((await issued()).map(({ deviceId, input }) => [deviceId, input])).toEqual([
      [first, charge],
      [second, { ...charge, targetPowerW: 2000 }]
    ])
  })
})

describePostgres("the limits of a site with two instances", () => {
  const databases = useDatabases()
  const first = useTestApp({ databaseUrl: () => databases.url })
  const second = useTestApp({ databaseUrl: () => databases.url })

  test("hold when both issue commands for its devices at once", async () => {
    const { battery, command, issue, limited, workspaceId } = await arrange(first)
    const siteId = await limited({ maxImportW: 12_000, maxExportW: null })
    const ids = await Promise.all(
      Array.from({ length: 8 }, (_, n) => battery({ siteId, staticState: n % 2 === 0 ? rated : powered }))
    )
    await Promise.all(ids.map((id, n) => issue([command(id)], n % 3 === 0 ? second : first)))
    const rows = await first.sql<{ readonly input: { readonly targetPowerW?: number } }>(
      (sql) => sql`SELECT input FROM commands WHERE workspace_id = ${workspaceId}`
    )
    const asked = rows.reduce((sum, { input }) => sum + (input.targetPowerW ?? 5000), 0)
    expect(asked).toBeLessThanOrEqual(12_000)
    expect(asked).toBeGreaterThanOrEqual(10_000)
  })
})
