import { expect } from "vitest"
import type { TestResponse, TestApp } from "../support/TestApp.ts"
import { type Endpoint, fillPath, ownEndpoints, formatRoute } from "./endpoints.ts"
import { pathIds } from "./pathIds.ts"
import { requestBodies } from "./requestBodies.ts"
import { must, seedWorld, type World } from "./world.ts"

type Params = Readonly<Record<string, string>>

let count = 0
const alertConfiguration = "/dashboard/api/alert-configuration"

/** Records to write to if the world's own would make the write fail or change nothing. */
const arranged: Readonly<Record<string, (app: TestApp, world: World) => Promise<Params>>> = {
  "DELETE /v1/workspaces/:id": async (app, { keys }) => ({
    id: (await create(app, keys.MANAGEMENT, "/v1/workspaces", { name: "To be deleted" })).id
  }),
  "PATCH /v1/manufacturers/:slug": async (app, { keys }) => {
    const body = { slug: `audited-${++count}`, name: "Maker", deviceTypes: ["battery"] }
    return { slug: (await create(app, keys.MANAGEMENT, "/v1/manufacturers", body)).slug }
  },
  "DELETE /dashboard/api/alert-configuration": async (app, { keys }) => {
    must(await app.call("PUT", alertConfiguration, { key: keys.MANAGEMENT, body: { minimumSeverity: "INFO" } }), 200)
    return {}
  },
  "POST /v1/collections/:id/refresh": async (app, { keys }) => {
    const criteria = { attribute: "tags", operator: "in", value: ["common"] }
    const body = { name: "Kept", collectionType: "DEVICE", criteria, dynamic: false }
    return { id: (await create(app, keys.SERVER, "/v1/collections", body)).id }
  },
  "POST /v1/destinations/:id/activate": async (app, { destinationId }) => {
    await app.sql(
      (sql) =>
        sql`UPDATE destinations SET deactivated_at = now(), deactivated_reason = 'Gone' WHERE id = ${destinationId}`
    )
    return {}
  },
  "PUT /v1/collections/:id/members/:memberId": async (_, { commonDeviceId }) => ({ memberId: commonDeviceId })
}

const create = async (app: TestApp, key: string, path: string, body: object) =>
  must(await app.call("POST", path, { key, body }), 201)

/** A world in which the write succeeds and changes something. By default nothing else happens in it. */
export const arrangeScene = async (app: TestApp, endpoint: Endpoint, shared?: World) => {
  const route = formatRoute(endpoint)
  const world = shared ?? (await seedWorld(app, `audited ${++count}`))
  const own = endpoint.params.map((param) => {
    const kind = pathIds[`${endpoint.path.slice(0, endpoint.path.indexOf(`:${param}`))}:${param}`]
    return [param, kind === undefined ? world.deviceModelId : world[kind]] as const
  })
  const params = { ...Object.fromEntries(own), ...(await arranged[route]?.(app, world)) } as Params
  const path = fillPath(endpoint.path, params)
  const body = endpoint.payload && requestBodies[route]!(world)
  return { world, params, path, body }
}

export type Scene = Awaited<ReturnType<typeof arrangeScene>>

const getPath = ({ path }: Endpoint, params: Params, response: TestResponse | undefined) => {
  const resource = path.includes("/:id") ? path.slice(0, path.indexOf("/:id") + "/:id".length) : path
  const at = ownEndpoints.find(
    (one) => one.method === "GET" && one.params.length === 1 && one.path.startsWith(resource)
  )
  if (at === undefined) throw new Error(`nothing to read after ${path}`)
  const [name] = at.params as [string]
  const id = params[name] ?? response?.body?.[name]
  return id === undefined ? undefined : fillPath(at.path, { [name]: id })
}

/** The resource of the write as the API shows it; undefined before its creation. */
export const readResource = async (app: TestApp, endpoint: Endpoint, scene: Scene, response?: TestResponse) => {
  if (endpoint.path === alertConfiguration) return readAlertRules(app, scene)
  const path = getPath(endpoint, scene.params, response)
  if (path === undefined) return undefined
  const read = await app.call("GET", path, { key: scene.world.keys.MANAGEMENT })
  if (read.status === 404) return undefined
  const resource = must(read, 200) as Record<string, unknown>
  if (endpoint.path.startsWith("/v1/home-assistant-publications")) {
    return { ...resource, password: secretMark(`${String(resource["password"])} ${String(resource["updatedAt"])}`) }
  }
  return endpoint.path.startsWith("/v1/destinations") ? withMarks(resource) : resource
}

/** The log has only the fact that a secret changed, and neither names nor values of headers. */
const withMarks = ({ headers, secret, ...destination }: Record<string, unknown>) => ({
  ...destination,
  secret: secret === null ? null : secretMark(secret),
  headers: headers === null ? null : headersMark(headers),
  kafkaPassword: null
})

/** Equal to what a log says of it, and as JSON different for each secret. */
const secretMark = (secret: unknown) => ({
  asymmetricMatch: (recorded: unknown) => recorded === "***",
  toJSON: () => secret
})
const headersMark = (headers: unknown) => ({
  asymmetricMatch: (recorded: unknown) => /^sealed [0-9a-f]{16}$/.test(String(recorded)),
  toJSON: () => headers
})

/** A saved configuration is identified by its workspace; the record has its actor and time. */
const readAlertRules = async (app: TestApp, { world }: Scene) => {
  const read = await app.call("GET", alertConfiguration, { key: world.keys.MANAGEMENT })
  const { savedAt, savedBy: _, ...rules } = must(read, 200)
  return savedAt === null ? undefined : { id: world.workspaceId, ...rules }
}

/** The log's records of one request. */
export const readRecords = async (app: TestApp, { keys }: World, requestId: string): Promise<ReadonlyArray<any>> => {
  const { body } = await app.call("GET", "/v1/audit-logs?perPage=100", { key: keys.MANAGEMENT })
  expect(body.totalPages).toBeLessThan(2)
  return body.data.filter((record: any) => record.requestId === requestId)
}
