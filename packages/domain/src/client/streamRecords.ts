import { Effect, Option, Predicate, Stream } from "effect"

/** Where in a list a request reads; it goes into the request's query. */
export interface Position {
  readonly perPage: number
  readonly page?: number
  readonly cursor?: string
}

/** A page as lists answer it; a page of a cursor walk has no number and no totals. */
export interface ListPage<A> {
  readonly data: ReadonlyArray<A>
  readonly perPage: number
  readonly page?: number
  readonly totalItems?: number
  readonly totalPages?: number
}

/** What a list answers: the page itself, or beside the cursor of the next one where the list has cursors. */
export type ListAnswer<A> =
  | ListPage<A>
  | { readonly body: ListPage<A>; readonly headers: { readonly "x-next-cursor"?: string } }

const LARGEST_PAGE = 100

export const pageIn = <A>(answer: ListAnswer<A>): ListPage<A> => ("body" in answer ? answer.body : answer)

/** By cursor where the list gives one, else page by page. */
const positionAfter = <A>(answer: ListAnswer<A>): Omit<Position, "perPage"> | undefined => {
  const cursor = "body" in answer ? answer.headers["x-next-cursor"] : undefined
  if (cursor !== undefined) return { cursor }
  const { page, totalPages = 0 } = pageIn(answer)
  return page !== undefined && page < totalPages ? { page: page + 1 } : undefined
}

const idOf = (record: unknown) => (Predicate.hasProperty(record, "id") ? record.id : undefined)

/**
 * Every record of a list, asked for page by page as they are taken:
 *
 *     streamRecords((position) => client.alerts.list({ query: { status: ["OPEN"], ...position } }))
 *
 * Pages shift while records are added at their head, so a record that was on the page before is not given again. A list
 * without cursors ends at page 1000: what lies behind it fails with SchemaError, and filters bring it nearer.
 */
export const streamRecords = <A, E, R>(
  list: (position: Position) => Effect.Effect<ListAnswer<A>, E, R>,
  options: { readonly perPage?: number } = {}
): Stream.Stream<A, E, R> => {
  const perPage = options.perPage ?? LARGEST_PAGE
  const first: { readonly position: Position; readonly given: ReadonlySet<unknown> } = {
    position: { perPage },
    given: new Set()
  }
  return Stream.paginate(first, ({ given, position }) =>
    Effect.map(list(position), (answer) => {
      const { data } = pageIn(answer)
      const after = positionAfter(answer)
      const ids = new Set(data.map(idOf).filter(Predicate.isNotUndefined))
      const next = after && { position: { perPage, ...after }, given: ids }
      return [data.filter((record) => !given.has(idOf(record))), Option.fromUndefinedOr(next)]
    })
  )
}
