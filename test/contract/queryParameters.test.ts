import { Schema, SchemaAST } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { commonFilters, lookUp, namingFilters, steadyQuery } from "./filters.ts"
import { findPathId } from "./pathIds.ts"
import { seedWorld, type World } from "./world.ts"

const app = useTestApp()
let world: World
beforeAll(async () => {
  world = await seedWorld(app, "parameters")
})

const nobody = "c0000000000000000000000000"

/** The path with unknown ids: an invalid query is reported before a resource is looked up. */
const makePath = ({ path, params }: Endpoint) =>
  fillPath(path, Object.fromEntries(params.map((name) => [name, nobody])))

/** The path with the world's own things in it. */
const makeOwnPath = ({ path, documented, params }: Endpoint) => {
  const paramValue = (param: string) => {
    const kind = findPathId(documented, param)
    if (kind !== undefined) return String(world[kind])
    return param === "slug" ? "generic" : world.deviceModelId
  }
  return fillPath(path, Object.fromEntries(params.map((param) => [param, paramValue(param)])))
}

const ask = ({ method, allowed }: Endpoint, path: string) => app.call(method, path, { key: world.keys[allowed[0]!] })

interface Parameter {
  readonly endpoint: Endpoint
  readonly route: string
  readonly name: string
  readonly isRepeatable: boolean
  readonly isRequired: boolean
}

const listParameters = (endpoint: Endpoint): ReadonlyArray<Parameter> => {
  const ast = endpoint.query?.ast
  if (ast === undefined || !SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.map(({ name, type }) => ({
    endpoint,
    route: formatRoute(endpoint),
    name: String(name),
    isRepeatable: SchemaAST.isArrays(Schema.toEncoded(Schema.make(type)).ast),
    isRequired: !SchemaAST.isOptional(type)
  }))
}

const parameters = endpoints.flatMap(listParameters)

/** A query with all required parameters but one. */
const requiredQuery = (endpoint: Endpoint, except?: string) =>
  listParameters(endpoint)
    .filter(({ isRequired, name }) => isRequired && name !== except)
    .map(({ name, route }) => `&${name}=${lookUp(commonFilters, route, name)}`)
    .join("")
const named = endpoints.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) }))

describe.each(named)("$route", ({ endpoint }) => {
  test("400 VALIDATION_ERROR names an unknown query parameter", async () => {
    const response = await ask(endpoint, `${makePath(endpoint)}?colour=red&__proto__=1${requiredQuery(endpoint)}`)
    expectError(response, 400, "VALIDATION_ERROR", { colour: "Is not known here", ["__proto__"]: "Is not known here" })
  })
})

test("a query of thousands of unknown parameters gets a response with the first 100", async () => {
  const query = Array.from({ length: 2000 }, (_, index) => `p${index}=1`).join("&")
  const response = await app.call("GET", `/v1/alerts/${nobody}?${query}`, { key: world.keys.SERVER })
  expect(response.status).toBe(400)
  expect(Object.keys(response.body.details)).toHaveLength(100)
  expect(response.body.message).toContain("more fields are wrong")
})

describe.each(parameters.filter(({ isRepeatable }) => !isRepeatable))("$route ?$name", ({ endpoint, name }) => {
  test("400 VALIDATION_ERROR for a repeated single-valued parameter", async () => {
    const response = await ask(endpoint, `${makePath(endpoint)}?${name}=1&${name}=1${requiredQuery(endpoint, name)}`)
    expectError(response, 400, "VALIDATION_ERROR", { [name]: "Must be given only once" })
  })
})

test("only filters by an id, an enum, a tag, a code or a reference accept several values", () => {
  // The charts of one device or site are annotated: those are no filters.
  const single = parameters
    .filter(({ isRepeatable, route }) => !isRepeatable && route !== "GET /dashboard/api/annotations")
    .map(({ name }) => name)
  expect([...new Set(single)].toSorted()).toEqual([
    "active",
    "after",
    "bbox",
    "connected",
    "cursor",
    "dynamic",
    "email",
    "enabled",
    "from",
    "groupBy",
    "include",
    "isActive",
    "limit",
    "offset",
    "order",
    "page",
    "perPage",
    "period",
    "q",
    "query",
    "sort",
    "test",
    "timeframe",
    "timezone",
    "to",
    "workspaceId",
    "zoom"
  ])
  const selecting = parameters.filter(({ name, isRepeatable }) => name === "workspaceId" && !isRepeatable)
  for (const { route } of selecting)
    expect(route).toMatch(/ \/(v1\/(collections|destinations|home-assistant-publications)|dashboard\/api)/)
})

/** A body without the time of its numbers. */
const timeless = (body: any) => (body?.asOf === undefined ? body : { ...body, asOf: null })

describe.each(parameters.filter(({ isRepeatable }) => isRepeatable))("$route ?$name", ({ endpoint, route, name }) => {
  test("accepts a repeated parameter and a comma-separated list", async () => {
    const kind = lookUp(namingFilters, route, name)
    const value = kind === undefined ? lookUp(commonFilters, route, name) : String(world[kind])
    expect(value, "a filter needs a value in filters.ts").toBeDefined()
    const path = `${makeOwnPath(endpoint)}?${new URLSearchParams(steadyQuery(route))}`
    const [first, second] = [`${name}=${encodeURIComponent(value!)}`, `${name}=${encodeURIComponent(value!)}`]
    const alone = await ask(endpoint, `${path}&${first}`)
    const repeated = await ask(endpoint, `${path}&${first}&${second}`)
    const listed = await ask(endpoint, `${path}&${first},${encodeURIComponent(value!)}`)
    expect(alone.status, alone.text).toBe(200)
    expect([repeated.status, timeless(repeated.body)]).toEqual([200, timeless(alone.body)])
    expect([listed.status, timeless(listed.body)]).toEqual([200, timeless(alone.body)])
  })
})

describe("a comma-separated list", () => {
  const count = async (path: string) => {
    const response = await app.call("GET", path, { key: world.keys.SERVER })
    expect(response.status, response.text).toBe(200)
    return response.body.totalItems
  }

  test("matches records with any of its values", async () => {
    const { siteReferenceId, customerReferenceId, siteId, commonSiteId, deviceId, commonDeviceId } = world
    const { customerId, commonCustomerId, collectionId, commonCollectionId } = world
    expect(await count(`/v1/sites?referenceId=${siteReferenceId},common-site`)).toBe(2)
    expect(await count(`/v1/sites?customerId=${customerId},${commonCustomerId}`)).toBe(2)
    expect(await count("/v1/sites?state=CA,NY&postalCode=95814,10001")).toBe(2)
    expect(await count(`/v1/customers?referenceId=${customerReferenceId},common-customer`)).toBe(2)
    expect(await count(`/v1/customers?siteId=${siteId},${commonSiteId}`)).toBe(2)
    expect(await count(`/v1/alerts?deviceId=${deviceId},${commonDeviceId}`)).toBe(2)
    expect(await count(`/v1/devices?customerId=${customerId},${commonCustomerId}`)).toBe(2)
    expect(await count(`/v1/devices?collectionId=${collectionId},${commonCollectionId}`)).toBe(2)
    expect(await count(`/v1/devices?collectionId=${collectionId},${nobody}`)).toBe(1)
    expect(await count(`/v1/events?type=ALERT_CREATED&deviceId=${deviceId}&deviceId=${commonDeviceId}`)).toBe(2)
  })

  test("may be one reference that contains commas, and a comma in a value is escaped", async () => {
    const { SERVER } = world.keys
    for (const referenceId of ["Okafor, Ada", "Okafor"]) {
      expect((await app.call("POST", "/v1/customers", { key: SERVER, body: { referenceId } })).status).toBe(201)
    }
    const found = async (text: string) => {
      const response = await app.call("GET", `/v1/customers?referenceId=${encodeURIComponent(text)}`, { key: SERVER })
      return response.body.data.map(({ referenceId }: { readonly referenceId: string }) => referenceId)
    }
    expect(await found("Okafor, Ada")).toEqual(["Okafor", "Okafor, Ada"])
    expect(await found("Okafor\\, Ada")).toEqual(["Okafor, Ada"])
    expect(await found("nobody,Okafor\\, Ada")).toEqual(["Okafor, Ada"])
  })
})

const spans = endpoints.filter((endpoint) => {
  const names = listParameters(endpoint).map(({ name }) => name)
  return names.includes("from") && names.includes("to")
})

describe.each(spans.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) })))("$route", ({ endpoint }) => {
  test("400 VALIDATION_ERROR for a range whose end is before its start", async () => {
    const query = "from=2026-03-02T00:00:00%2B02:00&to=2026-03-01T21:59:59Z"
    const response = await ask(endpoint, `${makePath(endpoint)}?${query}`)
    expectError(response, 400, "VALIDATION_ERROR", { from: "Must not be after `to`" })
  })
})

test("the table contains every list with a time range", () => {
  expect(spans.length).toBeGreaterThan(10)
})
