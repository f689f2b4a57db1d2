import type { CsvColumn } from "./ImportKind.ts"

/** How a field of the API is named to whoever wrote the file. */
export type FieldNames = (field: string) => string

/** As in JSON, where the path is what the file has itself. */
export const asGiven: FieldNames = (field) => field

/** By the CSV column that the field comes from: `address.streetOne` is `streetOne`, `tags.3` is `tags`. */
export const byColumn =
  (columns: Readonly<Record<string, CsvColumn>>): FieldNames =>
  (field) => {
    const comesFrom = ({ path }: CsvColumn) => field === path.join(".") || field.startsWith(`${path.join(".")}.`)
    return Object.keys(columns).find((name) => comesFrom(columns[name]!)) ?? field
  }

export const renamed = (fields: Readonly<Record<string, string>>, nameOf: FieldNames) =>
  Object.fromEntries(Object.entries(fields).map(([field, problem]) => [nameOf(field), problem]))
