import type { ApiClient } from "@edp/domain/Client"
import { Cache, Effect } from "effect"
import type { Problem } from "../../import/ImportKind.ts"
import { told } from "../../import/service.ts"

/** Customers of one site tend to stand near each other in a file. */
const REMEMBERED = 10_000

const problemOf = (reference: string, found: number): Problem =>
  found === 0
    ? {
        code: "SITE_NOT_FOUND",
        message: "There is no such site",
        fields: { siteReferenceIds: `No site has the referenceId ${reference}` }
      }
    : {
        code: "SITE_AMBIGUOUS",
        message: "It is not clear which site is meant",
        fields: { siteReferenceIds: `Several sites have the referenceId ${reference}: name one in siteIds` }
      }

/** Finds sites by their references, a read request for each that is not remembered. */
export const siteReferences = Effect.fnUntraced(function* (client: ApiClient) {
  const sites = yield* Cache.make({
    capacity: REMEMBERED,
    lookup: (referenceId: string) => told(client.sites.list({ query: { referenceId: [referenceId], perPage: 2 } }))
  })

  return Effect.fnUntraced(function* (references: ReadonlyArray<string>) {
    const siteIds: Array<string> = []
    for (const reference of references) {
      const [site, another] = (yield* Cache.get(sites, reference)).data
      if (site === undefined) return { siteIds, problem: problemOf(reference, 0) }
      if (another !== undefined) return { siteIds, problem: problemOf(reference, 2) }
      siteIds.push(site.id)
    }
    return { siteIds, problem: undefined }
  })
})
