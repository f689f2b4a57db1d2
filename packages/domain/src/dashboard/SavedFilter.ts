import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

/** The most filters that a workspace saves. */
export const SAVED_FILTERS_LIMIT = 100

const NAME = 100
const QUERY = 2000

const FilteredPage = oneOf(
  ["devices", "sites", "customers", "alerts", "events"],
  "The page of the dashboard that the filter is for"
)

const example = { name: "Silent batteries", page: "devices", query: "type=battery&onlineStatus=offline" } as const

export const SavedFilter = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.savedFilter] }),
  name: StoredText(NAME).annotate({ description: "Display name, unique on its page" }),
  page: FilteredPage,
  query: StoredText(QUERY).annotate({ description: "Query of the page's address, without the question mark" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "SavedFilter", description: "A filter that a workspace keeps under a name" })
export type SavedFilter = typeof SavedFilter.Type

const name = Text(1, NAME).annotate({ description: "Display name, unique on its page" })
const query = Text(0, QUERY).annotate({ description: "Query of the page's address, without the question mark" })

export const CreateSavedFilter = Schema.Struct({ name, page: FilteredPage, query }).annotate({
  identifier: "CreateSavedFilter",
  examples: [example]
})
export type CreateSavedFilter = typeof CreateSavedFilter.Type

/** An absent field is unchanged. */
export const UpdateSavedFilter = Schema.Struct({
  name: Schema.optionalKey(name),
  query: Schema.optionalKey(query)
}).annotate({ identifier: "UpdateSavedFilter", examples: [{ name: "Silent for long" }] })
export type UpdateSavedFilter = typeof UpdateSavedFilter.Type
