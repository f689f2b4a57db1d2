import { type Schema, String } from "effect"

/** Expressions of fields that are not read from the column of their name. */
type Expressions<Fields> = { readonly [Field in keyof Fields]?: string }

/**
 * The columns of a row in a statement. Each field is read from the column of its name in snake case, of a table if one is given, or by the
 * expression that is given for it.
 */
export const selectList = <Fields extends Schema.Struct.Fields>(
  row: { readonly fields: Fields },
  given: Expressions<Fields> = {},
  table?: string
): string => {
  const prefix = table === undefined ? "" : `${table}.`
  const expressions: Readonly<Record<string, string | undefined>> = given
  return Object.keys(row.fields)
    .map((field) => `${expressions[field] ?? prefix + String.camelToSnake(field)} AS "${field}"`)
    .join(", ")
}
