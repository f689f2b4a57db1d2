import type { RaisedAlert } from "@edp/server/alerts/alertOccurrences"
import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"
import { raising } from "./raising.ts"
import { atOnce } from "../../support/races.ts"

describePostgres("alerts raised concurrently", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })
  const { raise, settle } = raising(app)

  const arrange = async () => {
    const place = await arrangeAlerts(app)
    const deviceIds = await atOnce(8, () => place.device())
    const alerts = deviceIds.map((deviceId): RaisedAlert => ({
      workspaceId: place.workspaceId,
      sourceSystem: "acme",
      type: "GRID_STATUS",
      severity: "INFO",
      title: "Grid is gone",
      deviceId
    }))
    const all = async () => (await place.call("GET", "/v1/alerts?perPage=100")).body
    return { ...place, deviceIds, alerts, all }
  }

  test("are one alert per subject, which counts every occurrence", async () => {
    const { alerts, all } = await arrange()
    const rounds = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? alerts : alerts.toReversed()))
    const raised = (await Promise.all(rounds.map((round) => raise(round)))).flat()
    expect(raised.filter(({ made }) => made)).toHaveLength(alerts.length)
    const { data } = await all()
    expect(data.map((one: any) => one.occurrenceCount)).toEqual(alerts.map(() => 20))
  })

  test("are one alert per external id", async () => {
    const { alerts, all } = await arrange()
    const named = alerts.map((alert, at) => ({ ...alert, externalId: `G-${at % 4}` }))
    await atOnce(20, (at) => raise(at % 2 === 0 ? named : named.toReversed()))
    const { data } = await all()
    expect(data.map((one: any) => one.occurrenceCount)).toEqual([40, 40, 40, 40])
  })

  test("and resolved concurrently are never lost: each raise is counted or creates one", async () => {
    const { alerts, deviceIds } = await arrange()
    const [alert] = alerts
    const over = { deviceId: deviceIds[0]!, sourceSystem: "acme", type: "GRID_STATUS" } as const
    await atOnce<unknown>(40, (at) => (at % 4 === 3 ? settle([over], "acme") : raise([alert!])))
    const rows = await app.sql(
      (sql) => sql<{ readonly n: number; readonly open: number }>`
        SELECT sum(occurrence_count)::int AS n, count(*) FILTER (WHERE status = 'OPEN')::int AS open
        FROM alerts WHERE device_id = ${deviceIds[0]!}`
    )
    expect(rows[0]!.n).toBe(30)
    expect(rows[0]!.open).toBeLessThanOrEqual(1)
  })
})
