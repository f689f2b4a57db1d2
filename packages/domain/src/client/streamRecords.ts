import { Effect, Option, Predicate, Stream } from "effect"
import type { CallOptions } from "./Calls.ts"
import type { ListPage } from "./answers.ts"

/** Where in a list a request reads; it goes into the request's query. */
export interface Position {
  readonly perPage: number
  readonly page?: number
  readonly cursor?: string
}

export const LARGEST_PAGE = 100

/** By cursor where the list gives one, else page by page. */
export const positionAfter = ({
  nextCursor,
  page,
  totalPages = 0
}: ListPage<unknown>): Omit<Position, "perPage"> | undefined => {
  if (nextCursor !== undefined) return { cursor: nextCursor }
  return page !== undefined && page < totalPages ? { page: page + 1 } : undefined
}

export const idOf = (record: unknown) => (Predicate.hasProperty(record, "id") ? record.id : undefined)

/**
 * Every record of a list, asked for page by page as they are taken:
 *
 *     streamRecords((position) => client.alerts.list({ query: { status: ["OPEN"], ...position } }))
 *
 * Pages shift while records are added at their head, so a record that was on the page before is not given again. A list
 * without cursors ends at page 1000: what lies behind it fails with SchemaError, and filters bring it nearer.
 */
export const streamRecords = <A, E, R>(
  list: (position: Position) => Effect.Effect<ListPage<A>, E, R>,
  options: { readonly perPage?: number } = {}
): Stream.Stream<A, E, R> => {
  const perPage = options.perPage ?? LARGEST_PAGE
  const first: { readonly position: Position; readonly given: ReadonlySet<unknown> } = {
    position: { perPage },
    given: new Set()
  }
  return Stream.paginate(first, ({ given, position }) =>
    Effect.map(list(position), (answer) => {
      const { data } = answer
      const after = positionAfter(answer)
      const ids = new Set(data.map(idOf).filter(Predicate.isNotUndefined))
      const next = after && { position: { perPage, ...after }, given: ids }
      return [data.filter((record) => !given.has(idOf(record))), Option.fromUndefinedOr(next)]
    })
  )
}

/** The position in the list is the walk's. */
interface NoPosition {
  readonly page?: never
  readonly perPage?: never
  readonly cursor?: never
}

/** What a list takes beside where it is read. */
type Filtered<Request> = Request extends { readonly query?: infer Query }
  ? Omit<Request, "query"> & { readonly query?: Omit<NonNullable<Query>, keyof NoPosition> & NoPosition }
  : Request

/**
 * Every record of a list, asked for page by page as they are taken, 100 at a time unless `perPage` says otherwise:
 *
 *     for await (const device of eachRecord(client.devices.list, { query: { type: ["inverter"] } })) …
 *
 * It walks by cursor where the list has cursors. Leaving the loop ends the walk.
 */
export async function* eachRecord<Request, A>(
  list: (request: Request, options?: CallOptions) => Promise<ListPage<A>>,
  request?: Filtered<NonNullable<Request>>,
  { perPage = LARGEST_PAGE, signal }: { readonly perPage?: number; readonly signal?: AbortSignal } = {}
): AsyncGenerator<A, void, undefined> {
  const filters: object = (request as { readonly query?: object } | undefined)?.query ?? {}
  let position: Position | undefined = { perPage }
  let given: ReadonlySet<unknown> = new Set()
  while (position !== undefined) {
    const query: object = { ...filters, ...position }
    const page: ListPage<A> = await list({ ...request, query } as unknown as Request, { signal })
    // Pages shift while records are added at their head.
    yield* page.data.filter((record) => !given.has(idOf(record)))
    given = new Set(page.data.map(idOf).filter((id) => id !== undefined))
    const after = positionAfter(page)
    position = after && { perPage, ...after }
  }
}
