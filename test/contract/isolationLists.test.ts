import { type ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { beforeAll, describe, expect, test } from "vitest"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { commonFilters, lookUp, namingFilters, nothingFound, positionFilter, steadyQuery } from "./filters.ts"
import { seen } from "./seen.ts"
import { servedOperations } from "./servedDocument.ts"
import { common, must, nobody, seedWorld, type World } from "./world.ts"

const app = useTestApp()

/** The state of the deployment is another each time. test/server/dashboard/HealthApi.test.ts has its isolation. */
const reads = endpoints.filter(({ method, path }) => method === "GET" && path !== "/dashboard/api/health")
const filters = new Map<string, ReadonlyArray<string>>()
const findFilters = (endpoint: Endpoint) => filters.get(formatRoute(endpoint)) ?? []

/** A read of the caller's own things. */
const ask = async (
  world: World,
  endpoint: Endpoint,
  type: ApiKeyType,
  query: Readonly<Record<string, string>> = {}
) => {
  const { documented } = endpoint
  const id = /^(\/v1)?\/devices\/:id/.test(documented) ? world.deviceId : idIn(world, documented)
  const slug = documented.startsWith("/v1/programs/") ? world.programSlug : common.manufacturer
  const path = fillPath(endpoint.path, { id, slug })
  const parameters = new URLSearchParams({ ...steadyQuery(formatRoute(endpoint)), ...query })
  const response = await app.call("GET", `${path}?${parameters}`, { key: world.keys[type] })
  if (!/"(lastUsedAt|asOf|timeline|comparedTo)"/.test(response.text)) return seen(response)
  // The first is written within a minute of the request that used the key, the second is the time of the response, and the energy of today
  // ends with the last quarter of an hour: matters of time, and so is the length of the response.
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  const text = response.text
    .replace(/"(lastUsedAt|asOf)":"[^"]*"/g, '"$1":null')
    .replace(/"(from|to|comparedFrom|comparedTo)":"[^"]*"(?=.*"energies")/g, '"$1":null')
    .replace(/"timeline":\{"from":"[^"]*","to":"[^"]*"/g, '"timeline":{"from":null,"to":null')
  return seen({ ...response, headers, text })
}

const idIn = (world: World, path: string) => {
  const kinds = {
    collections: "collectionId",
    destinations: "destinationId",
    "home-assistant-publications": "homeAssistantPublicationId",
    organizations: "organizationId",
    workspaces: "workspaceId",
    "api-keys": "apiKeyId",
    customers: "customerId",
    sites: "siteId",
    connections: "connectionId",
    schedules: "scheduleId",
    programInstances: "programInstanceId",
    dispatches: "dispatchId",
    enrollments: "enrollmentId",
    commands: "commandId",
    "batch-commands": "batchId"
  } as const
  const [, , noun] = path.split("/")
  if (path.startsWith("/dashboard/api/saved-filters/")) return world.savedFilterId
  if (noun === "alerts") return world.alertId
  if (noun === "events") return world.eventId
  if (noun === "device-models") return world.deviceModelId
  return noun !== undefined && noun in kinds ? world[kinds[noun as keyof typeof kinds]] : ""
}

/** Everything that a world can read, with each filter alone and with none, as each type of key. */
const readAll = async (world: World, sees: (type: ApiKeyType) => boolean) => {
  const responses = new Map<string, unknown>()
  for (const endpoint of reads) {
    for (const type of endpoint.allowed.filter(sees)) {
      const queries = findFilters(endpoint)
        .filter((name) => name !== positionFilter)
        .map((name) => ({ [name]: lookUp(commonFilters, formatRoute(endpoint), name) ?? "" }))
      for (const query of [{}, ...queries]) {
        responses.set(
          `${type} ${formatRoute(endpoint)} ${new URLSearchParams(query)}`,
          await ask(world, endpoint, type, query)
        )
      }
    }
  }
  return responses
}

const anyKey = () => true
const workspaceKey = (type: ApiKeyType) => type !== "MANAGEMENT"

let own: World
let foreign: Record<"stranger" | "sibling", World>
let alone: ReadonlyMap<string, unknown>
let withStranger: ReadonlyMap<string, unknown>
let withSibling: ReadonlyMap<string, unknown>
beforeAll(async () => {
  for (const [route, { parameters }] of await servedOperations(app.url)) {
    filters.set(
      route,
      parameters.filter((one: any) => one.in === "query").map((one: any) => one.name)
    )
  }
  // The operators' endpoints are in no document.
  for (const endpoint of reads.filter((one) => !filters.has(formatRoute(one)))) {
    const ast = endpoint.query?.ast as unknown as
      | { readonly propertySignatures: ReadonlyArray<{ readonly name: string }> }
      | undefined
    filters.set(formatRoute(endpoint), ast?.propertySignatures.map(({ name }) => name) ?? [])
  }
  own = await seedWorld(app, "own")
  alone = await readAll(own, anyKey)
  const stranger = await seedWorld(app, "stranger")
  withStranger = await readAll(own, anyKey)
  foreign = { stranger, sibling: await seedWorld(app, "sibling", own.organizationId) }
  withSibling = await readAll(own, workspaceKey)
})

test("the table contains every filter of every list", () => {
  const unknown = reads.flatMap((endpoint) =>
    findFilters(endpoint)
      .filter((name) => name !== positionFilter && lookUp(commonFilters, formatRoute(endpoint), name) === undefined)
      .filter((name) => lookUp(namingFilters, formatRoute(endpoint), name) === undefined)
      .map((name) => `${formatRoute(endpoint)} ${name}`)
  )
  expect(unknown).toEqual([])
})

describe("lists, filters, totals and nested reads", () => {
  test("return records if there are any", () => {
    const answered = (key: string) => JSON.parse((alone.get(key) as { text: string }).text)
    for (const route of ["/v1/customers", "/v1/sites", "/v1/devices", "/v1/alerts", "/v1/collections"]) {
      expect(answered(`SERVER GET ${route} `).totalItems).toBe(2)
    }
    expect(answered("SERVER GET /v1/devices tag=common").totalItems).toBe(1)
    expect(answered("SERVER GET /v1/devices q=common").totalItems).toBe(1)
    expect(answered("SERVER GET /v1/customers q=common").totalItems).toBe(1)
    const types = answered("SERVER GET /v1/search query=common").data.map(({ type }: any) => type)
    expect(new Set(types)).toEqual(new Set(["device", "site", "customer", "programInstance"]))
    expect(answered("SCOPED GET /v1/devices ").totalItems).toBe(1)
    const energies = answered("SERVER GET /v1/metrics/charging ").data.map(({ value }: any) => value)
    expect(energies.reduce((sum: number, value: number) => sum + value, 0)).toBe(2001)
  })

  test("do not change when another organization has equal records", () => {
    expect([...withStranger.keys()]).toEqual([...alone.keys()])
    for (const [request, response] of withStranger) expect([request, response]).toEqual([request, alone.get(request)])
  })

  test("do not change when another workspace of the organization has equal records", () => {
    expect(withSibling.size).toBeGreaterThan(100)
    for (const [request, response] of withSibling) {
      // The workspaces of an organization share its programs.
      if (/ GET \/v1\/programs /.test(request)) continue
      expect([request, response]).toEqual([request, alone.get(request)])
    }
  })
})

describe("a filter with the id of another workspace's record", () => {
  test("returns the same as a filter with an unknown id", async () => {
    for (const endpoint of reads) {
      for (const type of endpoint.allowed) {
        const hidden = type === "MANAGEMENT" ? [foreign.stranger] : Object.values(foreign)
        for (const filter of findFilters(endpoint)) {
          const kind = lookUp(namingFilters, formatRoute(endpoint), filter)
          // Users are the caller's own affair: two workspaces may well have one of the same name.
          if (kind === undefined || kind === "deviceReferenceId") continue
          const nothing = await ask(own, endpoint, type, { [filter]: nobody[kind] })
          if (endpoint.path.endsWith(".csv")) expect(nothing.text.trimEnd().split("\r\n")).toHaveLength(1)
          else expect(JSON.parse(nothing.text)).toMatchObject(nothingFound(formatRoute(endpoint), filter))
          for (const world of hidden) {
            const request = `${type} ${formatRoute(endpoint)} ${filter} of ${world.q}`
            expect([request, await ask(own, endpoint, type, { [filter]: world[kind] })]).toEqual([request, nothing])
          }
        }
      }
    }
  })

  test("matches only the caller's record if both are given", async () => {
    const { keys, siteId, tag } = own
    const list = async (query: string) =>
      must(await app.call("GET", `/v1/devices?${query}`, { key: keys.SERVER }), 200).data.map(({ id }: any) => id)
    expect(await list(`siteId=${siteId}&siteId=${foreign.sibling.siteId}`)).toEqual([own.deviceId])
    expect(await list(`tag=${tag},${foreign.stranger.tag}`)).toEqual([own.deviceId])
  })
})

describe("a cursor of another workspace", () => {
  const readCursor = async (path: string, key: string) => {
    const response = await app.call("GET", path, { key })
    expect(response.status).toBe(200)
    return response.headers.get("x-next-cursor")!
  }
  const dataAfter = async (path: string, key: string) =>
    must(await app.call("GET", path, { key }), 200).data as Array<any>

  test("lists only the caller's devices", async () => {
    for (const { keys } of Object.values(foreign)) {
      const cursor = await readCursor("/v1/devices?perPage=1", keys.SERVER)
      const walked = await dataAfter(`/v1/devices?perPage=100&cursor=${cursor}`, own.keys.SERVER)
      expect(walked.map(({ id }) => id)).toEqual([own.commonDeviceId, own.deviceId])
    }
  })

  test("lists the history of the device in the path", async () => {
    const span = "from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&perPage=1"
    const history = (id: string) => `/v1/devices/${id}/history?${span}`
    const secondOfOwn = await dataAfter(`${history(own.deviceId)}&page=2`, own.keys.SERVER)
    expect(secondOfOwn).toHaveLength(1)
    const cursor = await readCursor(history(foreign.stranger.deviceId), foreign.stranger.keys.SERVER)
    expect(await dataAfter(`${history(own.deviceId)}&cursor=${cursor}`, own.keys.SERVER)).toEqual(secondOfOwn)
  })
})
