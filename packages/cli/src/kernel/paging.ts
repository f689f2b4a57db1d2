import type { ListPage } from "@edp/domain/client/answers"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { Effect, Option, Stream } from "effect"
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

/** Where in a list a request reads: what was asked for, or where a walk has come to. */
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

/** Shows a page of a list, or with `--all` the whole of it. */
export const showList = Effect.fnUntraced(function* <A, E, R>(
  flags: PagingFlags,
  noun: string,
  columns: ReadonlyArray<Column<A>> | ((rows: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Column<A>>, E, R>),
  list: (position: Position) => Effect.Effect<ListPage<A>, E, R>
) {
  const output = yield* Output
  // What columns show beside the records, such as names of sites, is looked up only where columns are shown.
  const columnsFor = (rows: ReadonlyArray<A>) =>
    typeof columns !== "function" ? Effect.succeed(columns) : output.json ? Effect.succeed([]) : columns(rows)
  if (flags.all) {
    if (Option.isSome(flags.page) || Option.isSome(flags.perPage)) {
      return yield* usage("--all shows every page: --page and --per-page can't be given with it")
    }
    const data = yield* Stream.runCollect(streamRecords(list))
    yield* showTable({ data, totalItems: data.length }, yield* columnsFor(data), data)
    return yield* output.note(`${data.length} ${noun}`)
  }
  const page = yield* list(given({ page: flags.page, perPage: flags.perPage }))
  yield* showTable(page, yield* columnsFor(page.data), page.data)
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
