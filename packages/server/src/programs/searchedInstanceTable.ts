import { Schema } from "effect"
import { type SearchedTable, searchedText } from "../platform/sql/textSearch.ts"

const Row = Schema.Struct({ id: Schema.String, title: Schema.String, slug: Schema.String })

/** The program instances of a workspace, of which there are few. */
export const searchedInstances: SearchedTable<typeof Row.Type, "name" | "slug"> = {
  table: "program_instances",
  text: searchedText(["title", "slug"]),
  isIndexed: false,
  beginnings: [],
  numbers: [],
  columns: "id, title, slug",
  joins: "",
  row: Row,
  toRecord: ({ id, slug, title }) => ({
    id,
    name: title,
    detail: slug,
    fields: [
      ["name", title],
      ["slug", slug]
    ]
  })
}
