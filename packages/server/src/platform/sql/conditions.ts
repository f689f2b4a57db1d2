import type { SqlClient, Statement } from "effect/sql"

/** A pattern for texts that begin like this one. */
export const prefixPattern = (text: string) => `${text.replace(/[\\%_]/g, "\\$&")}%`

/** Parts of a WHERE clause for filters that may be absent: each answers no condition for an absent one. */
export const conditions = (sql: SqlClient.SqlClient) => {
  const is = (column: string, value: string | undefined): ReadonlyArray<Statement.Fragment> =>
    value === undefined ? [] : [sql`${sql(column)} = ${value}`]
  return {
    is,
    /** A single value is compared by equality: then an index that goes on with the id gives a page in its order. */
    isAnyOf: (column: string, values: ReadonlyArray<string> | undefined): ReadonlyArray<Statement.Fragment> =>
      values === undefined || values.length === 1
        ? is(column, values?.[0])
        : [sql`${sql(column)} = ANY(${values}::text[])`]
  }
}
