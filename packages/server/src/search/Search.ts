import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { invalid } from "@edp/domain/errors/ApiErrors"
import {
  SEARCH_MIN_LENGTH,
  type SearchQuery,
  type SearchResult,
  type SearchType,
  searchTypes
} from "@edp/domain/search/SearchResult"
import { Effect, type Schema } from "effect"
import { searchWords } from "../platform/sql/textSearch.ts"
import { type FoundRecords, mergeSimilar, rankResults, withDevicesOfSites } from "./rank.ts"
import { SearchRepository } from "./SearchRepository.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof SearchQuery>

/** Sites that were found whose devices are results, too. */
const SITES_WITH_DEVICES = 5

/** Finds records of all types by what is written on them. */
export const Search = Effect.gen(function* () {
  const { devicesAtSites, searches, searching } = yield* SearchRepository

  /** A device is found by the address of its site, so sites are searched with devices. */
  const typesToSearch = (wanted: ReadonlyArray<SearchType>) =>
    searchTypes.filter((type) => wanted.includes(type) || (type === "site" && wanted.includes("device")))

  const withDevices = Effect.fnUntraced(function* (workspaceId: string, results: ReadonlyArray<SearchResult>) {
    const siteIds = results.filter(({ type }) => type === "site").map(({ id }) => id)
    if (siteIds.length === 0) return results
    return withDevicesOfSites(results, yield* devicesAtSites(workspaceId, siteIds.slice(0, SITES_WITH_DEVICES)))
  })

  return {
    find: Effect.fn("Search.find")(function* (
      { workspaceId }: Caller,
      { limit = 20, query, types = searchTypes }: Query
    ) {
      const whole = query.trim()
      if ([...whole].length < SEARCH_MIN_LENGTH) {
        return yield* Effect.fail(
          invalid({ query: `Must have at least ${SEARCH_MIN_LENGTH} characters besides leading and trailing spaces` })
        )
      }
      const words = searchWords(whole)
      const inEach = <E>(search: (type: SearchType) => Effect.Effect<FoundRecords["records"], E>) =>
        Effect.forEach(typesToSearch(types), (type) => Effect.map(search(type), (records) => ({ type, records })))
      return yield* searching(
        Effect.gen(function* () {
          const containing = yield* inEach((type) => searches[type].containing(workspaceId, whole, words))
          const isSimilar = containing.every(({ records }) => records.length === 0)
          const results = isSimilar
            ? mergeSimilar(yield* inEach((type) => searches[type].similar(workspaceId, words)), whole)
            : rankResults(containing, whole, words)
          const all = types.includes("device") ? yield* withDevices(workspaceId, results) : results
          const data = all.filter(({ type }) => types.includes(type)).slice(0, limit)
          return { data, similar: isSimilar && data.length > 0 }
        })
      )
    })
  }
})
