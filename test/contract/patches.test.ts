import { SchemaAST } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { pathIds } from "./pathIds.ts"
import { seedWorld, type World } from "./world.ts"

const app = useTestApp()
let world: World
beforeAll(async () => {
  world = await seedWorld(app, "patches")
})

const makePath = ({ path, documented, params }: Endpoint) => {
  const paramValue = (param: string) => {
    const kind = pathIds[`${documented.slice(0, documented.indexOf(`:${param}`))}:${param}`]
    if (kind !== undefined) return String(world[kind])
    return param === "slug" ? "generic" : world.deviceModelId
  }
  return fillPath(path, Object.fromEntries(params.map((param) => [param, paramValue(param)])))
}

const resources = endpoints.filter(({ method, path }) => method === "PATCH" && /\/:\w+$/.test(path))

const eventsNow = async () => (await app.call("GET", "/v1/events", { key: world.keys.SERVER })).body.totalItems

describe.each(resources.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) })))("$route", ({ endpoint }) => {
  test("without a body or without a difference changes nothing and emits no event", async () => {
    const key = world.keys[endpoint.allowed[0]!]
    const path = makePath(endpoint)
    const before = (await app.call("GET", path, { key })).body
    const ast = endpoint.payload!.ast
    const names = SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
    const same = Object.fromEntries(names.flatMap((name) => (before[name] == null ? [] : [[name, before[name]]])))
    const events = await eventsNow()
    for (const body of [undefined, {}, same]) {
      const response = await app.call("PATCH", path, { key, ...(body && { body }) })
      expect(response.status, response.text).toBe(200)
      expect(response.body).toEqual(before)
    }
    expect((await app.call("GET", path, { key })).body).toEqual(before)
    expect(await eventsNow()).toBe(events)
  })
})

describe("an object in a PATCH", () => {
  const change = async (key: string, path: string, body: object) => {
    const response = await app.call("PATCH", path, { key, body })
    expect(response.status, response.text).toBe(200)
    return response.body
  }

  test("is merged into the limits of a key", async () => {
    const path = `/v1/api-keys/${world.apiKeyId}`
    await change(world.keys.MANAGEMENT, path, { rateLimits: { read: 7 } })
    const { rateLimits } = await change(world.keys.MANAGEMENT, path, { rateLimits: { write: 9 } })
    expect(rateLimits).toEqual({ read: 7, write: 9 })
  })

  test("is merged into a location, and the result is validated", async () => {
    const path = `/v1/sites/${world.siteId}`
    const { location } = await change(world.keys.SERVER, path, { location: { latitude: 38.5, longitude: -121.5 } })
    expect(location).toEqual({ latitude: 38.5, longitude: -121.5 })
    const moved = await change(world.keys.SERVER, path, { location: { latitude: 38.6 } })
    expect(moved.location).toEqual({ latitude: 38.6, longitude: -121.5 })
    await change(world.keys.SERVER, path, { location: null })
    const half = await app.call("PATCH", path, { key: world.keys.SERVER, body: { location: { latitude: 1 } } })
    expectError(half, 400, "VALIDATION_ERROR", { "location.longitude": "Is required" })
  })

  test("is merged into the headers of a destination, and null removes one", async () => {
    const path = `/v1/destinations/${world.destinationId}`
    const { headers: before } = (await app.call("GET", path, { key: world.keys.SERVER })).body
    const added = await change(world.keys.SERVER, path, { headers: { "X-Second": "two" } })
    expect(added.headers).toEqual({ ...before, "X-Second": "two" })
    expect((await change(world.keys.SERVER, path, { headers: { "X-Second": null } })).headers).toEqual(before)
  })
})
