import type { Credentials } from "../../support/spawnServer.ts"
import type { Platform } from "./platform.ts"

interface Site {
  readonly id: string
}

interface Model {
  readonly id: string
  readonly type: string
}

type Call = (method: string, path: string, body?: object) => Promise<any>

/** Which key a path takes. */
const keyFor = (path: string, credentials: Credentials) => {
  if (path.startsWith("/devices")) return credentials.manufacturerKey
  return /^\/v1\/(api-keys|organizations|workspaces)/.test(path) ? credentials.managementKey : credentials.serverKey
}

const caller =
  ({ port, credentials }: Platform): Call =>
  async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { "service-api-key": keyFor(path, credentials), "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return response.headers.get("content-type")?.startsWith("application/json") === true ? JSON.parse(text) : text
  }

const address = { streetOne: "1 Main Street", city: "Denver", state: "CO", postalCode: "80202" }

const createFleet = async (call: Call, devices: number): Promise<ReadonlyArray<string>> => {
  const site: Site = await call("POST", "/v1/sites", { name: "Home", address })
  const models: { readonly data: ReadonlyArray<Model> } = await call("GET", "/v1/device-models?manufacturer=generic")
  const inverter = models.data.find(({ type }) => type === "inverter")!
  const ids: Array<string> = []
  for (let number = 0; number < devices; number++) {
    const device: { readonly id: string } = await call("POST", "/devices", {
      manufacturerDeviceId: `INV-${number}`,
      deviceModelId: inverter.id,
      siteId: site.id
    })
    ids.push(device.id)
  }
  return ids
}

/** Inverters at a site, made by their own requests; returns their ids. */
export const makeFleet = (platform: Platform, devices: number): Promise<ReadonlyArray<string>> =>
  createFleet(caller(platform), devices)

const readings = (id: string) => ({ readings: [{ deviceId: id, state: { power: 1 } }] })

/** Makes devices and one request of each kind, a read of the reference and its document among them. */
export const everyRequest = async (platform: Platform, devices: number): Promise<ReadonlyArray<string>> => {
  const call = caller(platform)
  const ids = await createFleet(call, devices)
  const [first] = ids
  await call("POST", `/devices/${first}/telemetry`, { state: { power: 3200 } })
  await call("POST", "/devices/telemetry", readings(first!))
  await call("PATCH", `/v1/devices/${first}`, { name: "Roof" })
  await call("PUT", `/v1/devices/${first}/tags`, { tags: ["roof"] })
  const sites: { readonly data: ReadonlyArray<Site> } = await call("GET", "/v1/sites")
  const alert: { readonly id: string } = await call("POST", "/v1/alerts", {
    siteId: sites.data[0]!.id,
    title: "Try",
    sourceSystem: "bench",
    severity: "INFO"
  })
  for (const move of ["acknowledge", "ignore", "resolve"]) await call("PATCH", `/v1/alerts/${alert.id}/${move}`, {})
  const key: { readonly id: string } = await call("POST", "/v1/api-keys", { name: "bench", type: "SERVER" })
  await call("POST", `/v1/api-keys/${key.id}/revoke`)
  const reads = [
    "/v1/devices?perPage=100",
    `/v1/devices/${first}`,
    `/v1/devices/${first}/history`,
    `/v1/devices/${first}/alerts`,
    `/v1/devices/${first}/tags`,
    `/v1/sites/${sites.data[0]!.id}`,
    `/v1/sites/${sites.data[0]!.id}/devices`,
    "/v1/alerts",
    `/v1/alerts/${alert.id}`,
    "/v1/manufacturers",
    "/v1/api-keys",
    "/v1/organizations",
    "/v1/workspaces",
    "/v1/docs",
    "/v1/docs/swagger.json",
    "/health/ready"
  ]
  for (const path of reads) await call("GET", path)
  return ids
}
