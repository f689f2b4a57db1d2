import type { ListPage } from "@edp/domain/client/responses"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { usage } from "./CliFailure.ts"
import { Output, showTable } from "./Output.ts"
import type { Column } from "./table.ts"

export const between = (minimum: number, maximum: number) =>
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

/** The page or the cursor that a request reads. */
export interface Position {
  readonly page?: number
  readonly perPage?: number
  readonly cursor?: string
}

/**
 * Shows a page of a list, or with `--all` every record.
 *
 * @param flags Those of paging; all others become query parameters of their names.
 */
export const showList = Effect.fnUntraced(function* <Flags extends PagingFlags, A, E1, R1, E2 = never, R2 = never>(
  { all, page: asked, perPage, ...filters }: Flags,
  noun: string,
  columns: ReadonlyArray<Column<A>> | ((rows: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Column<A>>, E2, R2>),
  read: (query: GivenFlags<Omit<Flags, keyof PagingFlags>> & Position) => Effect.Effect<ListPage<A>, E1, R1>
) {
  const output = yield* Output
  const list = (position: Position) =>
    read({ ...(given(filters) as GivenFlags<Omit<Flags, keyof PagingFlags>>), ...position })
  // Columns may look up more than the records, such as names of sites; JSON does not need it.
  const columnsFor = (rows: ReadonlyArray<A>) =>
    typeof columns !== "function" ? Effect.succeed(columns) : output.json ? Effect.succeed([]) : columns(rows)
  if (all) {
    if (Option.isSome(asked) || Option.isSome(perPage)) {
      return yield* usage("--all shows every page: --page and --per-page can't be given with it")
    }
    const data = yield* Stream.runCollect(streamRecords(list))
    yield* showTable({ data, totalItems: data.length }, yield* columnsFor(data), data)
    return yield* output.note(`${data.length} ${noun}`)
  }
  const page = yield* list(given({ page: asked, perPage }))
  yield* showTable(page, yield* columnsFor(page.data), page.data)
  const { totalItems = 0, totalPages = 0 } = page
  yield* output.note(
    totalItems === 0 ? `no ${noun}` : `${noun}: page ${page.page} of ${totalPages}, ${totalItems} in all`
  )
})

export type GivenFlags<Flags> = {
  readonly [Name in keyof Flags]?: Flags[Name] extends Option.Option<infer A> ? A : Flags[Name]
}

/** The flags that were given, without absent options and empty lists. */
export const given = <const Flags extends Readonly<Record<string, unknown>>>(flags: Flags): GivenFlags<Flags> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => {
      if (Option.isOption(flag)) return Option.isSome(flag) ? [[name, flag.value]] : []
      return Array.isArray(flag) && flag.length === 0 ? [] : [[name, flag]]
    })
  ) as GivenFlags<Flags>
