import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { CustomerNotFound } from "@edp/domain/errors/ApiErrors"
import { type BulkFailure, bulkFailure, decodeItems } from "@edp/domain/errors/Bulk"
import { CreateSite, type CreateSites } from "@edp/domain/sites/Site"
import { Clock, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import { Geocoder } from "../platform/locations/Geocoder.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { type PreparedSite, alreadyExists, prepareSite } from "./newSite.ts"
import { SiteCustomersRepository, SitesRepository } from "./SitesRepository.ts"
import { type SiteFields, withoutKeys } from "./siteRow.ts"

export interface Item<A> {
  readonly index: number
  readonly site: A
}

/** The items that are still valid, and the results of the others. */
interface Sifted<A> {
  readonly items: ReadonlyArray<Item<A>>
  readonly failures: ReadonlyArray<BulkFailure>
}

type Refusal = Parameters<typeof bulkFailure>[1]

/** Splits the items by the result of a step, which returns an error for each refused item. */
const sift = <A, B>(
  { items, failures }: Sifted<A>,
  step: (site: A, index: number) => Result.Result<B, Refusal>
): Sifted<B> => {
  const results = items.map(({ index, site }) => ({ index, result: step(site, index) }))
  return {
    items: results.flatMap(({ index, result }) => (Result.isSuccess(result) ? [{ index, site: result.success }] : [])),
    failures: [
      ...failures,
      ...results.flatMap(({ index, result }) => (Result.isFailure(result) ? [bulkFailure(index, result.failure)] : []))
    ]
  }
}

type Caller = CurrentKey["Service"]

type LocatedSite = SiteFields & Pick<PreparedSite, "customerId">

const decode = decodeItems(CreateSite)

const listCustomerIds = ({ items }: Sifted<Pick<PreparedSite, "customerId">>) =>
  items.flatMap(({ site }) => site.customerId ?? [])

const isUnknown = (customerId: string | undefined, known: ReadonlySet<string>) =>
  customerId !== undefined && !known.has(customerId)

/** Creates many sites at once. An invalid one does not fail the others. */
export const SitesBulk = Effect.gen(function* () {
  const repository = yield* SitesRepository
  const customers = yield* SiteCustomersRepository
  const geocoder = yield* Geocoder
  const outbox = yield* EventOutbox
  const ids = yield* Ids
  const clock = yield* Clock.Clock
  const sql = yield* SqlClient.SqlClient

  const prepare = Effect.fnUntraced(function* (items: ReadonlyArray<unknown>) {
    const { decoded, failures } = decode(items)
    const results = yield* Effect.forEach(decoded, ({ input }) => Effect.result(prepareSite(input)))
    const prepared = decoded.map(({ index }, at) => ({ index, site: results[at]! }))
    return sift({ items: prepared, failures }, (result) => result)
  })

  /** Items that would fail anyway are refused before the geocoder is called, which may cost money. */
  const check = Effect.fnUntraced(function* (workspaceId: string, sifted: Sifted<PreparedSite>) {
    const known = yield* customers.existing(workspaceId, listCustomerIds(sifted))
    const hashes = sifted.items.map(({ site }) => site.address.keys.hash)
    const taken = yield* repository.taken(workspaceId, hashes)
    return sift(sifted, (site) => {
      if (isUnknown(site.customerId, known)) return Result.fail(new CustomerNotFound({}))
      const id = taken.get(site.address.keys.hash)
      return id === undefined ? Result.succeed(site) : Result.fail(alreadyExists(id))
    })
  })

  const locate = Effect.fnUntraced(function* (sifted: Sifted<PreparedSite>) {
    const unlocated = sifted.items.filter(({ site }) => site.given === undefined)
    const locations = yield* geocoder.geocodeAll(unlocated.map(({ site }) => withoutKeys(site.address)))
    const found = new Map(unlocated.map(({ index }, at) => [index, locations[at]!]))
    return sift(sifted, ({ given, ...site }, index) => {
      const location = found.get(index) ?? Result.succeed({ location: given ?? null, county: null })
      return Result.map(location, (one): LocatedSite => ({ ...site, ...one }))
    })
  })

  /** If several items have the same address, the first one with a location is stored. */
  const store = Effect.fnUntraced(function* (workspaceId: string, located: Sifted<LocatedSite>) {
    const known = yield* customers.existing(workspaceId, listCustomerIds(located))
    const now = clock.currentTimeMillisUnsafe()
    const seen = new Map<string, string>()
    const ready = sift(located, (site) => {
      const { hash } = site.address.keys
      if (isUnknown(site.customerId, known)) return Result.fail(new CustomerNotFound({}))
      const first = seen.get(hash)
      if (first !== undefined) return Result.fail(alreadyExists(first))
      const id = ids.nextAt(now)
      seen.set(hash, id)
      return Result.succeed({ ...site, id })
    })
    const sites = ready.items.map(({ site }) => site)
    const stored = yield* repository.insertMany(workspaceId, sites, new Date(now))
    const links = sites.flatMap(({ id, customerId }) =>
      customerId !== undefined && stored.has(id) ? [{ siteId: id, customerId }] : []
    )
    yield* customers.link(workspaceId, links)
    const found = yield* repository.byIds(workspaceId, [...stored])
    yield* outbox.publish(
      found.toReversed().map((site) => ({ type: "SITE_CREATED", workspaceId, data: { site } }) as const)
    )
    const records = new Map(found.map((site) => [site.id, site]))
    // Another request stored these addresses first.
    const late = sites.filter(({ id }) => !stored.has(id)).map(({ address }) => address.keys.hash)
    const taken = late.length === 0 ? new Map<string, string>() : yield* repository.taken(workspaceId, late)
    return sift(ready, ({ id, address }) => {
      const site = records.get(id)
      return site === undefined ? Result.fail(alreadyExists(taken.get(address.keys.hash) ?? id)) : Result.succeed(site)
    })
  })

  return {
    create: Effect.fn("SitesBulk.create")(function* ({ workspaceId }: Caller, { sites }: CreateSites) {
      const located = yield* locate(yield* check(workspaceId, yield* prepare(sites)))
      const { items, failures } = yield* store(workspaceId, located).pipe(transactionsOn(sql))
      const created = items.map((item) => ({ ...item, status: "created" as const }))
      return {
        created: created.length,
        failed: failures.length,
        results: [...created, ...failures].sort((one, other) => one.index - other.index)
      }
    })
  }
})
