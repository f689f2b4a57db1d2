import { isCuid } from "@edp/domain/shared/Cuid"
import type { Site } from "@edp/domain/sites/Site"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Connection } from "./Connection.ts"
import { CliFailure } from "./CliFailure.ts"

interface Found {
  readonly data: ReadonlyArray<{ readonly id: string; readonly name?: string | null }>
}

/** The id of a record that is named by its id, or by its referenceId or its name where exactly one record has that. */
const idByReference = Effect.fnUntraced(function* <E, R>(
  noun: string,
  name: string,
  find: (referenceId: string) => Effect.Effect<Found, E, R>,
  /** The records whose name begins so, where they have one. */
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
    message: `Several ${noun}s are called ${name}: name one by its id`,
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

/** More sites than these are not asked for one by one. */
const MOST_SITES = 20

/** What a person calls a site. */
export const siteLabel = ({ address, name, referenceId }: Site) => name ?? referenceId ?? address.streetOne

/** Names of sites by their ids, as far as there are few and the keys may read them. */
export const siteLabels = Effect.fn("sites.labels")(function* (ids: ReadonlyArray<string>) {
  const distinct = [...new Set(ids)]
  if (distinct.length > MOST_SITES) return new Map<string, string>()
  return yield* Effect.gen(function* () {
    const call = yield* (yield* Connection).endpoint("sites", "get")
    const labels = yield* Effect.forEach(
      distinct,
      (id) => Effect.map(call({ params: { id }, query: {} }), (site) => [id, siteLabel(site)] as const),
      { concurrency: 4 }
    )
    return new Map(labels)
  }).pipe(Effect.orElseSucceed(() => new Map<string, string>()))
})

export const deviceArgument = Argument.String("device").pipe(
  Argument.withDescription("Id of the device, the manufacturer's id of it, or its name")
)

/** A device by its id, or by the manufacturer's id or the name where exactly one device has that. */
export const findDevice = Effect.fn("devices.find")(function* (name: string) {
  const connection = yield* Connection
  if (isCuid(name)) return yield* (yield* connection.endpoint("devices", "get"))({ params: { id: name } })
  const list = yield* connection.endpoint("devices", "list")
  const known = (yield* list({ query: { manufacturerDeviceId: [name], perPage: 5 } })).data
  const named = known.length > 0 ? [] : (yield* list({ query: { q: name, perPage: 100 } })).data
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
      message: `Several devices are called ${name}: name one by its id`,
      details: devices.map(({ id, manufacturer }) => `${id} (${manufacturer})`)
    })
  }
  return device
})
