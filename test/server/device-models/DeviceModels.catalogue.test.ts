import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import { AuditTrail } from "@edp/server/audit/AuditTrail"
import { catalogueModels } from "@edp/server/device-models/catalogue/deviceModels"
import { loadCatalogue, DeviceModels, ManufacturerModelsLive } from "@edp/server/device-models/DeviceModels"
import { catalogueManufacturers } from "@edp/server/manufacturers/catalogue/manufacturers"
import { Manufacturers } from "@edp/server/manufacturers/Manufacturers"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { Ids } from "@edp/server/platform/Ids"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { onPostgres } from "../platform/sql/postgres.ts"

const app = useTestApp({ own: true })

const services = DeviceModels.layer.pipe(
  Layer.provideMerge(Manufacturers.layer),
  Layer.provide(ManufacturerModelsLive),
  Layer.provide(AuditTrail.layer),
  Layer.provide(Layer.mergeAll(Ids.layer, ServerConfig.layer))
)
const load = Effect.provide(loadCatalogue, services)

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly catalogueKey: string }>`SELECT catalogue_key AS "catalogueKey", * FROM device_models ORDER BY id`
)

test("a start loads every manufacturer and model of the catalogue, and the manufacturers of adapters", async () => {
  const { keys } = await app.workspace()
  const total = async (path: string) => (await app.call("GET", path, { key: keys.SERVER })).body.totalItems
  // The adapters of Tesla and Green Button run with their settings alone, but Tesla is in the catalogue.
  const adapters = builtInAdapters.map(({ manifest }) => manifest).filter(({ slug }) => slug !== "green-button")
  const slugs = new Set([...catalogueManufacturers, ...adapters].map(({ slug }) => slug))
  expect(await total("/v1/manufacturers")).toBe(slugs.size)
  expect(await total("/v1/device-models")).toBe(catalogueModels.length)
})

test("a loaded model equals that of the catalogue", async () => {
  const { keys } = await app.workspace()
  for (const { key: _, ...model } of catalogueModels.slice(0, 40)) {
    const path = `/v1/device-models?manufacturer=${model.manufacturer}&type=${model.type}&perPage=100`
    const { body } = await app.call("GET", path, { key: keys.SERVER })
    expect(body.data.find(({ name }: any) => name === model.name)).toMatchObject(model)
  }
})

test("loading again changes nothing, including changes and additions of operators", async () => {
  const { keys } = await app.workspace()
  const key = keys.MANAGEMENT
  await app.call("PATCH", "/v1/manufacturers/tesla", { key, body: { name: "Tesla, renamed" } })
  const { body } = await app.call("GET", "/v1/device-models?manufacturer=generic&type=battery", { key })
  const model = body.data[0]
  const changed = { name: "House battery", staticState: { capacity: 1 }, commands: [] }
  await app.call("PATCH", `/v1/device-models/${model.id}`, { key, body: changed })
  const before = await app.run(rows)
  await app.run(load)
  expect(await app.run(rows)).toEqual(before)
  expect((await app.call("GET", `/v1/device-models/${model.id}`, { key })).body).toMatchObject(changed)
  expect((await app.call("GET", "/v1/manufacturers/tesla", { key })).body.name).toBe("Tesla, renamed")
})

test("an operator's own model is not replaced by one of the catalogue with the same name", async () => {
  const { keys } = await app.workspace()
  await app.sql((sql) => sql`DELETE FROM device_models WHERE catalogue_key = 'simulator/simulated-meter'`)
  const own = { manufacturer: "simulator", name: "Simulated meter", type: "meter", staticState: { own: true } }
  const { body } = await app.call("POST", "/v1/device-models", { key: keys.MANAGEMENT, body: own })
  await app.run(load)
  const path = "/v1/device-models?manufacturer=simulator&type=meter"
  expect((await app.call("GET", path, { key: keys.SERVER })).body.data).toEqual([body])
})

describePostgres("instances that start concurrently", () => {
  const databases = useDatabases()

  test("load the catalogue once", async () => {
    const url = databases.url
    const instance = onPostgres(url, load)
    await Effect.runPromise(Effect.all([instance, instance, instance, instance], { concurrency: "unbounded" }))
    const models = await Effect.runPromise(onPostgres(url, rows))
    expect(models.map(({ catalogueKey }) => catalogueKey).toSorted()).toEqual(
      catalogueModels.map(({ key }) => key).toSorted()
    )
  })
})
