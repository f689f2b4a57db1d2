import type { CallOptions } from "./Calls.ts"
import type { ListPage } from "./ListPage.ts"
import { idOf, LARGEST_PAGE, type Position, positionAfter } from "./streamRecords.ts"

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
