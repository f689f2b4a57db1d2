import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { type PageOf, makePage } from "@edp/domain/shared/Page"
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

/** A window of a list: the records before an id for a cursor, else those after an offset. */
export interface PageWindow {
  readonly limit: number
  readonly offset: number
  readonly before: string | undefined
}

interface Paging {
  readonly page?: number
  readonly perPage?: number
}

export interface CursorPaging extends Paging {
  readonly cursor?: string
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
    Effect.map(([data, totalItems]) => makePage(data, page, perPage, totalItems))
  )
}

export type Counted<Row> = Row & { readonly total: number }

/**
 * The same for a list whose rows carry its exact total: one statement finds both. A page beyond the end has no row that
 * could, and is counted by itself.
 */
export const paginateCounted = <Row, A, E, R, E2, R2>(
  paging: Paging,
  perPageDefault: number,
  list: (limit: number, offset: number) => Effect.Effect<ReadonlyArray<Counted<Row>>, E, R>,
  count: Effect.Effect<number, E2, R2>,
  toRecord: (row: Row) => A
): Effect.Effect<PageOf<A>, E | E2, R | R2> => {
  const page = paging.page ?? 1
  const perPage = paging.perPage ?? perPageDefault
  return Effect.flatMap(list(perPage, (page - 1) * perPage), (rows): Effect.Effect<PageOf<A>, E2, R2> => {
    const [first] = rows
    if (first === undefined && page > 1) return Effect.map(count, (total) => makePage([], page, perPage, total))
    return Effect.succeed(makePage(rows.map(toRecord), page, perPage, first?.total ?? 0))
  })
}

/**
 * LIMIT and OFFSET of a statement that stays prepared. The limit is written out, so that the planner knows that few rows
 * are wanted. The offset is hidden from it: it would plan the statement for every offset anew.
 */
export const limited = (sql: SqlClient.SqlClient, limit: number, offset = 0) =>
  offset === 0 ? sql.literal(`LIMIT ${limit}`) : sql`${sql.literal(`LIMIT ${limit}`)} OFFSET (SELECT ${offset}::int)`

/** A list of ids for `= ANY`, hidden from the planner, which would plan the statement for every length of it anew. */
export const anyOf = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) =>
  sql`ANY(ARRAY(SELECT unnest(${ids}::text[])))`

/**
 * Records for FROM, of which the planner expects ten, whatever their number. It then looks each up by its key. Of the hundred that it expects
 * otherwise, it reads tables of up to some 10,000 rows whole.
 */
export const fewRecords = (sql: SqlClient.SqlClient, records: ReadonlyArray<object>, columns: string) =>
  sql`(SELECT * FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS record (${sql.literal(columns)}) LIMIT (SELECT 1000000))`

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
  return Effect.fail(invalid({ cursor: "Must be the value of the X-Next-Cursor header of the previous response" }))
}

/** Refuses `page` together with `cursor`. */
export const refusePageWithCursor = (paging: CursorPaging) =>
  paging.cursor !== undefined && paging.page !== undefined
    ? Effect.fail(invalid({ page: "Must be absent with a cursor" }))
    : Effect.void

/** A page of a large list, and the cursor of the next page if there is one. */
export interface CursorList<A> {
  readonly body: PageOf<A> | { readonly data: ReadonlyArray<A>; readonly perPage: number }
  readonly next: string | undefined
}

/** The cursor of a list that is ordered by the ids of its records. */
const isIdKey = (key: unknown): key is readonly [id: string] =>
  Array.isArray(key) && key.length === 1 && isCuid(String(key[0]))

/** The id in a cursor of such a list; undefined without a cursor. */
export const decodeIdCursor = (cursor: string | undefined): Effect.Effect<string | undefined, ValidationError> =>
  cursor === undefined ? Effect.succeed(undefined) : Effect.map(decodeCursor(cursor, isIdKey), ([id]) => id)

/**
 * A page of a large list, newest first: by its number with totals, or by a cursor, whose cost does not grow with depth. Page and count are
 * queried concurrently, so records may arrive between them: the page proves a minimum of the total.
 */
export const paginateById = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  query: CursorPaging,
  list: (window: PageWindow) => Effect.Effect<ReadonlyArray<A>, E, R>,
  count: Effect.Effect<number, E, R>
): Effect.fn.Return<CursorList<A>, E | ValidationError, R> {
  yield* refusePageWithCursor(query)
  const { page = 1, perPage = 10 } = query
  const before = yield* decodeIdCursor(query.cursor)
  const offset = before === undefined ? (page - 1) * perPage : 0
  const found = list({ limit: perPage + 1, offset, before })
  const [records, counted] = yield* Effect.all([found, before === undefined ? count : Effect.succeed(0)] as const, {
    concurrency: 2
  })
  const data = records.slice(0, perPage)
  const next = records.length > perPage ? encodeCursor([data.at(-1)!.id]) : undefined
  if (before !== undefined) return { body: { data, perPage }, next }
  const total = records.length === 0 ? counted : Math.max(counted, offset + records.length)
  return { body: makePage(data, page, perPage, total), next }
})
