import { Schema } from "effect"
import { type SearchedTable, searchedText } from "../platform/sql/textSearch.ts"

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  manufacturer: Schema.String,
  referenceId: Schema.String
})

/** The accounts of a workspace at manufacturers, but for those that are not connected yet. */
export const searchedAccounts: SearchedTable<typeof Row.Type, "name" | "referenceId" | "manufacturer"> = {
  table: "accounts",
  condition: "status <> 'pending'",
  text: searchedText(["name", "manufacturer", "reference_id"]),
  isIndexed: true,
  beginnings: [],
  numbers: [],
  columns: `id, name, manufacturer, reference_id AS "referenceId"`,
  joins: "",
  row: Row,
  toRecord: ({ id, manufacturer, name, referenceId }) => ({
    id,
    name,
    detail: `${manufacturer}, ${referenceId}`,
    fields: [
      ["name", name],
      ["referenceId", referenceId],
      ["manufacturer", manufacturer]
    ]
  })
}
