import type { InvalidLocation, LocationServiceError, ValidationError } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Ids } from "../platform/Ids.ts"
import { Geocoder } from "../platform/locations/Geocoder.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { keyed } from "./newSite.ts"
import { SitesRepository } from "./SitesRepository.ts"
import { type KeyedAddress, type LocatedAddress, withoutKeys } from "./siteRow.ts"

type Misplaced = InvalidLocation | LocationServiceError
type Located = Omit<LocatedAddress, "address">

/** Sites that are known by their addresses alone, in sets. */
export class SiteLocations extends Context.Service<
  SiteLocations,
  {
    /** The form in which an address is stored, with its keys. */
    readonly check: (address: Address) => Effect.Effect<KeyedAddress, ValidationError>
    /** The workspace's sites with these addresses, by the hashes of the addresses. */
    readonly find: (
      workspaceId: string,
      addresses: ReadonlyArray<KeyedAddress>
    ) => Effect.Effect<ReadonlyMap<string, string>, DatabaseUnavailable>
    /**
     * The coordinates of each address, by its hash. The geocoder is asked for those that no site of the workspace has. Outside of
     * transactions.
     */
    readonly locate: (
      workspaceId: string,
      addresses: ReadonlyArray<KeyedAddress>
    ) => Effect.Effect<ReadonlyMap<string, Result.Result<Located, Misplaced>>, DatabaseUnavailable>
    /** The sites with these addresses, by their hashes; creates missing ones. Joins the caller's transaction. */
    readonly findOrCreate: (
      workspaceId: string,
      locations: ReadonlyArray<Located & { readonly address: KeyedAddress }>
    ) => Effect.Effect<ReadonlyMap<string, string>, DatabaseUnavailable>
  }
>()("@edp/server/SiteLocations") {
  static readonly layer = Layer.effect(
    SiteLocations,
    Effect.gen(function* () {
      const repository = yield* SitesRepository
      const geocoder = yield* Geocoder
      const outbox = yield* EventOutbox
      const ids = yield* Ids

      const byHash = <A extends { readonly keys: KeyedAddress["keys"] }>(addresses: ReadonlyArray<A>) =>
        new Map(addresses.map((address) => [address.keys.hash, address]))

      const find = Effect.fnUntraced(function* (workspaceId: string, hashes: ReadonlyArray<string>) {
        return hashes.length === 0 ? new Map<string, string>() : yield* repository.taken(workspaceId, hashes)
      })

      return {
        check: keyed,
        find: (workspaceId, addresses) => find(workspaceId, [...byHash(addresses).keys()]),
        locate: Effect.fn("SiteLocations.locate")(function* (workspaceId, addresses) {
          const distinct = byHash(addresses)
          const known = yield* find(workspaceId, [...distinct.keys()])
          const unknown = [...distinct.values()].filter(({ keys }) => !known.has(keys.hash))
          const locations = unknown.length === 0 ? [] : yield* geocoder.geocodeAll(unknown.map(withoutKeys))
          const nowhere = Result.succeed({ location: null, county: null })
          return new Map<string, Result.Result<Located, Misplaced>>([
            ...[...known.keys()].map((hash) => [hash, nowhere] as const),
            ...unknown.map(({ keys }, at) => [keys.hash, locations[at]!] as const)
          ])
        }),
        findOrCreate: Effect.fn("SiteLocations.findOrCreate")(function* (workspaceId, locations) {
          const distinct = new Map(locations.map((location) => [location.address.keys.hash, location]))
          const known = yield* find(workspaceId, [...distinct.keys()])
          const missing = [...distinct.values()].filter(({ address }) => !known.has(address.keys.hash))
          if (missing.length === 0) return known
          const now = yield* Clock.currentTimeMillis
          const rows = missing.map((location) => ({
            ...location,
            id: ids.nextAt(now),
            name: null,
            referenceId: null,
            timezone: null,
            tags: [],
            maxImportW: null,
            maxExportW: null
          }))
          const stored = yield* repository.insertMany(workspaceId, rows, new Date(now))
          const created = yield* repository.byIds(workspaceId, [...stored])
          yield* outbox.publish(
            created.toReversed().map((site) => ({ type: "SITE_CREATED", workspaceId, data: { site } }) as const)
          )
          // Another request may have created some meanwhile.
          return yield* find(workspaceId, [...distinct.keys()])
        })
      }
    })
  )
}
