import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type OpenApiOracle, openApiOracle } from "../../../support/OpenApiOracle.ts"
import { seedSite } from "../../../support/Seed.ts"
import type { TestApp } from "../../../support/TestApp.ts"

let serial = 0

/** A manufacturer's unique id of a device. */
export const someDevice = () => `DEV-${++serial}`

const oracles = new WeakMap<TestApp, Promise<OpenApiOracle>>()

const makeOracle = (app: TestApp) => {
  const oracle =
    oracles.get(app) ?? app.call("GET", "/v1/docs/swagger.json").then(({ text }) => openApiOracle(JSON.parse(text)))
  oracles.set(app, oracle)
  return oracle
}

/** A workspace with a site, a MANUFACTURER key of `generic`, and the ways to provision and push with it. */
export const arrangeDirect = async (
  app: TestApp,
  scope: ReadonlyArray<string> = ["generic"],
  contentType = "application/json"
) => {
  const place = await app.workspace()
  const { key } = await app.key(place, "MANUFACTURER", { scope })
  const site = await seedSite(app, place.keys.SERVER)
  const oracle = await makeOracle(app)

  /** Every response is held against the OpenAPI document. */
  const post = async (path: string, body: unknown, by = key) => {
    const response = await app.call("POST", path, { key: by, body, headers: { "Content-Type": contentType } })
    oracle.check("POST", path, response.status, response.headers, response.text)
    return response
  }
  const findModel = async (type: DeviceType, manufacturer = "generic"): Promise<any> => {
    const path = `/v1/device-models?manufacturer=${manufacturer}&type=${type}`
    return (await app.call("GET", path, { key: place.keys.SERVER })).body.data[0]
  }
  const makeBody = async (type: DeviceType, fields: object = {}) => ({
    manufacturerDeviceId: someDevice(),
    deviceModelId: (await findModel(type)).id,
    siteId: site.id,
    ...fields
  })
  const read = (path: string) => app.call("GET", path, { key: place.keys.SERVER })
  return {
    ...place,
    key,
    site,
    post,
    findModel,
    makeBody,
    read,
    remove: (id: string) => app.call("DELETE", `/v1/devices/${id}`, { key: place.keys.SERVER }),
    provision: async (fields: object = {}, type: DeviceType = "inverter") =>
      post("/devices", await makeBody(type, fields)),
    /** A device of the type, as provisioning returns it. */
    device: async (type: DeviceType = "inverter", fields: object = {}): Promise<any> => {
      const response = await post("/devices", await makeBody(type, fields))
      if (response.status !== 201) throw new Error(`no device: ${response.text}`)
      return response.body
    },
    push: (id: string, body: unknown, by?: string) => post(`/devices/${id}/telemetry`, body, by),
    pushBulk: (readings: unknown, by?: string) => post("/devices/telemetry", { readings }, by),
    history: async (id: string): Promise<ReadonlyArray<any>> =>
      (await read(`/v1/devices/${id}/history?from=2000-01-01T00:00:00Z&order=asc&perPage=100`)).body.data
  }
}
