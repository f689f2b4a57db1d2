import type { Atom, AsyncResult } from "effect/reactivity"
import { Loaded } from "./Loaded.tsx"
import { Pager } from "./Pager.tsx"
import { Table, type TableProps } from "./Table.tsx"

interface PageOfRows<Row> {
  readonly data: ReadonlyArray<Row>
  /** Absent in lists that can also be read by a cursor, when they are. */
  readonly page?: number
  readonly totalPages?: number
  readonly totalItems?: number
}

interface PagedTableProps<Row, E> extends Omit<TableProps<Row>, "rows" | "waiting"> {
  readonly query: Atom.Atom<AsyncResult.AsyncResult<PageOfRows<Row>, E>>
  /** Shows another page. */
  readonly onPage: (page: number) => void
}

/** A table of the records of a list that is read by pages. */
export const PagedTable = <Row, E>({ query, onPage, ...table }: PagedTableProps<Row, E>) => {
  return (
    <Loaded query={query}>
      {({ data, page = 1, totalItems = data.length, totalPages = 1 }, { waiting }) => (
        <>
          <Table {...table} rows={data} waiting={waiting} />
          <Pager page={page} totalItems={totalItems} totalPages={totalPages} onPage={onPage} />
        </>
      )}
    </Loaded>
  )
}
