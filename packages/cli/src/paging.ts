import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { usage } from "./CliFailure.ts"
import { Output, showTable } from "./Output.ts"
import type { Column } from "./table.ts"

const between = (minimum: number, maximum: number) =>
  Flag.filter<number>(
    (value) => value >= minimum && value <= maximum,
    () => `Must be an integer from ${minimum} to ${maximum}`
  )

export const pagingFlags = {
  page: Flag.Int("page").pipe(between(1, 1000), Flag.withDescription("Page to show, from 1"), Flag.optional),
  perPage: Flag.Int("per-page").pipe(between(1, 100), Flag.withDescription("Records on a page"), Flag.optional),
  all: Flag.Boolean("all").pipe(Flag.withDescription("Show all records, not one page"), Flag.withDefault(false))
}

export interface PagingFlags {
  readonly page: Option.Option<number>
  readonly perPage: Option.Option<number>
  readonly all: boolean
}

/** A page as lists answer it; `next` is the cursor of the following one where the list has cursors. */
export interface FetchedPage<A> {
  readonly data: ReadonlyArray<A>
  readonly page?: number
  readonly perPage: number
  readonly totalItems?: number
  readonly totalPages?: number
  readonly next?: string | undefined
}

export interface Position {
  readonly page?: number
  readonly perPage?: number
  readonly cursor?: string
}

/** The position in a list that has pages alone. */
export const byPage = ({ page, perPage }: Position) => ({
  ...(page !== undefined && { page }),
  ...(perPage !== undefined && { perPage })
})

/** Walks a list to its end: by cursor where the list gives one, else page by page. */
export const walk = Effect.fnUntraced(function* <A, E, R>(
  fetch: (position: Position) => Effect.Effect<FetchedPage<A>, E, R>
) {
  const data: Array<A> = []
  let position: Position = { perPage: 100 }
  for (;;) {
    const fetched = yield* fetch(position)
    data.push(...fetched.data)
    if (fetched.next !== undefined) position = { perPage: 100, cursor: fetched.next }
    else if (fetched.page !== undefined && fetched.page < (fetched.totalPages ?? 0)) {
      position = { perPage: 100, page: fetched.page + 1 }
    } else return data
  }
})

/** Shows a page of a list, or with `--all` the whole of it. */
export const showList = Effect.fnUntraced(function* <A, E, R>(
  flags: PagingFlags,
  noun: string,
  columns: ReadonlyArray<Column<A>> | ((rows: ReadonlyArray<A>) => ReadonlyArray<Column<A>>),
  fetch: (position: Position) => Effect.Effect<FetchedPage<A>, E, R>
) {
  const columnsFor = (rows: ReadonlyArray<A>) => (typeof columns === "function" ? columns(rows) : columns)
  const output = yield* Output
  if (flags.all) {
    if (Option.isSome(flags.page) || Option.isSome(flags.perPage)) {
      return yield* usage("--all shows every page: --page and --per-page can't be given with it")
    }
    const data = yield* walk(fetch)
    yield* showTable({ data, totalItems: data.length }, columnsFor(data), data)
    return yield* output.note(`${data.length} ${noun}`)
  }
  const { next: _next, ...page } = yield* fetch(given({ page: flags.page, perPage: flags.perPage }))
  yield* showTable(page, columnsFor(page.data), page.data)
  const { totalItems = 0, totalPages = 0 } = page
  yield* output.note(
    totalItems === 0 ? `no ${noun}` : `${noun}: page ${page.page} of ${totalPages}, ${totalItems} in all`
  )
})

type Given<Flags> = { readonly [Name in keyof Flags]?: Flags[Name] extends Option.Option<infer A> ? A : Flags[Name] }

/** The flags that were written, by name: options that are absent and lists that are empty are left out. */
export const given = <const Flags extends Readonly<Record<string, unknown>>>(flags: Flags): Given<Flags> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => {
      if (Option.isOption(flag)) return Option.isSome(flag) ? [[name, flag.value]] : []
      return Array.isArray(flag) && flag.length === 0 ? [] : [[name, flag]]
    })
  ) as Given<Flags>
