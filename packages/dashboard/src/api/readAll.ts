import { Effect } from "effect"

/** Records that a field to choose from can have. */
const PER_PAGE = 100
const MOST_PAGES = 10

interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly totalItems: number
  readonly totalPages: number
}

/** All records of a list, up to 1,000 of them, read page by page. `totalItems` indicates whether these are all. */
export const readAll = <A, E, R>(
  read: (paging: { readonly page: number; readonly perPage: number }) => Effect.Effect<PageOf<A>, E, R>
): Effect.Effect<{ readonly data: ReadonlyArray<A>; readonly totalItems: number }, E, R> =>
  Effect.gen(function* () {
    const first = yield* read({ page: 1, perPage: PER_PAGE })
    const data = [...first.data]
    for (let page = 2; page <= Math.min(first.totalPages, MOST_PAGES); page++) {
      data.push(...(yield* read({ page, perPage: PER_PAGE })).data)
    }
    return { data, totalItems: Math.max(first.totalItems, data.length) }
  })
