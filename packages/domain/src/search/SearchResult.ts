import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Several, integer } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"

/** The kinds of records, in the order in which equally good results are listed. */
export const searchTypes = ["device", "site", "customer", "account", "programInstance"] as const

export const SearchType = oneOf(searchTypes, "Kind of the record").annotate({ identifier: "SearchType" })
export type SearchType = typeof SearchType.Type

export const searchFields = [
  "id",
  "name",
  "address",
  "email",
  "phone",
  "manufacturer",
  "model",
  "manufacturerDeviceId",
  "serialNumber",
  "referenceId",
  "slug"
] as const

export const SEARCH_LIMIT = 50
export const SEARCH_MIN_LENGTH = 2
export const SEARCH_MAX_LENGTH = 100

const example = {
  type: "device",
  id: exampleIds.device,
  name: "Alder Powerwall",
  detail: "tesla, 1234567-00-E--TG0123, 15 Alder Street, Sacramento, CA 95814",
  field: "name"
} as const

export const SearchResult = Schema.Struct({
  type: SearchType,
  id: Cuid,
  name: StoredText(1000).annotate({ description: "Display name", examples: [example.name] }),
  detail: StoredText(2000).annotate({
    description: "Tells apart records of the same name: manufacturer and number, address, e-mail address or slug",
    examples: [example.detail]
  }),
  field: oneOf(
    searchFields,
    "Field in which the query was found; the address of a device is that of its site"
  ).annotate({
    identifier: "SearchField"
  })
}).annotate({
  identifier: "SearchResult",
  description: "A record that a search has found",
  examples: [example]
})
export type SearchResult = typeof SearchResult.Type

export const SearchResults = Schema.Struct({
  data: Schema.Array(SearchResult)
    .check(documents({ maxItems: SEARCH_LIMIT }))
    .annotate({ description: "The best first" }),
  similar: Schema.Boolean.annotate({
    description: "Whether no record contains the query, so that these are records with similar words"
  })
}).annotate({
  identifier: "SearchResults",
  description: "The records that a search has found",
  examples: [{ data: [example], similar: false }]
})
export type SearchResults = typeof SearchResults.Type

export const SearchQuery = {
  query: Text(SEARCH_MIN_LENGTH, SEARCH_MAX_LENGTH).annotate({
    description:
      "Words in any case and order, of which the first eight count. A record must contain each of them; words of one or two characters must begin a word. No character is a wildcard"
  }),
  types: Schema.optionalKey(
    Several(SearchType).annotate({ description: "Kinds of records to search, all by default" })
  ),
  limit: integer(1, SEARCH_LIMIT, 20, "Maximum number of results")
}
