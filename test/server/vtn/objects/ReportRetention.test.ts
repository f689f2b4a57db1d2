import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { objectLimits } from "@edp/server/vtn/objects/objectLimits"
import { deleteOldReports } from "@edp/server/vtn/objects/ReportRetention"
import { ConfigProvider, Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { makeVtn, names } from "../VtnWorld.ts"

const app = useTestApp({ own: true })

const keep = (retention: string) => {
  const env = { EDP_OPENADR_REPORT_RETENTION: retention }
  const config = ServerConfig.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
  return app.run(Effect.provide(deleteOldReports, config, { local: true }))
}

/** A VEN with reports that changed so many days ago. */
const arrange = async (ages: ReadonlyArray<number>) => {
  const { bl, enrolled, makeEvent } = await makeVtn(app)
  const ven = await enrolled()
  const { id: eventID } = await makeEvent()
  for (const age of ages) {
    const { id } = await ven.ok("POST", "/reports", { eventID, clientName: "v", reportName: `${age}`, resources: [] })
    await app.sql(
      (sql) => sql`UPDATE vtn_reports SET modified_at = now() - ${age} * interval '1 day' WHERE id = ${id} RETURNING 1`
    )
  }
  return { bl, ven, eventID, left: async () => names(await bl.ok("GET", "/reports"), "reportName") }
}

test("only reports that have not changed for longer than the retention are deleted, in every workspace", async () => {
  const places = [await arrange([800, 731, 729, 0]), await arrange([5000, 1])]
  await keep("730 days")
  expect(await Promise.all(places.map(({ left }) => left()))).toEqual([["729", "0"], ["1"]])
})

test("more reports are deleted than one statement deletes", async () => {
  const { left } = await arrange([100, 10])
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO vtn_reports SELECT copy.* FROM vtn_reports report, generate_series(1, ${objectLimits.deletedTogether}::int) n,
      jsonb_populate_record(report, jsonb_build_object('id', report.id || n)) AS copy
      WHERE report.modified_at < now() - interval '99 days' RETURNING 1`
  )
  await keep("31 days")
  expect(await left()).toEqual(["10"])
})

test("a report that its client has replaced is kept for longer", async () => {
  const { eventID, left, ven } = await arrange([90])
  const [{ id }] = await ven.ok("GET", "/reports")
  await ven.ok("PUT", `/reports/${id}`, { eventID, clientName: "v", reportName: "replaced", resources: [] })
  await keep("31 days")
  expect(await left()).toEqual(["replaced"])
})

test("everything is kept without a setting, also when the event is gone", async () => {
  const { bl, eventID, left } = await arrange([9000])
  await bl.ok("DELETE", `/events/${eventID}`)
  await keep("")
  expect(await left()).toEqual(["9000"])
})
