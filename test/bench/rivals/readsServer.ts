import type { FastifyRequest } from "fastify"
import { Pool } from "pg"
import { deviceEvents } from "@edp/server/devices/DeviceEvents"
import { recordedState, toDevice } from "@edp/server/devices/deviceRow"
import { toCustomer } from "@edp/server/customers/customerRow"
import { toSite } from "@edp/server/sites/siteRow"
import { EVENT_VERSION } from "@edp/domain/events/Event"
import { makePage } from "@edp/domain/shared/Page"
import type { Device } from "@edp/domain/devices/Device"
import {
  deviceLists,
  eventCustomers,
  eventDevices,
  events,
  eventSites,
  history,
  lists,
  records,
  type Statement
} from "./readStatements.ts"
import { findKey, authenticatedKey, peerApp } from "./sameWork.ts"

/**
 * A carefully written server of the usual kind over the platform's own tables: it looks the key up by its hash, runs
 * one prepared statement, which counts the list as well, and responds with the same JSON. It has no tracing, and trusts the
 * parameters of a request. Bare, it has no log, no limits and no ETags either; with RIVAL_WORK=same it does what `sameWork` says.
 */
const { DATABASE_URL, PORT, RIVAL_POOL } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: Number(RIVAL_POOL), options: "-c jit=off" })

const run = async (statement: { readonly name: string; readonly text: string }, values: ReadonlyArray<unknown>) =>
  (await pool.query({ ...statement, values: [...values] })).rows

const findWorkspace = async (request: FastifyRequest): Promise<string> =>
  (authenticatedKey(request) ?? (await findKey(pool, request))).workspaceId

type Query = Readonly<Record<string, string | undefined>>

const parsePage = ({ page = "1", perPage = "10" }: Query) => {
  const [number, limit] = [Number(page), Number(perPage)]
  return { number, limit, offset: (number - 1) * limit }
}

const app = peerApp(pool, ["SERVER", "API", "SCOPED"], "read")

type DeviceRequest = FastifyRequest<{ Params: { id: string }; Querystring: Query }>

/** Responds to a workspace's request with what the function makes. */
const route = (path: string, respond: (workspaceId: string, request: DeviceRequest) => Promise<unknown>) =>
  app.get(path, (request: DeviceRequest) => findWorkspace(request).then((workspaceId) => respond(workspaceId, request)))

const record = <Row, Record>(path: string, { toRecord, ...statement }: Statement<Row, Record>) =>
  route(path, async (workspaceId, { params }) => {
    const [row] = await run(statement, [workspaceId, params.id])
    if (row === undefined) throw Object.assign(new Error("Not found"), { statusCode: 404 })
    return toRecord(row)
  })

const page = async <Row, Record>(
  { toRecord, ...statement }: Statement<Row, Record>,
  workspaceId: string,
  query: Query,
  filter: ReadonlyArray<string> = []
) => {
  const { number, limit, offset } = parsePage(query)
  const rows = await run(statement, [workspaceId, limit, offset, ...filter])
  return makePage(rows.map(toRecord), number, limit, rows[0]?.total ?? 0)
}

record("/v1/devices/:id", records.devices)
record("/v1/sites/:id", records.sites)

route("/v1/sites", (workspaceId, { query }) => page(lists.sites, workspaceId, query))
route("/v1/customers", (workspaceId, { query }) => page(lists.customers, workspaceId, query))
route("/v1/alerts", (workspaceId, { query }) => page(lists.alerts, workspaceId, query))

route("/v1/devices", (workspaceId, { query }) => {
  const filter = (["tag", "siteId", "connected"] as const).find((name) => query[name] !== undefined)
  return page(deviceLists[filter ?? ""], workspaceId, query, filter === undefined ? [] : [query[filter]!])
})

route("/v1/collections/:id/members", (workspaceId, { params, query }) =>
  page(deviceLists.collection, workspaceId, query, [params.id])
)

route("/v1/devices/:id/history", async (workspaceId, { params, query }) => {
  const { number, limit, offset } = parsePage(query)
  const rows = await run(history, [workspaceId, params.id, query["from"], query["to"], limit, offset])
  const readings = rows.map(({ id, at, state }) => recordedState(id, at.toISOString(), state))
  return makePage(readings, number, limit, rows[0]?.total ?? 0)
})

const byId = <A extends { readonly id: string }>(found: ReadonlyArray<A>) => new Map(found.map((one) => [one.id, one]))

route("/v1/events", async (workspaceId, { query }) => {
  const { number, limit, offset } = parsePage(query)
  const rows = await run(events, [workspaceId, limit, offset])
  const ids = [...new Set(rows.map(({ deviceId }) => deviceId))]
  const [devices, sites, customers] = await Promise.all([
    run(eventDevices, [ids]),
    run(eventSites, [ids]),
    run(eventCustomers, [ids])
  ])
  const getDevice = byId(devices.map(toDevice))
  const changes = rows.map(({ deviceId, id, readingAt, state }) => {
    const time = readingAt.toISOString()
    const device = { ...getDevice.get(deviceId)!, state: recordedState(id, time, state), lastOnlineAt: time } as Device
    return { type: "DEVICE_UPDATED", device, changed: ["state"] } as const
  })
  const owners = devices.map(({ id, ownerId }) => ({ id, customerId: ownerId }))
  const rendered = deviceEvents(workspaceId, changes, owners, customers.map(toCustomer), sites.map(toSite))
  const data = rows.map(({ createdAt, id, sequence }, at) => ({
    id,
    sequence,
    type: "DEVICE_UPDATED",
    version: EVENT_VERSION,
    timestamp: createdAt.toISOString(),
    workspaceId,
    data: rendered[at]!.data
  }))
  return makePage(data, number, limit, rows[0]?.total ?? 0)
})

app.get("/health/ready", () => ({ status: "ok" }))

await app.listen({ port: Number(PORT), host: "127.0.0.1" })
