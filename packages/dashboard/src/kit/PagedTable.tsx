import type { Atom, AsyncResult } from "effect/reactivity"
import { Loaded } from "./Loaded.tsx"
import { Pager } from "./Pager.tsx"
import { Table, type TableProps } from "./Table.tsx"
import { useParameters } from "./useParameters.ts"

interface PageOfRows<Row> {
  readonly data: ReadonlyArray<Row>
  readonly page: number
  readonly totalPages: number
  readonly totalItems: number
}

interface PagedTableProps<Row, E> extends Omit<TableProps<Row>, "rows" | "waiting"> {
  readonly query: Atom.Atom<AsyncResult.AsyncResult<PageOfRows<Row>, E>>
  /** Shows another page. By default its number is the parameter `page` of the address, and the way back leads to the page before. */
  readonly onPage?: (page: number) => void
}

/** A table of the records of a list that is read by pages. */
export const PagedTable = <Row, E>({ query, onPage, ...table }: PagedTableProps<Row, E>) => {
  const [, change] = useParameters()
  const show = onPage ?? ((page: number) => change({ page: String(page) }))
  return (
    <Loaded query={query}>
      {({ data, page, totalItems, totalPages }, { waiting }) => (
        <>
          <Table {...table} rows={data} waiting={waiting} />
          <Pager page={page} totalItems={totalItems} totalPages={totalPages} onPage={show} />
        </>
      )}
    </Loaded>
  )
}
