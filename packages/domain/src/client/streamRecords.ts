import { Effect, Option, Predicate, Stream } from "effect"
import type { CallOptions } from "./Calls.ts"
import type { ListPage } from "./responses.ts"

/** A position in a list, to be put into the query of the request. */
export interface Position {
  readonly perPage: number
  readonly page?: number
  readonly cursor?: string
}

export const LARGEST_PAGE = 100

/** The position of the next page: by cursor if the list has cursors, else by page number. */
export const positionAfter = ({
  nextCursor,
  page,
  totalPages = 0
}: ListPage<unknown>): Omit<Position, "perPage"> | undefined => {
  if (nextCursor !== undefined) return { cursor: nextCursor }
  return page !== undefined && page < totalPages ? { page: page + 1 } : undefined
}

export const recordId = (record: unknown) => (Predicate.hasProperty(record, "id") ? record.id : undefined)

/**
 * Streams every record of a list. Pages are requested as records are consumed:
 *
 *     streamRecords((position) => client.alerts.list({ query: { status: ["OPEN"], ...position } }))
 *
 * Numbered pages shift when records are added, so a record that was on the previous page is not emitted again. A list without
 * cursors ends at page 1000: beyond it the stream fails with SchemaError; use filters to reach those records.
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
    Effect.map(list(position), (response) => {
      const { data } = response
      const after = positionAfter(response)
      const ids = new Set(data.map(recordId).filter(Predicate.isNotUndefined))
      const next = after && { position: { perPage, ...after }, given: ids }
      return [data.filter((record) => !given.has(recordId(record))), Option.fromUndefinedOr(next)]
    })
  )
}

/** The iteration sets the position, so the caller can't. */
interface NoPosition {
  readonly page?: never
  readonly perPage?: never
  readonly cursor?: never
}

/** The request of a list without the position. */
type Filtered<Request> = Request extends { readonly query?: infer Query }
  ? Omit<Request, "query"> & { readonly query?: Omit<NonNullable<Query>, keyof NoPosition> & NoPosition }
  : Request

/**
 * Iterates over every record of a list. Pages are requested as records are consumed, with 100 records each or `perPage`:
 *
 *     for await (const device of eachRecord(client.devices.list, { query: { type: ["inverter"] } })) …
 *
 * It pages by cursor if the list has cursors. Leaving the loop ends the iteration.
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
    // Numbered pages shift when records are added.
    yield* page.data.filter((record) => !given.has(recordId(record)))
    given = new Set(page.data.map(recordId).filter((id) => id !== undefined))
    const after = positionAfter(page)
    position = after && { perPage, ...after }
  }
}
