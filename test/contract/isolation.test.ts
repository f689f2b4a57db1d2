import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { bodyIds, type ExpectedOfForeign, identifyingFields } from "./bodyIds.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { findPathId, pathIds, sharedParams } from "./pathIds.ts"
import { requestBodies } from "./requestBodies.ts"
import { readRows } from "./readRows.ts"
import { seen } from "./seen.ts"
import { servedDocument } from "./servedDocument.ts"
import { nobody, seedWorld, type World } from "./world.ts"

const app = useTestApp({ own: true })
let own: World
/** The worlds whose records must seem not to exist: another organization, and another workspace of the same one. */
let foreign: Record<"stranger" | "sibling", World>
/** Takes the requests that must work and change or add a record. One that takes records away has a world for itself. */
let control: World
let before: Record<string, unknown>
beforeAll(async () => {
  own = await seedWorld(app, "own")
  foreign = { stranger: await seedWorld(app, "stranger"), sibling: await seedWorld(app, "sibling", own.organizationId) }
  control = await seedWorld(app, "control")
  before = await readRows(app, Object.values(foreign))
})

const bodyIn = (world: World, endpoint: Endpoint) =>
  endpoint.payload === undefined
    ? {}
    : { body: requestBodies[formatRoute({ ...endpoint, path: endpoint.documented })]!(world) }

/** MANAGEMENT keys act on all workspaces of their organization, and all keys see its programs. */
const isForeignTo = (type: ApiKeyType, { path }: Endpoint, world: "stranger" | "sibling") =>
  world === "stranger" || (type !== "MANAGEMENT" && !path.startsWith("/v1/programs/"))

const cases = endpoints
  .flatMap((endpoint) =>
    endpoint.allowed.flatMap((type) => (["stranger", "sibling"] as const).map((world) => ({ endpoint, type, world })))
  )
  .filter(({ endpoint, type, world }) => isForeignTo(type, endpoint, world))

test("the table has a valid body for every route with a body", () => {
  const routes = endpoints
    .filter(({ payload }) => payload !== undefined)
    .map(({ method, documented }) => `${method} ${documented}`)
  expect([...new Set(routes)].sort()).toEqual(Object.keys(requestBodies).sort())
})

describe("a path with the id of another workspace's record", () => {
  const named = cases.flatMap((one) =>
    one.endpoint.params.map((param) => ({ ...one, param, route: formatRoute(one.endpoint) }))
  )

  test("is tested for every parameter of every route", () => {
    const params = endpoints.flatMap(({ documented, params }) =>
      params.map((param) => documented.slice(0, documented.indexOf(`:${param}`)) + `:${param}`)
    )
    expect([...new Set(params)].sort()).toEqual([...Object.keys(pathIds), ...sharedParams].sort())
  })

  test.each(named.filter(({ endpoint, param }) => findPathId(endpoint.documented, param) !== undefined))(
    "$route: $param of a $world gets the same response as an unknown id, for a $type key",
    async ({ endpoint, type, world, param }) => {
      const kind = findPathId(endpoint.documented, param)!
      const ask = (value: string) =>
        app.call(endpoint.method, pathIn(own, endpoint, { [param]: value }), {
          key: own.keys[type],
          ...bodyIn(own, endpoint)
        })
      const [theirs, absent] = [await ask(foreign[world][kind]), await ask(nobody[kind])]
      expect(seen(theirs)).toEqual(seen(absent))
      expect(absent.status).toBe(404)
    }
  )
})

describe("a path with the id of a record of the caller's workspace", () => {
  const controls = endpoints.filter((endpoint) =>
    endpoint.params.some((param) => findPathId(endpoint.documented, param))
  )

  // It determines the participants of the dispatch anew.
  const takesAway = ["PATCH /v1/dispatches/:id"]

  const controlWorld = (endpoint: Endpoint) => {
    if (endpoint.method === "GET") return own
    const route = formatRoute(endpoint)
    return endpoint.method === "DELETE" || takesAway.includes(route) ? seedWorld(app, `control-${route}`) : control
  }

  // Without this the others would prove nothing: a request that is wrong in itself fails for anybody's things alike.
  test.each(controls.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) })))(
    "$route works",
    async ({ endpoint }) => {
      const world = await controlWorld(endpoint)
      const response = await app.call(endpoint.method, pathIn(world, endpoint), {
        key: world.keys[endpoint.allowed[0]!],
        ...bodyIn(world, endpoint)
      })
      // A new organization's only workspace holds its last management key.
      if (formatRoute(endpoint) === "DELETE /v1/workspaces/:id")
        expectError(response, 400, "DELETION_PROTECTION_ENABLED")
      else expect(response.status, response.text).toBeLessThan(300)
    }
  )
})

/** A path with the ids of one world, except the given ones. */
function pathIn(world: World, endpoint: Endpoint, given: Readonly<Record<string, string>> = {}) {
  const params = endpoint.params.map((param) => {
    const kind = findPathId(endpoint.documented, param)
    return [param, kind === undefined ? "generic" : world[kind]]
  })
  return fillPath(endpoint.path, { ...Object.fromEntries(params), ...given })
}

describe("a body with the id of another workspace's record", () => {
  test("is tested for every identifying field of every body", async () => {
    expect(identifyingFields(await servedDocument(app.url))).toEqual(Object.keys(bodyIds).sort())
  })

  const fields = Object.entries(bodyIds).flatMap(([name, rule]) =>
    rule === "no thing of a workspace"
      ? []
      : cases.flatMap((one) => {
          const [route, field] = name.split(" body ") as [string, string]
          const mayName = rule.from === undefined || rule.from.includes(one.type)
          return mayName && formatRoute({ ...one.endpoint, path: one.endpoint.documented }) === route
            ? [{ ...one, ...rule, route: formatRoute(one.endpoint), field }]
            : []
        })
  )

  test.each(fields)(
    "$route: $field of a $world, from a $type key",
    async ({ endpoint, type, world, kind, field, put, expected }) => {
      const ask = (value: string) =>
        app.call(endpoint.method, pathIn(own, endpoint), {
          key: own.keys[type],
          body: put(bodyIn(own, endpoint).body!, field, value)
        })
      const [theirs, absent] = [await ask(foreign[world][kind]), await ask(nobody[kind])]
      assertForeign(expected, theirs, absent)
    }
  )
})

function assertForeign(expected: ExpectedOfForeign, theirs: any, absent: any) {
  if (expected === "as one that does not exist") return expect(seen(theirs)).toEqual(seen(absent))
  if (expected.status === "skipped") {
    const listSkipped = ({ body }: any) => [body.total, body.skipped.map(({ code }: { readonly code: string }) => code)]
    expect([listSkipped(theirs), listSkipped(absent)]).toEqual([
      [0, [expected.code]],
      [0, [expected.code]]
    ])
    return
  }
  if (expected.status === "item") {
    const listCodes = ({ body }: any) => body.results.map(({ code }: { readonly code?: string }) => code)
    expect([listCodes(theirs), listCodes(absent)]).toEqual([[expected.code], ["SITE_NOT_FOUND"]])
    return
  }
  expectError(theirs, expected.status, expected.code)
  expectError(absent, 404, "SITE_NOT_FOUND")
}

describe("the endpoints for manufacturers", () => {
  const push = (key: string, id: string) =>
    app.call("POST", `/devices/${id}/telemetry`, { key, body: { state: { power: 1 } } })

  test("a device that was removed from its workspace is DEVICE_NOT_ASSOCIATED for every key of its manufacturer", async () => {
    for (const { removedDeviceId } of [own, foreign.stranger, foreign.sibling]) {
      expectError(await push(own.keys.MANUFACTURER, removedDeviceId), 404, "DEVICE_NOT_ASSOCIATED")
    }
  })

  test("it does not exist for a key of another manufacturer", async () => {
    const { key } = await app.key(own, "MANUFACTURER", { scope: ["simulator"] })
    expect(seen(await push(key, foreign.stranger.removedDeviceId))).toEqual(
      seen(await push(key, nobody.removedDeviceId))
    )
  })

  test("a manufacturerDeviceId identifies the device of the caller's workspace, not of another one", async () => {
    const [key] = [own.keys.MANUFACTURER]
    const named = (manufacturerDeviceId: string) => ({
      manufacturer: "generic",
      manufacturerDeviceId,
      state: { power: 1 }
    })
    const readings = [named(foreign.stranger.manufacturerDeviceId), named(nobody.manufacturerDeviceId)]
    const { body } = await app.call("POST", "/devices/telemetry", { key, body: { readings } })
    expect(body).toMatchObject({ accepted: 0, duplicates: 0 })
    expect(body.errors.map(({ code, message }: any) => [code, message])).toEqual(
      Array.from({ length: 2 }, () => ["DEVICE_NOT_FOUND", expect.any(String)])
    )
  })

  test("provisioning a manufacturerDeviceId of another workspace creates a new device", async () => {
    const { manufacturerDeviceId, deviceId } = foreign.stranger
    const response = await app.call("POST", "/devices", {
      key: own.keys.MANUFACTURER,
      body: { manufacturerDeviceId, deviceModelId: own.deviceModelId, siteId: own.siteId }
    })
    expect(response.status).toBe(201)
    expect(response.body.id).not.toBe(deviceId)
  })
})

test("none of these requests changed the other workspace", async () => {
  expect(Object.keys(before).length).toBeGreaterThan(10)
  expect(await readRows(app, Object.values(foreign))).toEqual(before)
})
