import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { Schema } from "effect"
import { type Endpoint, endpoints, fillPath, formatRoute } from "../endpoints.ts"
import {
  bulkReadings,
  command,
  fieldValues,
  readingState,
  recently,
  makeSamples,
  newEnrollment,
  webhook,
  weeklySchedule
} from "./fieldValues.ts"
import { type FuzzWorld, kinds } from "./FuzzWorld.ts"
import { hostileHeaders, hostileQuery, hostileSegment, hostileValue, mutateBody, oddMethods } from "./hostile.ts"
import type { Random } from "../../support/Random.ts"
import type { Wire } from "./Wire.ts"

const pools = new Map<Schema.Top, ReadonlyArray<any>>()

/** A value of a field as it goes over the wire, out of the contract's own schema. */
const sampled = (field: Schema.Top, random: Random): any => {
  const encoded = Schema.toEncoded(field)
  const pool = pools.get(field) ?? makeSamples(encoded, 3)
  pools.set(field, pool)
  return random.pick(pool)
}

const listFields = (schema: any): Readonly<Record<string, Schema.Top>> => schema?.fields ?? schema?.schema?.fields ?? {}

const isOptional = (field: any) => field.ast?.context?.isOptional === true

/** Known values mostly, since no generator hits upon an id that exists; else whatever the schema allows. */
const makeValue = (name: string, field: Schema.Top, world: FuzzWorld, random: Random) => {
  const known = fieldValues[name]
  return known !== undefined && random.chance(0.9) ? known(world, random) : sampled(field, random)
}

const makeObject = (schema: unknown, share: number, world: FuzzWorld, random: Random): Record<string, any> => {
  const chosen = Object.entries(listFields(schema)).filter(([, field]) => !isOptional(field) || random.chance(share))
  return Object.fromEntries(chosen.map(([name, field]) => [name, makeValue(name, field, world, random)]))
}

const makeBody = ({ documented, payload }: Endpoint, deviceId: string, world: FuzzWorld, random: Random) => {
  if (payload === undefined) return undefined
  if (documented === "/devices/telemetry") return { readings: bulkReadings(world, random) }
  if (documented === "/v1/destinations" && random.chance(0.5)) return webhook(world, random)
  if (documented === "/v1/destinations/:id/replay" && random.chance(0.5)) return recently()
  if (/\/(batch-)?commands$/u.test(documented) && random.chance(0.8)) {
    return { tag: "fuzz", ...command(world.findType(deviceId), random) }
  }
  if (/\/schedules(\/preview)?$/u.test(documented) && random.chance(0.8)) {
    return weeklySchedule(world.findType(deviceId), random)
  }
  if (documented.endsWith("/enrollments") && random.chance(0.8)) return newEnrollment(random)
  if (documented !== "/devices/:id/telemetry") return makeObject(payload, 0.35, world, random)
  const state = () => readingState(world.findType(deviceId), random)
  const timestamp = () => fieldValues["timestamp"]!(world, random)
  return random.chance(0.5)
    ? { state: state(), timestamp: timestamp() }
    : { readings: Array.from({ length: 1 + random.below(4) }, () => ({ state: state(), timestamp: timestamp() })) }
}

const makeQuery = ({ query }: Endpoint, world: FuzzWorld, random: Random): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(makeObject(query, 0.15, world, random))) {
    if (name === "cursor" ? parameters.has("page") : name === "page" && random.chance(0.5)) continue
    const values = [value].flat().filter((one) => one !== undefined)
    if (random.chance(0.5) && values.length > 0) parameters.set(name, values.join(","))
    else for (const one of values) parameters.append(name, String(one))
  }
  return parameters.size === 0 ? "" : `?${parameters}`
}

/** Routes that may end or change the world's own records only get records of earlier requests. */
const isExpendable = ({ method, documented }: Endpoint) =>
  method === "DELETE"
    ? documented.endsWith("/:id")
    : method !== "GET" &&
      /^\/v1\/(?:api-keys\/|collections\/:id$|programInstances\/:id$|dispatches\/:id\/cancel$|enrollments\/:id\/unenroll$)/u.test(
        documented
      )

const makeParams = (endpoint: Endpoint, world: FuzzWorld, random: Random): Record<string, string> => {
  const kind = kinds.find((one) => endpoint.documented.replace(/^\/(?:v1|dashboard\/api)/u, "").startsWith(`/${one}`))
  const meets = endpoint.params.includes("memberId") && random.chance(0.8)
  const joins = endpoint.params.includes("customerId") && random.chance(0.5)
  const optsOut = endpoint.params.includes("siteId") && random.chance(0.8)
  const own: Record<string, () => string> = {
    id: () => {
      if (endpoint.params.includes("commandId") && random.chance(0.8)) return world.polledDevice
      if (optsOut) return world.optOutDispatch
      if (meets) return world.first("collections")
      if (joins) return world.first("sites")
      if (/\/(?:approve|reject)$/u.test(endpoint.documented) && random.chance(0.8)) return random.pick(world.submitted)
      if (endpoint.documented.endsWith("/enrollments")) return world.first("programInstances")
      return world.id(kind!, random, isExpendable(endpoint))
    },
    deviceId: () => world.id("devices", random),
    siteId: () => (optsOut ? world.first("sites") : world.id("sites", random)),
    customerId: () => (joins ? world.first("customers") : world.id("customers", random)),
    commandId: () => world.id("taken-commands", random),
    deliveryId: () => world.id("deliveries", random),
    memberId: () =>
      meets ? world.first("devices") : world.id(random.pick(["devices", "devices", "sites", "customers"]), random),
    slug: () =>
      random.pick([
        endpoint.documented.startsWith("/v1/programs/") ? world.program : "generic",
        "simulator",
        `fuzz-${random.below(200)}`
      ]),
    tag: () => random.pick(["fuzz", "ä b", "😀"])
  }
  return Object.fromEntries(endpoint.params.map((name) => [name, own[name]!()]))
}

export interface Generated {
  readonly endpoint: Endpoint
  readonly wire: Wire
}

/** A request that is right by intent, and in about two of five cases is then made wrong in one way or several. */
/** A request to one of the routes; undefined for any route. */
export const generate = (world: FuzzWorld, random: Random, routes?: ReadonlySet<string>): Generated => {
  const fits = ({ documented, method }: (typeof endpoints)[number]) =>
    routes!.has(formatRoute({ method, path: documented }))
  const endpoint = random.pick(routes === undefined ? endpoints : endpoints.filter(fits))
  const params = makeParams(endpoint, world, random)
  const body = makeBody(endpoint, params["id"] ?? "", world, random)
  const type = random.chance(0.94) ? random.pick(endpoint.allowed) : random.pick(apiKeyTypes)
  const right: Wire = {
    method: endpoint.method,
    path: fillPath(endpoint.path, params) + makeQuery(endpoint, world, random),
    headers: {
      "service-api-key": world.key(type),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(random.chance(0.1) ? { "idempotency-key": `fuzz-${random.below(500)}` } : {})
    },
    body: body === undefined ? undefined : JSON.stringify(body)
  }
  return { endpoint, wire: random.chance(0.42) ? spoil(right, body, random) : right }
}

const spoil = (wire: Wire, body: Record<string, any> | undefined, random: Random): Wire => {
  const spoilt = spoilOnce(wire, body, random)
  return random.chance(0.25) ? spoil(spoilt, body, random) : spoilt
}

const spoilOnce = (wire: Wire, body: Record<string, any> | undefined, random: Random): Wire => {
  const [path, query] = wire.path.split("?") as [string, string?]
  if (body !== undefined && random.chance(0.55)) return { ...wire, body: mutateBody(body, random) }
  switch (random.below(6)) {
    case 0:
      return { ...wire, method: random.pick(oddMethods) }
    case 1:
      return { ...wire, path: spoilPath(path, random) + (query === undefined ? "" : `?${query}`) }
    case 2:
      return { ...wire, headers: { ...wire.headers, ...hostileHeaders(random) } }
    case 3: {
      const { "service-api-key": _, ...headers } = wire.headers
      return { ...wire, headers }
    }
    default: {
      const value = encodeURIComponent(toText(hostileValue(random)))
      const piece = random.chance(0.5)
        ? hostileQuery(random)
        : `${random.pick(["q", "type", "siteId", "perPage"])}=${value}`
      return { ...wire, path: `${path}?${query === undefined ? "" : `${query}&`}${piece}` }
    }
  }
}

const toText = (value: unknown) =>
  (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 2000).toWellFormed()

const spoilPath = (path: string, random: Random) => {
  const segments = path.split("/")
  const at = 1 + random.below(segments.length - 1)
  const inserted = random.chance(0.3) ? [segments[at]!] : []
  return segments.toSpliced(at, 1, ...inserted, hostileSegment(random)).join("/")
}
