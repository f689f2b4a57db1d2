import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type CustomerNotFound,
  type DeletionProtectionEnabled,
  type InvalidLocation,
  type LocationServiceError,
  SiteAlreadyExists,
  SiteNotFound,
  type ValidationError,
  ServiceUnavailable
} from "@edp/domain/errors/ApiErrors"
import { merging } from "@edp/domain/errors/mergePatch"
import { Address, type Coordinates, CoordinatesInput } from "@edp/domain/shared/Address"
import type { PageOf } from "@edp/domain/shared/Page"
import type { CreateSite, Site, SiteFilters, UpdateSite } from "@edp/domain/sites/Site"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import { Geocoder } from "../platform/locations/Geocoder.ts"
import { postalCodeKeys, stateKeys } from "../platform/locations/normalizeAddress.ts"
import { batchedLookup } from "../platform/batching/batched.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate, paginateCounted } from "../platform/sql/lists.ts"
import { changedNames, realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { WeatherProvider } from "../platform/weather/WeatherProvider.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { alreadyExists, distinct, keyed, prepareSite, requireOnEarth } from "./newSite.ts"
import { type Filters, SiteCustomersRepository, SitesRepository } from "./SitesRepository.ts"
import {
  type KeyedAddress,
  type LocatedAddress,
  type SiteFields,
  toSite,
  withoutKeys,
  changedForDevices,
  type SiteChange
} from "./siteRow.ts"
import { SitesOfCustomer } from "../customers/Customers.ts"
import { siteTable } from "./siteTable.ts"

/**
 * The port through which sites reach their devices. The slice `devices` implements it, because slices import earlier ones
 * only.
 */
export class DevicesOfSite extends Context.Service<
  DevicesOfSite,
  {
    /** Removes the devices from a site that is being deleted, in its transaction, and publishes their changes. */
    readonly leave: (workspaceId: string, siteId: string) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Publishes the changes of devices that follow from a change of their site, in its transaction. Only the first few hundred
     * devices are published there; the transaction records the rest for the background job.
     */
    readonly publishChange: (site: Site, change: SiteChange) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/DevicesOfSite") {}

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof SiteFilters>
type Misplaced = InvalidLocation | LocationServiceError | SiteAlreadyExists

const toFilters = ({ state, postalCode, ...query }: Query): Filters => ({
  referenceIds: query.referenceId,
  customerIds: query.customerId,
  stateKeys: state?.flatMap(stateKeys),
  postalKeys: postalCode?.flatMap(postalCodeKeys),
  tag: query.tag,
  q: query.q
})

const mergedAddress = merging(Address, "address")
const mergedLocation = merging(CoordinatesInput, "location")

/** Whether a change leaves a site as it is. The county follows from the location. */
const isSoAlready = (site: Site, { address, ...fields }: Partial<SiteFields>) => {
  const { county = undefined, ...others } = { ...fields, ...(address && { address: withoutKeys(address) }) }
  return realChanges({ ...site, county }, others) === undefined
}

/** How often a change is decided again because another one came between. */
const MOST_TRIES = 10

/** Physical locations where devices are. The geocoder is never called inside a transaction. */
export class Sites extends Context.Service<
  Sites,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Site>, DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      include?: "weather"
    ) => Effect.Effect<Site, SiteNotFound | DatabaseUnavailable>
    /** The sites of the workspace among the ids, newest first. */
    readonly byIds: (
      workspaceId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Site>, DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateSite
    ) => Effect.Effect<Site, ValidationError | CustomerNotFound | Misplaced | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateSite
    ) => Effect.Effect<Site, ValidationError | SiteNotFound | Misplaced | ServiceUnavailable>
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<void, SiteNotFound | DeletionProtectionEnabled | DatabaseUnavailable>
    /** Finds the coordinates of an address by the geocoder, unless a site of the workspace has the address. Outside of transactions. */
    readonly locate: (
      workspaceId: string,
      address: Address
    ) => Effect.Effect<LocatedAddress, ValidationError | InvalidLocation | LocationServiceError | DatabaseUnavailable>
    /** The id of the workspace's site with the address; it is created if there is none. Joins the caller's transaction. */
    readonly findOrCreate: (workspaceId: string, located: LocatedAddress) => Effect.Effect<string, DatabaseUnavailable>
  }
>()("@edp/server/Sites") {
  static readonly layer = Layer.effect(
    Sites,
    Effect.gen(function* () {
      const repository = yield* SitesRepository
      const customers = yield* SiteCustomersRepository
      const workspaces = yield* Workspaces
      const geocoder = yield* Geocoder
      const weather = yield* WeatherProvider
      const devices = yield* DevicesOfSite
      const outbox = yield* EventOutbox
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)

      /** Concurrent reads share a statement. */
      const find = yield* batchedLookup(
        (ids: ReadonlyArray<string>) =>
          Effect.map(repository.load([...new Set(ids)]), (found) => new Map(found.map((site) => [site.id, site]))).pipe(
            Effect.withSpan("Sites.find", { attributes: { sites: ids.length } })
          ),
        (id) => id
      )

      /** Adds the id of the site that has the address to the error for a taken address. */
      const named = <A, E>(
        { workspaceId }: Caller,
        address: KeyedAddress | undefined,
        stored: Effect.Effect<A, E | SiteAlreadyExists>
      ) =>
        Effect.catchIf(
          stored,
          (error): error is SiteAlreadyExists => address !== undefined && error instanceof SiteAlreadyExists,
          (error) =>
            Effect.flatMap(repository.taken(workspaceId, [address!.keys.hash]), (taken) => {
              const id = taken.get(address!.keys.hash)
              return Effect.fail(id === undefined ? error : alreadyExists(id))
            })
        )

      /** A taken address is refused before the geocoder is called, which may cost money. */
      const locate = Effect.fnUntraced(function* (caller: Caller, address: KeyedAddress) {
        const { hash } = address.keys
        const id = (yield* repository.taken(caller.workspaceId, [hash])).get(hash)
        if (id !== undefined) return yield* alreadyExists(id)
        return yield* geocoder.geocode(withoutKeys(address))
      })

      /** The location after a change: a new address is geocoded; coordinates alone keep the county. */
      const relocated = (
        location: Coordinates | null | undefined,
        newAddress: KeyedAddress | undefined,
        geocode: (address: KeyedAddress) => ReturnType<typeof locate>
      ) => {
        if (location === undefined) return newAddress ? geocode(newAddress) : Effect.succeed({})
        return Effect.succeed({ location, ...(newAddress && { county: null }) })
      }

      /** Returns nothing if the site was changed or deleted after it was read. */
      const store = (workspaceId: string, read: Site, addressHash: string, changes: Partial<SiteFields>) =>
        Effect.gen(function* () {
          const { id } = read
          yield* repository.lock(workspaceId, id)
          const [before] = yield* repository.get(workspaceId, id)
          if (before?.updatedAt !== read.updatedAt) return undefined
          if (isSoAlready(before, changes)) return before
          const now = new Date(yield* Clock.currentTimeMillis)
          const [site] = yield* repository.update(workspaceId, id, addressHash, changes, now)
          if (site === undefined) return undefined
          const changed = changedNames(before, site)
          if (changed.length === 0) return site
          yield* outbox.publish([{ type: "SITE_UPDATED", workspaceId, data: { site } }])
          const shown = changedForDevices(changed)
          if (shown.length > 0) yield* devices.publishChange(site, { location: before.location, changed: shown })
          return site
        }).pipe(transaction)

      /** The change as it is stored; undefined if another change came between, so that it must be decided again. */
      const attempt = Effect.fnUntraced(function* (
        caller: Caller,
        id: string,
        { address: given, location: moved, tags, ...plain }: UpdateSite,
        geocode: (address: KeyedAddress) => ReturnType<typeof locate>
      ) {
        const [before] = yield* repository.addressHash(caller.workspaceId, id)
        const [read] = yield* repository.get(caller.workspaceId, id)
        if (before === undefined || read === undefined) return yield* new SiteNotFound({})
        const address = given && (yield* keyed(yield* mergedAddress(read.address, given)))
        const location = moved && (yield* mergedLocation(read.location, moved))
        yield* requireOnEarth(location)
        const changes: Partial<SiteFields> = {
          ...plain,
          ...(address && { address }),
          ...(tags && { tags: distinct(tags) }),
          ...(yield* relocated(location, address?.keys.hash === before.addressHash ? undefined : address, geocode))
        }
        return yield* named(caller, address, store(caller.workspaceId, read, before.addressHash, changes))
      })

      const update = Effect.fnUntraced(function* (caller: Caller, id: string, input: UpdateSite) {
        const found = new Map<string, Effect.Success<ReturnType<typeof locate>>>()
        const geocode = Effect.fnUntraced(function* (address: KeyedAddress) {
          const located = found.get(address.keys.hash) ?? (yield* locate(caller, address))
          found.set(address.keys.hash, located)
          return located
        })
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const site = yield* attempt(caller, id, input, geocode)
          if (site !== undefined) return site
        }
        return yield* new ServiceUnavailable({ message: "Other requests keep changing the site; try again" })
      })

      return {
        list: Effect.fn("Sites.list")(function* (caller, query) {
          const { workspaceId } = caller
          const filters = toFilters(query)
          if (Object.values(filters).every((filter) => filter === undefined)) {
            const page = (limit: number, offset: number) => repository.page(workspaceId, limit, offset)
            return yield* paginateCounted(query, 10, page, repository.count(workspaceId, filters), toSite)
          }
          const matches = yield* repository.count(workspaceId, filters)
          const list = (limit: number, offset: number) => repository.list(workspaceId, filters, matches, limit, offset)
          return yield* paginate(query, 10, list, Effect.succeed(matches))
        }),
        get: Effect.fn("Sites.get")(function* (caller, id, include) {
          const site = yield* find(id)
          if (site?.workspaceId !== caller.workspaceId) return yield* new SiteNotFound({})
          if (include === undefined) return site
          return { ...site, weather: site.location && (yield* weather.current(site.location)) }
        }),
        byIds: Effect.fn("Sites.byIds")(repository.byIds),
        create: Effect.fn("Sites.create")(function* (caller, input) {
          const { workspaceId } = caller
          const { given, customerId, ...fields } = yield* prepareSite(input)
          if (customerId !== undefined) yield* customers.requireCustomer(workspaceId, customerId)
          const located = given ? { location: given, county: null } : yield* locate(caller, fields.address)
          const now = new Date(yield* Clock.currentTimeMillis)
          return yield* Effect.gen(function* () {
            if (customerId !== undefined) yield* customers.requireCustomer(workspaceId, customerId)
            const [stored] = yield* repository.insert(yield* ids.next, workspaceId, { ...fields, ...located }, now)
            if (customerId !== undefined) yield* customers.link(workspaceId, [{ siteId: stored!.id, customerId }])
            const site = customerId === undefined ? stored! : { ...stored!, customerIds: [customerId] }
            yield* outbox.publish([{ type: "SITE_CREATED", workspaceId, data: { site } }])
            return site
          }).pipe(transaction, (stored) => named(caller, fields.address, stored))
        }),
        locate: Effect.fn("Sites.locate")(function* (workspaceId, input) {
          const address = yield* keyed(input)
          const { hash } = address.keys
          const isTaken = (yield* repository.taken(workspaceId, [hash])).has(hash)
          const located = isTaken ? { location: null, county: null } : yield* geocoder.geocode(withoutKeys(address))
          return { address: withoutKeys(address), ...located }
        }),
        findOrCreate: Effect.fn("Sites.findOrCreate")(function* (workspaceId, { address: given, ...located }) {
          const address = yield* Effect.orDie(keyed(given))
          const { hash } = address.keys
          const find = Effect.map(repository.taken(workspaceId, [hash]), (taken) => taken.get(hash))
          const found = yield* find
          if (found !== undefined) return found
          const unset = { name: null, referenceId: null, timezone: null, tags: [], maxImportW: null, maxExportW: null }
          const fields = { ...unset, address, ...located }
          const create = Effect.gen(function* () {
            const now = new Date(yield* Clock.currentTimeMillis)
            const [site] = yield* repository.insert(yield* ids.next, workspaceId, fields, now)
            yield* outbox.publish([{ type: "SITE_CREATED", workspaceId, data: { site: site! } }])
            return site!.id
          }).pipe(transaction)
          // Another request may have created it meanwhile.
          return yield* Effect.catchTag(create, "SITE_ALREADY_EXISTS", () => Effect.map(find, (id) => id!))
        }),
        update: Effect.fn("Sites.update")(update),
        remove: Effect.fn("Sites.remove")((caller, id) =>
          Effect.gen(function* () {
            const { workspaceId } = caller
            yield* repository.lockForRemoval(workspaceId, id)
            const [site] = yield* repository.get(workspaceId, id)
            if (site === undefined) return yield* new SiteNotFound({})
            yield* workspaces.requireDeletable(workspaceId)
            yield* devices.leave(workspaceId, id)
            const [removed] = yield* repository.remove(workspaceId, id)
            if (removed === undefined) return yield* new SiteNotFound({})
            yield* outbox.publish([{ type: "SITE_DELETED", workspaceId, data: { site } }])
          }).pipe(transaction)
        )
      }
    })
  )
}

/** Implements the port of customers. */
export const CustomerSitesLive = Layer.effect(
  SitesOfCustomer,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { owners, requireSite } = siteTable(sql)
    return { owners, require: requireSite }
  })
)
