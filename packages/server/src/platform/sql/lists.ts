import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { pageOf } from "@edp/domain/shared/Page"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** A LIKE pattern for strings with the given prefix. */
export const prefixPattern = (text: string) => `${text.replace(/[\\%_]/g, "\\$&")}%`

/** Conditions of a WHERE clause for optional filters: none for an absent one. */
export const conditions = (sql: SqlClient.SqlClient) => {
  const is = (column: string, value: string | undefined): ReadonlyArray<Statement.Fragment> =>
    value === undefined ? [] : [sql`${sql(column)} = ${value}`]
  return {
    is,
    /** A single value is compared by equality, so that an index on the column and the id returns the page in order. */
    isAnyOf: (column: string, values: ReadonlyArray<string> | undefined): ReadonlyArray<Statement.Fragment> =>
      values === undefined || values.length === 1
        ? is(column, values?.[0])
        : [sql`${sql(column)} = ANY(${values}::text[])`]
  }
}

interface Paging {
  readonly page?: number
  readonly perPage?: number
}

/** A page of a list in its envelope. Page and count are queried concurrently. */
export const paginate = <A, E, R, E2, R2>(
  paging: Paging,
  perPageDefault: number,
  list: (limit: number, offset: number) => Effect.Effect<ReadonlyArray<A>, E, R>,
  count: Effect.Effect<number, E2, R2>
) => {
  const page = paging.page ?? 1
  const perPage = paging.perPage ?? perPageDefault
  return Effect.all([list(perPage, (page - 1) * perPage), count], { concurrency: 2 }).pipe(
    Effect.map(([data, totalItems]) => pageOf(data, page, perPage, totalItems))
  )
}

/** An opaque cursor: the key of the last record of a page. */
export const encodeCursor = (key: ReadonlyArray<string | number>) =>
  Buffer.from(JSON.stringify(key)).toString("base64url")

/** The key in a cursor that this service issued, checked by `isKey`; anything else is VALIDATION_ERROR. */
export const decodeCursor = <K>(
  cursor: string,
  isKey: (key: unknown) => key is K
): Effect.Effect<K, ValidationError> => {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
    if (isKey(key)) return Effect.succeed(key)
  } catch {
    // not a cursor of this service
  }
  return Effect.fail(invalid({ cursor: "Must be the value of the X-Next-Cursor header of the previous answer" }))
}

/** Refuses `page` together with `cursor`. */
export const refusePageWithCursor = (paging: Paging & { readonly cursor?: string }) =>
  paging.cursor !== undefined && paging.page !== undefined
    ? Effect.fail(invalid({ page: "Must be absent in a cursor walk" }))
    : Effect.void
