import { Schema } from "effect"
import { type SearchedTable, searchedText } from "../platform/sql/textSearch.ts"

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  streetOne: Schema.String,
  address: Schema.String,
  referenceId: Schema.NullOr(Schema.String)
})

/** The sites of a workspace by their names and addresses. */
export const searchedSites: SearchedTable<typeof Row.Type, "name" | "address" | "referenceId"> = {
  table: "sites",
  text: searchedText(["street_one", "city", "state", "postal_code"], ["name", "street_two", "reference_id"]),
  isIndexed: true,
  beginnings: [
    { value: "lower(name)", order: "lower(name) USING ~<~" },
    { value: "lower(street_one)", order: "lower(street_one) USING ~<~" }
  ],
  numbers: ["left(reference_id, 200)"],
  columns: `id, name, street_one AS "streetOne", reference_id AS "referenceId",
    street_one || COALESCE(', ' || street_two, '') || ', ' || city || ', ' || state || ' ' || postal_code AS address`,
  joins: "",
  row: Row,
  toRecord: ({ address, id, name, referenceId, streetOne }) => ({
    id,
    name: name ?? streetOne,
    detail: address,
    fields: [
      ["name", name ?? ""],
      ["address", streetOne],
      ["address", address],
      ["referenceId", referenceId ?? ""]
    ]
  })
}
