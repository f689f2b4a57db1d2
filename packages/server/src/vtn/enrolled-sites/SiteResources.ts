import { isDeepStrictEqual } from "node:util"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../platform/Ids.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { VtnObjects } from "../objects/VtnObjects.ts"
import type { VtnRefusal } from "../problem.ts"
import { nameForms, type ShownSite, siteAttributes, siteNames, siteTargets } from "./shownSite.ts"
import { siteResourceLimits as limits } from "./siteResourceLimits.ts"
import {
  type NotedWork,
  SHOWING,
  type SiteOfClient,
  SiteResourcesRepository,
  type SiteWork
} from "./SiteResourcesRepository.ts"

/** The next sites of a walk through a customer or a scope. */
interface WalkPage {
  readonly siteIds: ReadonlyArray<string>
  /** Work that the walk leaves to others. */
  readonly noted: ReadonlyArray<NotedWork>
  /** The id after which it goes on; undefined at its end. */
  readonly reached: string | undefined
}

/** A row of a site that exists. */
const toShownSite = (row: SiteOfClient): ShownSite => ({
  id: row.siteId,
  name: row.name,
  streetOne: row.streetOne!,
  streetTwo: row.streetTwo,
  city: row.city!,
  state: row.state!,
  postalCode: row.postalCode!,
  latitude: row.latitude,
  longitude: row.longitude,
  tags: row.tags!
})

/** Whether a resource no longer shows its site. It keeps a name that it may have: those who report by it know it. */
const isOutdated = (row: SiteOfClient) => {
  if (row.resourceId === null) return true
  const site = toShownSite(row)
  return (
    !siteNames(site).some((name) => name === row.body?.resourceName) ||
    !isDeepStrictEqual(row.body?.attributes, siteAttributes(site)) ||
    !isDeepStrictEqual(row.targets ?? [], siteTargets(site))
  )
}

const lastId = (rows: ReadonlyArray<{ readonly id: string }>, limit: number) =>
  rows.length < limit ? undefined : rows.at(-1)!.id

/** The enrolled sites in the scopes of clients, as resources of their vens. */
export class SiteResources extends Context.Service<
  SiteResources,
  {
    /** Makes the ven of a new client. Joins the caller's transaction. */
    readonly beginVen: (
      workspaceId: string,
      client: { readonly id: string; readonly name: string }
    ) => Effect.Effect<string, DatabaseUnavailable>
    /** Brings some resources of one workspace up to date with its sites. Returns how much work it has done. */
    readonly showSome: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until work is due. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/vtn/SiteResources") {
  static readonly layer = Layer.effect(
    SiteResources,
    Effect.gen(function* () {
      const repository = yield* SiteResourcesRepository
      const objects = yield* VtnObjects
      const ids = yield* Ids
      const isolation = yield* makeIsolation(SHOWING)
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      /** Objects that the platform writes itself are valid. A name that was taken meanwhile is found taken by the next attempt. */
      const written = <A>(effect: Effect.Effect<A, VtnRefusal | DatabaseUnavailable>) =>
        Effect.catchTag(effect, "VtnRefusal", (refused) => Effect.die(refused))

      const beginVen = Effect.fnUntraced(function* (
        workspaceId: string,
        client: { readonly id: string; readonly name: string }
      ) {
        const [name, ownName] = nameForms(client.name, client.id)
        const named = (venName: string) =>
          transaction(objects.store(workspaceId, "vens", undefined, { clientID: client.id, venName }))
        return yield* Effect.catchTag(named(name), "VtnRefusal", () => written(named(ownName)))
      })

      /** The vens of clients, by the clients' ids. Those that are missing are made. */
      const findVens = Effect.fnUntraced(function* (workspaceId: string, clientIds: ReadonlyArray<string>) {
        const found = yield* repository.holdVens(workspaceId, clientIds)
        const vens = new Map(found.map(({ clientId, id }) => [clientId, id]))
        const missing = yield* repository.clientNames(
          workspaceId,
          clientIds.filter((id) => !vens.has(id))
        )
        for (const client of missing) vens.set(client.id, yield* beginVen(workspaceId, client))
        return vens
      })

      const change = Effect.fnUntraced(function* (workspaceId: string, rows: ReadonlyArray<SiteOfClient>) {
        const gone = rows.filter(({ isInScope }) => !isInScope)
        yield* Effect.forEach(
          gone,
          ({ resourceId }) => written(objects.discard(workspaceId, "resources", resourceId!)),
          { discard: true }
        )
        const stored = rows.filter(({ isInScope }) => isInScope)
        if (stored.length === 0) return
        const vens = yield* findVens(workspaceId, [...new Set(stored.map(({ clientId }) => clientId))])
        const wanted = stored.map((row) => {
          const site = toShownSite(row)
          return { row, site, names: siteNames(site), venId: vens.get(row.clientId)! }
        })
        const key = (venId: string, name: string) => `${venId} ${name}`
        const found = yield* repository.takenNames(
          wanted.flatMap(({ names, venId }) => names.map((name) => ({ venId, name })))
        )
        const taken = new Set(found.map(({ name, venId }) => key(venId, name)))
        for (const { names, row, site, venId } of wanted) {
          const kept = names.find((each) => each === row.body?.resourceName)
          const free = names.find((each) => !taken.has(key(venId, each)))
          // A VEN that takes both names for itself must not hold up the site's resources of others.
          const resourceName = kept ?? free ?? nameForms(names[0], yield* ids.next)[1]
          taken.add(key(venId, resourceName))
          const content = {
            clientID: row.clientId,
            venID: venId,
            resourceName,
            attributes: siteAttributes(site),
            targets: siteTargets(site)
          }
          const { resourceId } = row
          yield* written(
            objects.store(workspaceId, "resources", resourceId ?? undefined, content, { site_id: site.id })
          )
        }
      })

      /** Compares sites with their resources. Returns whether all of them are up to date now. */
      const compare = Effect.fnUntraced(function* (workspaceId: string, siteIds: ReadonlyArray<string>) {
        if (siteIds.length === 0) return true
        const rows = yield* repository.clientsOfSites(workspaceId, siteIds)
        const outdated = rows.filter((row) => (row.isInScope ? isOutdated(row) : row.resourceId !== null))
        yield* change(workspaceId, outdated.slice(0, limits.changedTogether))
        return outdated.length <= limits.changedTogether
      })

      const walkCustomer = Effect.fnUntraced(function* (
        workspaceId: string,
        { item, reached }: SiteWork,
        limit: number
      ) {
        const siteIds = yield* repository.sitesOfCustomer(workspaceId, item, reached, limit)
        return { siteIds, noted: [], reached: siteIds.length < limit ? undefined : siteIds.at(-1)! } satisfies WalkPage
      })

      const walkClient = Effect.fnUntraced(function* (workspaceId: string, { item, reached }: SiteWork, limit: number) {
        const scope = yield* repository.scope(workspaceId, item)
        if (scope === undefined) {
          // The key has ended: its resources go, so that the next ones are always the first.
          const siteIds = yield* repository.sitesOfClient(workspaceId, item, limit)
          return { siteIds, noted: [], reached: siteIds.length < limit ? undefined : reached } satisfies WalkPage
        }
        const enrollments = yield* repository.enrollments(workspaceId, scope, reached, limit)
        const now = enrollments.filter(({ activatesAt, siteId }) => activatesAt === null && siteId !== null)
        const noted = enrollments.filter(({ activatesAt, siteId }) => activatesAt !== null || siteId === null)
        return {
          siteIds: now.map(({ siteId }) => siteId!),
          noted: noted.map(({ activatesAt, customerId, siteId }) =>
            siteId === null
              ? { kind: "customer", item: customerId, dueAt: activatesAt }
              : { kind: "site", item: siteId, dueAt: activatesAt }
          ),
          reached: lastId(enrollments, limit)
        } satisfies WalkPage
      })

      const walk = (workspaceId: string, work: SiteWork, limit: number): Effect.Effect<WalkPage, DatabaseUnavailable> =>
        work.kind === "customer" ? walkCustomer(workspaceId, work, limit) : walkClient(workspaceId, work, limit)

      const show = Effect.fnUntraced(function* (workspaceId: string, workIds: ReadonlyArray<string>) {
        const work = yield* repository.remaining(workIds)
        const sites = work.filter(({ kind }) => kind === "site")
        const walks = work.filter(({ kind }) => kind !== "site")
        const limit = Math.floor(limits.sitesTogether / Math.max(1, walks.length))
        const pages = yield* Effect.forEach(walks, (each) =>
          Effect.map(walk(workspaceId, each, limit), (page) => ({ ...page, id: each.id }))
        )
        const siteIds = [...sites.map(({ item }) => item), ...pages.flatMap((page) => page.siteIds)]
        const isDone = yield* compare(workspaceId, [...new Set(siteIds)])
        if (!isDone) return work.length
        yield* repository.note(
          workspaceId,
          pages.flatMap(({ noted }) => noted)
        )
        const ended = pages.filter(({ reached }) => reached === undefined)
        yield* repository.settle([...sites, ...ended].map(({ id }) => id))
        yield* Effect.forEach(
          pages,
          ({ id, reached }) => (reached === undefined ? Effect.void : repository.moveOn(id, reached)),
          { discard: true }
        )
        return work.length
      })

      const showSome = Effect.gen(function* () {
        const [workspaceId] = yield* repository.nextWorkspace
        if (workspaceId === undefined) return 0
        const due = yield* repository.due(workspaceId)
        let isHeld = false
        yield* isolation.run(
          due,
          ({ item, kind }) => `${kind} ${item}`,
          Effect.fnUntraced(function* (some) {
            if (!(yield* repository.hold(workspaceId))) return 0
            isHeld = true
            return yield* show(
              workspaceId,
              some.map(({ id }) => id)
            )
          }, transaction)
        )
        // Failed work is put off, and that of other workspaces goes on.
        return isHeld ? due.length : 0
      })

      return {
        beginVen: Effect.fn("SiteResources.beginVen")(beginVen),
        showSome: Effect.withSpan(showSome, "SiteResources.showSome"),
        nextDue: repository.nextDue
      }
    })
  )
}
