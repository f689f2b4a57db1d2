import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { commonFilters, lookUp, namingFilters } from "./filters.ts"
import { seen } from "./seen.ts"
import { servedOperations } from "./servedDocument.ts"
import { genericCharger, laterTime, nobody, must, seedWorld, startCharging, type World } from "./world.ts"

const app = useTestApp()
/** Another device of the key's user, which was connected in another session. */
let laterDeviceId: string
let world: World
let stranger: World
/** `user` covers all devices of the user, `session` only those of one session. */
const keys = { user: "", session: "" }
beforeAll(async () => {
  world = await seedWorld(app, "own")
  stranger = await seedWorld(app, "stranger")
  const model = await genericCharger(app, world.keys.SERVER)
  const body = { deviceModelId: model.id, siteId: world.siteId, manufacturerDeviceId: "later", referenceId: "user-1" }
  const later = await app.call("POST", "/devices", { key: world.keys.MANUFACTURER, body })
  laterDeviceId = must(later, 201).id
  keys.user = world.keys.SCOPED
  keys.session = (await app.key(world, "SCOPED", { deviceIds: [world.deviceId] })).key
})
const kinds = ["user", "session"] as const
type Kind = (typeof kinds)[number]

const open = endpoints.filter(({ allowed }) => allowed.includes("SCOPED"))
const ofDevice = open.filter(({ path }) => path.startsWith("/v1/devices/:id"))
let minute = 0
const ask = ({ method, path }: Endpoint, id: string, kind: Kind) =>
  app.call(method, fillPath(path, { id }), {
    key: keys[kind],
    ...(method === "POST" && { body: { ...startCharging, scheduledFor: laterTime(++minute) } })
  })
const success = ({ method, path }: Endpoint) => (method === "POST" && !path.endsWith("/preview") ? 201 : 200)

test("a SCOPED key may only read devices, send them commands and follow these", () => {
  const others = ["POST /v1/devices/:id/commands", "POST /v1/devices/:id/commands/preview", "GET /v1/commands/:id"]
  const isRead = (route: string) => /^GET \/v1\/devices(\/:id(\/\w+)?)?$/.test(route)
  expect(open.map(formatRoute).filter((route) => !isRead(route))).toEqual(others)
  expect(ofDevice.every(({ params }) => params.join() === "id")).toBe(true)
  expect(ofDevice.length).toBeGreaterThan(3)
})

const matrix = ofDevice.flatMap((endpoint) => kinds.map((kind) => ({ endpoint, kind, route: formatRoute(endpoint) })))

describe.each(matrix)("$route with a key of a $kind", ({ endpoint, kind }) => {
  test("responds for a device of the key's user", async () => {
    expect((await ask(endpoint, world.deviceId, kind)).status).toBe(success(endpoint))
  })

  test("covers the user's devices of other sessions unless the key is of a session", async () => {
    const response = await ask(endpoint, laterDeviceId, kind)
    if (kind === "user") expect(response.status).toBe(success(endpoint))
    else expectError(response, 403, "FORBIDDEN")
  })

  test("403 FORBIDDEN for another user's device of the workspace", async () => {
    expectError(await ask(endpoint, world.commonDeviceId, kind), 403, "FORBIDDEN")
  })

  test("404 DEVICE_NOT_FOUND for a device of another workspace, of no workspace, and for an unknown one", async () => {
    const absent = await ask(endpoint, nobody.deviceId, kind)
    expectError(absent, 404, "DEVICE_NOT_FOUND")
    for (const id of [stranger.deviceId, stranger.commonDeviceId, stranger.removedDeviceId, world.removedDeviceId]) {
      expect(seen(await ask(endpoint, id, kind))).toEqual(seen(absent))
    }
  })
})

describe("GET /v1/commands/:id", () => {
  const command = async (deviceId: string, of = world): Promise<string> => {
    const body = { ...startCharging, scheduledFor: laterTime(++minute) }
    const response = await app.call("POST", `/v1/devices/${deviceId}/commands`, { key: of.keys.SERVER, body })
    return must(response, 201).id
  }
  const read = (id: string, kind: Kind) => app.call("GET", `/v1/commands/${id}`, { key: keys[kind] })

  test("shows the commands of the user's devices, with a key of a session only those of its devices", async () => {
    const [own, later] = [await command(world.deviceId), await command(laterDeviceId)]
    for (const kind of kinds) expect((await read(own, kind)).body).toMatchObject({ id: own, status: "scheduled" })
    expect((await read(later, "user")).status).toBe(200)
    expectError(await read(later, "session"), 403, "FORBIDDEN")
  })

  test("403 FORBIDDEN for another user's device, 404 NOT_FOUND for another workspace's and for an unknown command", async () => {
    const other = await command(world.commonDeviceId)
    const foreign = await command(stranger.deviceId, stranger)
    for (const kind of kinds) {
      expectError(await read(other, kind), 403, "FORBIDDEN")
      expectError(await read(foreign, kind), 404, "NOT_FOUND")
      expectError(await read(nobody.commandId, kind), 404, "NOT_FOUND")
    }
  })
})

describe("GET /v1/devices", () => {
  const list = async (query: Record<string, string> = {}, key = keys.session) =>
    must(await app.call("GET", `/v1/devices?${new URLSearchParams(query)}`, { key }), 200)

  test("lists and counts only the user's devices", async () => {
    expect(await list({}, keys.user)).toMatchObject({
      totalItems: 2,
      totalPages: 1,
      data: [{ id: laterDeviceId }, { id: world.deviceId }]
    })
    expect((await list({}, world.keys.SERVER)).totalItems).toBe(3)
  })

  test("lists and counts only the devices of the key's session", async () => {
    expect(await list()).toMatchObject({ totalItems: 1, totalPages: 1, data: [{ id: world.deviceId }] })
    expect(await list({ type: "charger", tag: world.tag })).toMatchObject({ totalItems: 1 })
  })

  test("a device that moved to another user leaves the key's scope", async () => {
    const body = { referenceId: "user-3" }
    await app.call("PATCH", `/v1/devices/${world.deviceId}`, { key: world.keys.SERVER, body })
    try {
      expect(await list()).toMatchObject({ totalItems: 0, data: [] })
      expectError(await app.call("GET", `/v1/devices/${world.deviceId}`, { key: keys.session }), 403, "FORBIDDEN")
    } finally {
      const back = { referenceId: "user-1" }
      await app.call("PATCH", `/v1/devices/${world.deviceId}`, { key: world.keys.SERVER, body: back })
    }
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
      expect((await list({ [filter]: value }, world.keys.SERVER)).data).toMatchObject([{ id: world.commonDeviceId }])
      for (const kind of kinds) {
        expect(await list({ [filter]: value }, keys[kind])).toMatchObject({ totalItems: 0, data: [] })
      }
    }
  })

  test("follows cursors through the user's devices only", async () => {
    const response = await app.call("GET", "/v1/devices?perPage=1", { key: world.keys.SERVER })
    const cursor = response.headers.get("x-next-cursor")!
    for (const kind of kinds) {
      expect((await list({ cursor }, keys[kind])).data).toMatchObject([{ id: world.deviceId }])
    }
  })
})
