import { Schema } from "effect"
import { type SearchedTable, searchedText } from "../platform/sql/textSearch.ts"

const orNull = Schema.NullOr(Schema.String)

const Row = Schema.Struct({
  id: Schema.String,
  firstName: orNull,
  lastName: orNull,
  email: orNull,
  phone: orNull,
  referenceId: orNull
})

const given = (values: ReadonlyArray<string | null>) => values.filter((value) => value !== null && value !== "")

/** The customers of a workspace by their names and what they are reached by. */
export const searchedCustomers: SearchedTable<typeof Row.Type, "name" | "email" | "phone" | "referenceId"> = {
  table: "customers",
  text: searchedText([], ["first_name", "last_name", "email", "phone", "reference_id"]),
  isIndexed: true,
  beginnings: ["first_name", "last_name", "email"].map((column) => ({
    value: `lower(${column})`,
    order: `lower(${column}) USING ~<~`
  })),
  numbers: [],
  columns: `id, first_name AS "firstName", last_name AS "lastName", email, phone, reference_id AS "referenceId"`,
  joins: "",
  row: Row,
  toRecord: ({ email, firstName, id, lastName, phone, referenceId }) => {
    const name = given([firstName, lastName]).join(" ")
    return {
      id,
      name: name !== "" ? name : (email ?? referenceId ?? id),
      detail: given([name !== "" ? email : null, phone, referenceId]).join(", "),
      fields: [
        ["name", name],
        ["name", lastName ?? ""],
        ["email", email ?? ""],
        ["phone", phone ?? ""],
        ["referenceId", referenceId ?? ""]
      ]
    }
  }
}
