import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type DeletionProtectionEnabled,
  InvalidLocation,
  type LocationServiceError,
  SiteAlreadyExists,
  SiteNotFound,
  type ValidationError
} from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import type { Address } from "@edp/domain/shared/Address"
import type { Coordinates } from "@edp/domain/shared/Coordinates"
import type { PageOf } from "@edp/domain/shared/Page"
import type { CreateSite, Site, SiteFilters, UpdateSite } from "@edp/domain/sites/Site"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { addressKeys, postalCodeKeys, stateKeys } from "../locations/addressKeys.ts"
import { Geocoder } from "../locations/Geocoder.ts"
import { Ids } from "../sql/Ids.ts"
import { paginate } from "../sql/paginate.ts"
import { inTransaction } from "../sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import type { KeyedAddress, SiteFields } from "./siteRow.ts"
import { type Filters, SitesRepository } from "./SitesRepository.ts"
import { blankLines, tidyAddress } from "./tidyAddress.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof SiteFilters>
type Misplaced = InvalidLocation | LocationServiceError | SiteAlreadyExists

const keyed = (given: Address): Effect.Effect<KeyedAddress, ValidationError> => {
  const details = blankLines(given)
  if (Object.keys(details).length > 0) return Effect.fail(invalid(details))
  const address = tidyAddress(given)
  return Effect.succeed({ ...address, keys: addressKeys(address) })
}

const requireOnEarth = (location: Coordinates | null | undefined) =>
  location && !(Math.abs(location.latitude) <= 90 && Math.abs(location.longitude) <= 180)
    ? Effect.fail(new InvalidLocation({ message: "Latitude is from -90 to 90 degrees, longitude from -180 to 180" }))
    : Effect.void

const filtersOf = ({ state, postalCode, ...query }: Query): Filters => ({
  referenceId: query.referenceId,
  customerId: query.customerId,
  stateKeys: state === undefined ? undefined : stateKeys(state),
  postalKeys: postalCode === undefined ? undefined : postalCodeKeys(postalCode),
  tag: query.tag,
  q: query.q
})

const distinct = (tags: ReadonlyArray<string>) => [...new Set(tags)]

/** Physical places where devices are. The geocoder is never asked inside a transaction. */
export class Sites extends Context.Service<
  Sites,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Site>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Site, SiteNotFound>
    /** Those of the ids that are sites of the workspace, newest first. */
    readonly byIds: (workspaceId: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Site>>
    readonly create: (caller: Caller, input: CreateSite) => Effect.Effect<Site, ValidationError | Misplaced>
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
      const workspaces = yield* Workspaces
      const geocoder = yield* Geocoder
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient

      /** A taken address is told before the geocoder is asked, which may cost something. */
      const locate = Effect.fnUntraced(function* (caller: Caller, { keys, ...address }: KeyedAddress) {
        if (yield* repository.isTaken(caller.workspaceId, keys.hash)) return yield* new SiteAlreadyExists({})
        return yield* geocoder.geocode(address)
      })

      /** Where a change puts the site: a new address has a new place, and coordinates alone leave the county. */
      const relocated = (caller: Caller, input: UpdateSite, newAddress: KeyedAddress | undefined) => {
        if (input.location === undefined) return newAddress ? locate(caller, newAddress) : Effect.succeed({})
        return Effect.succeed({ location: input.location, ...(newAddress && { county: null }) })
      }

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
          const now = new Date(yield* Clock.currentTimeMillis)
          const [site] = yield* repository.update(caller.workspaceId, id, before.addressHash, changes, now)
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
        get: Effect.fn("Sites.get")(function* (caller, id) {
          const [site] = yield* repository.get(caller.workspaceId, id)
          return site ?? (yield* new SiteNotFound({}))
        }),
        byIds: Effect.fn("Sites.byIds")(repository.byIds),
        create: Effect.fn("Sites.create")(function* (caller, input) {
          const address = yield* keyed(input.address)
          yield* requireOnEarth(input.location)
          const place = input.location ? { location: input.location, county: null } : yield* locate(caller, address)
          const fields = {
            ...place,
            address,
            name: input.name ?? null,
            referenceId: input.referenceId ?? null,
            timezone: input.timezone ?? null,
            tags: distinct(input.tags ?? [])
          }
          const now = new Date(yield* Clock.currentTimeMillis)
          const [site] = yield* repository.insert(yield* ids.next, caller.workspaceId, fields, now)
          return site!
        }),
        update: Effect.fn("Sites.update")(update),
        remove: Effect.fn("Sites.remove")((caller, id) =>
          Effect.gen(function* () {
            const [site] = yield* repository.addressHash(caller.workspaceId, id)
            if (site === undefined) return yield* new SiteNotFound({})
            yield* workspaces.requireDeletable(caller.workspaceId)
            yield* repository.unlinkDevices(id, new Date(yield* Clock.currentTimeMillis))
            const [removed] = yield* repository.remove(caller.workspaceId, id)
            if (removed === undefined) return yield* new SiteNotFound({})
          }).pipe(inTransaction, Effect.provideService(SqlClient.SqlClient, sql))
        )
      }
    })
  )
}
