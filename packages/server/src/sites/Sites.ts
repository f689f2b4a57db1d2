import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type CustomerNotFound,
  type DeletionProtectionEnabled,
  type InvalidLocation,
  type LocationServiceError,
  SiteAlreadyExists,
  SiteNotFound,
  type ValidationError
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import type { CreateSite, Site, SiteFilters, UpdateSite } from "@edp/domain/sites/Site"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EventOutbox } from "../events/EventOutbox.ts"
import { postalCodeKeys, stateKeys } from "../locations/addressKeys.ts"
import { Geocoder } from "../locations/Geocoder.ts"
import { changedNames } from "../sql/changedNames.ts"
import { Ids } from "../sql/Ids.ts"
import { paginate } from "../sql/paginate.ts"
import { transactionsOn } from "../sql/transaction.ts"
import { WeatherProvider } from "../weather/WeatherProvider.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { DevicesOfSite } from "./DevicesOfSite.ts"
import { distinct, keyed, prepareSite, requireOnEarth } from "./PreparedSite.ts"
import { changedForDevices } from "./siteChange.ts"
import { SiteCustomersRepository } from "./SiteCustomersRepository.ts"
import { type KeyedAddress, type SiteFields, withoutKeys } from "./siteRow.ts"
import { type Filters, SitesRepository } from "./SitesRepository.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof SiteFilters>
type Misplaced = InvalidLocation | LocationServiceError | SiteAlreadyExists

const filtersOf = ({ state, postalCode, ...query }: Query): Filters => ({
  referenceIds: query.referenceId,
  customerIds: query.customerId,
  stateKeys: state?.flatMap(stateKeys),
  postalKeys: postalCode?.flatMap(postalCodeKeys),
  tag: query.tag,
  q: query.q
})

/** Physical places where devices are. The geocoder is never asked inside a transaction. */
export class Sites extends Context.Service<
  Sites,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Site>>
    readonly get: (caller: Caller, id: string, include?: "weather") => Effect.Effect<Site, SiteNotFound>
    /** Those of the ids that are sites of the workspace, newest first. */
    readonly byIds: (workspaceId: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Site>>
    readonly create: (
      caller: Caller,
      input: CreateSite
    ) => Effect.Effect<Site, ValidationError | CustomerNotFound | Misplaced>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateSite
    ) => Effect.Effect<Site, ValidationError | SiteNotFound | Misplaced>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, SiteNotFound | DeletionProtectionEnabled>
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

      /** A taken address is told before the geocoder is asked, which may cost something. */
      const locate = Effect.fnUntraced(function* (caller: Caller, address: KeyedAddress) {
        const [taken] = yield* repository.taken(caller.workspaceId, [address.keys.hash])
        if (taken !== undefined) return yield* new SiteAlreadyExists({})
        return yield* geocoder.geocode(withoutKeys(address))
      })

      /** Where a change puts the site: a new address has a new place, and coordinates alone leave the county. */
      const relocated = (caller: Caller, input: UpdateSite, newAddress: KeyedAddress | undefined) => {
        if (input.location === undefined) return newAddress ? locate(caller, newAddress) : Effect.succeed({})
        return Effect.succeed({ location: input.location, ...(newAddress && { county: null }) })
      }

      /** Answers nothing where the address has changed since its hash was read, or the site is gone. */
      const store = (workspaceId: string, id: string, addressHash: string, changes: Partial<SiteFields>) =>
        Effect.gen(function* () {
          yield* repository.lock(workspaceId, id)
          const [before] = yield* repository.get(workspaceId, id)
          const now = new Date(yield* Clock.currentTimeMillis)
          const [site] = yield* repository.update(workspaceId, id, addressHash, changes, now)
          if (before === undefined || site === undefined) return site
          const changed = changedNames(before, site)
          if (changed.length === 0) return site
          yield* outbox.publish([{ type: "SITE_UPDATED", workspaceId, data: { site } }])
          const told = changedForDevices(changed)
          if (told.length > 0) yield* devices.tell(site, { location: before.location, changed: told })
          return site
        }).pipe(transaction)

      const update = (
        caller: Caller,
        id: string,
        input: UpdateSite
      ): Effect.Effect<Site, ValidationError | SiteNotFound | Misplaced> =>
        Effect.gen(function* () {
          const { address: given, location, tags, ...plain } = input
          const address = given && (yield* keyed(given))
          yield* requireOnEarth(location)
          const [before] = yield* repository.addressHash(caller.workspaceId, id)
          if (before === undefined) return yield* new SiteNotFound({})
          const changes: Partial<SiteFields> = {
            ...plain,
            ...(address && { address }),
            ...(tags && { tags: distinct(tags) }),
            ...(yield* relocated(caller, input, address?.keys.hash === before.addressHash ? undefined : address))
          }
          const site = yield* store(caller.workspaceId, id, before.addressHash, changes)
          // Another change of the address came between: what was decided above may be wrong now.
          return site ?? (yield* update(caller, id, input))
        })

      return {
        list: Effect.fn("Sites.list")(function* (caller, query) {
          const filters = filtersOf(query)
          const matches = yield* repository.count(caller.workspaceId, filters)
          const list = (limit: number, offset: number) =>
            repository.list(caller.workspaceId, filters, matches, limit, offset)
          return yield* paginate(query, 10, list, Effect.succeed(matches))
        }),
        get: Effect.fn("Sites.get")(function* (caller, id, include) {
          const [site] = yield* repository.get(caller.workspaceId, id)
          if (site === undefined) return yield* new SiteNotFound({})
          if (include === undefined) return site
          return { ...site, weather: site.location && (yield* weather.current(site.location)) }
        }),
        byIds: Effect.fn("Sites.byIds")(repository.byIds),
        create: Effect.fn("Sites.create")(function* (caller, input) {
          const { workspaceId } = caller
          const { given, customerId, ...fields } = yield* prepareSite(input)
          if (customerId !== undefined) yield* customers.requireCustomer(workspaceId, customerId)
          const place = given ? { location: given, county: null } : yield* locate(caller, fields.address)
          const now = new Date(yield* Clock.currentTimeMillis)
          return yield* Effect.gen(function* () {
            if (customerId !== undefined) yield* customers.requireCustomer(workspaceId, customerId)
            const [stored] = yield* repository.insert(yield* ids.next, workspaceId, { ...fields, ...place }, now)
            if (customerId !== undefined) yield* customers.link(workspaceId, [{ siteId: stored!.id, customerId }])
            const site = customerId === undefined ? stored! : { ...stored!, customerIds: [customerId] }
            yield* outbox.publish([{ type: "SITE_CREATED", workspaceId, data: { site } }])
            return site
          }).pipe(transaction)
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
