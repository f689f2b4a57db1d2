import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { commonFilters, lookUp, namingFilters } from "./filters.ts"
import { seen } from "./seen.ts"
import { servedOperations } from "./servedDocument.ts"
import { nobody, must, seedWorld, type World } from "./world.ts"

const app = useTestApp()
let world: World
beforeAll(async () => {
  world = await seedWorld(app, "own")
})

const open = endpoints.filter(({ allowed }) => allowed.includes("SCOPED"))
const ofDevice = open.filter(({ params }) => params.length > 0)
const ask = (endpoint: Endpoint, id: string) =>
  app.call(endpoint.method, fillPath(endpoint.path, { id }), { key: world.keys.SCOPED })

test("a SCOPED key may only read devices", () => {
  expect(open.map(formatRoute).every((route) => /^GET \/v1\/devices(\/:id(\/\w+)?)?$/.test(route))).toBe(true)
  expect(ofDevice.every(({ params }) => params.join() === "id")).toBe(true)
  expect(ofDevice.length).toBeGreaterThan(3)
})

describe.each(ofDevice.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) })))("$route", ({ endpoint }) => {
  test("responds for a device of the key's user", async () => {
    expect((await ask(endpoint, world.deviceId)).status).toBe(200)
  })

  test("403 FORBIDDEN for another user's device of the workspace", async () => {
    expectError(await ask(endpoint, world.commonDeviceId), 403, "FORBIDDEN")
  })

  test("404 DEVICE_NOT_FOUND for a device of another workspace, of no workspace, and for an unknown one", async () => {
    const stranger = await seedWorld(app, `stranger of ${formatRoute(endpoint)}`)
    const absent = await ask(endpoint, nobody.deviceId)
    expectError(absent, 404, "DEVICE_NOT_FOUND")
    for (const id of [stranger.deviceId, stranger.commonDeviceId, stranger.removedDeviceId, world.removedDeviceId]) {
      expect(seen(await ask(endpoint, id))).toEqual(seen(absent))
    }
  })
})

describe("GET /v1/devices", () => {
  const list = async (query: Record<string, string> = {}, type: "SCOPED" | "SERVER" = "SCOPED") =>
    must(await app.call("GET", `/v1/devices?${new URLSearchParams(query)}`, { key: world.keys[type] }), 200)

  test("lists and counts only the user's devices", async () => {
    expect(await list()).toMatchObject({ totalItems: 1, totalPages: 1, data: [{ id: world.deviceId }] })
    expect((await list({}, "SERVER")).totalItems).toBe(2)
  })

  test("finds nothing by a filter that names another user's device", async () => {
    const { parameters } = (await servedOperations(app.url)).get("GET /v1/devices")
    const naming = parameters
      .map(({ name }: any) => name)
      .filter((name: string) => lookUp(namingFilters, "GET /v1/devices", name) !== undefined)
    expect(naming).toEqual(expect.arrayContaining(["siteId", "referenceId", "manufacturerDeviceId", "tag", "q"]))
    const ids: Readonly<Record<string, string>> = {
      siteId: world.commonSiteId,
      customerId: world.commonCustomerId,
      collectionId: world.commonCollectionId
    }
    for (const filter of naming) {
      const value = ids[filter] ?? lookUp(commonFilters, "GET /v1/devices", filter)!
      expect((await list({ [filter]: value }, "SERVER")).data).toMatchObject([{ id: world.commonDeviceId }])
      expect(await list({ [filter]: value })).toMatchObject({ totalItems: 0, data: [] })
    }
  })

  test("follows cursors through the user's devices only", async () => {
    const answer = await app.call("GET", "/v1/devices?perPage=1", { key: world.keys.SERVER })
    const cursor = answer.headers.get("x-next-cursor")!
    expect((await list({ cursor })).data).toMatchObject([{ id: world.deviceId }])
  })
})
