import { isCuid } from "@edp/domain/shared/Cuid"
import type { Site } from "@edp/domain/sites/Site"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Connection, request } from "./Connection.ts"
import { CliFailure } from "./CliFailure.ts"

interface Found {
  readonly data: ReadonlyArray<{ readonly id: string; readonly name?: string | null }>
}

/** Resolves an id, a referenceId or a name, which exactly one record must have. */
const idByReference = Effect.fnUntraced(function* <E, R>(
  noun: string,
  name: string,
  find: (referenceId: string) => Effect.Effect<Found, E, R>,
  /** Finds records by the beginning of their name, if they have names. */
  search?: (beginning: string) => Effect.Effect<Found, E, R>
) {
  if (isCuid(name)) return name
  const referenced = (yield* find(name)).data
  const named = referenced.length > 0 || search === undefined ? [] : (yield* search(name)).data
  const data = [...referenced, ...named.filter((record) => record.name === name)]
  const [record, another] = data
  if (record === undefined) {
    return yield* new CliFailure({
      code: `${noun.toUpperCase()}_NOT_FOUND`,
      message: `There is no ${noun} with the id${search === undefined ? " or referenceId" : ", referenceId or name"} ${name}`
    })
  }
  if (another === undefined) return record.id
  return yield* new CliFailure({
    code: `${noun.toUpperCase()}_AMBIGUOUS`,
    message: `Several ${noun}s are called ${name}: use an id`,
    details: data.map(({ id }) => id)
  })
})

export const customerArgument = Argument.String("customer").pipe(
  Argument.withDescription("Id of the customer, or their referenceId")
)

export const customerId = Effect.fn("customers.find")(function* (name: string) {
  const list = yield* (yield* Connection).endpoint("customers", "list")
  return yield* idByReference("customer", name, (referenceId) =>
    list({ query: { referenceId: [referenceId], perPage: 5 } })
  )
})

export const siteArgument = Argument.String("site").pipe(
  Argument.withDescription("Id of the site, its referenceId or its name")
)

export const siteId = Effect.fn("sites.find")(function* (name: string) {
  const list = yield* (yield* Connection).endpoint("sites", "list")
  return yield* idByReference(
    "site",
    name,
    (referenceId) => list({ query: { referenceId: [referenceId], perPage: 5 } }),
    (q) => list({ query: { q, perPage: 100 } })
  )
})

export const instanceArgument = Argument.String("instance").pipe(
  Argument.withDescription("Id of the program instance, or its slug")
)

/** Finds a program instance of the workspace by its id or its slug. */
export const findInstance = Effect.fn("programInstances.find")(function* (name: string) {
  if (isCuid(name)) return yield* request("programInstances", "get", { params: { id: name } })
  const { data } = yield* request("programInstances", "list", { query: { slug: [name] } })
  if (data[0] !== undefined) return data[0]
  return yield* new CliFailure({
    code: "NOT_FOUND",
    message: `There is no program instance with the id or slug ${name}`
  })
})

/** For more records, one request each would take too long. */
const MOST_LABELS = 20

/** Labels by id; none where there are many ids or no key may read the records. */
const labelsFor = <E, R>(
  ids: ReadonlyArray<string>,
  label: (id: string) => Effect.Effect<string, E, R>
): Effect.Effect<ReadonlyMap<string, string>, never, R> => {
  const distinct = [...new Set(ids)]
  if (distinct.length > MOST_LABELS) return Effect.succeed(new Map())
  return Effect.forEach(distinct, (id) => Effect.map(label(id), (found) => [id, found] as const), {
    concurrency: 4
  }).pipe(
    Effect.map((labels) => new Map(labels)),
    Effect.orElseSucceed(() => new Map<string, string>())
  )
}

/** The site's name, else its reference or street. */
export const siteLabel = ({ address, name, referenceId }: Site) => name ?? referenceId ?? address.streetOne

export const siteLabels = (ids: ReadonlyArray<string>) =>
  labelsFor(ids, (id) => Effect.map(request("sites", "get", { params: { id }, query: {} }), siteLabel))

export const deviceNames = (ids: ReadonlyArray<string>) =>
  labelsFor(ids, (id) => Effect.map(request("devices", "get", { params: { id } }), ({ name }) => name))

export const deviceArgument = Argument.String("device").pipe(
  Argument.withDescription("Id of the device, the manufacturer's id of it, or its name")
)

/** Finds a device by its id, the manufacturer's id or its name, which exactly one device must have. */
export const findDevice = Effect.fn("devices.find")(function* (name: string) {
  const connection = yield* Connection
  if (isCuid(name)) return yield* (yield* connection.endpoint("devices", "get"))({ params: { id: name } })
  const list = yield* connection.endpoint("devices", "list")
  const include = "commandDetails"
  const known = (yield* list({ query: { manufacturerDeviceId: [name], perPage: 5, include } })).data
  const named = known.length > 0 ? [] : (yield* list({ query: { q: name, perPage: 100, include } })).data
  const devices = [...known, ...named.filter((device) => device.name === name)]
  const [device, another] = devices
  if (device === undefined) {
    return yield* new CliFailure({
      code: "DEVICE_NOT_FOUND",
      message: `There is no device with the id, manufacturer's id or name ${name}`
    })
  }
  if (another !== undefined) {
    return yield* new CliFailure({
      code: "DEVICE_AMBIGUOUS",
      message: `Several devices are called ${name}: use an id`,
      details: devices.map(({ id, manufacturer }) => `${id} (${manufacturer})`)
    })
  }
  return device
})
