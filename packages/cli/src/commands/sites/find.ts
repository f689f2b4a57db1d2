import type { Site } from "@edp/domain/sites/Site"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { idByReference } from "../../idByReference.ts"

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
