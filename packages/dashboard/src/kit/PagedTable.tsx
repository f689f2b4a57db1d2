import type { Atom, AsyncResult } from "effect/reactivity"
import type { ReactNode } from "react"
import { CursorPager } from "./CursorPager.tsx"
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

/** The response of a list that can be read by a cursor. */
interface CursorPage<Row> {
  readonly body: PageOfRows<Row>
  /** They have the cursor of the next page. */
  readonly headers: { readonly "x-next-cursor"?: string | undefined }
}

/** Pages by their number, or by a cursor, newest first. */
export type Paging =
  | { readonly onPage: (page: number) => void }
  | { readonly cursor: string | undefined; readonly onCursor: (cursor: string | undefined) => void }

export interface PagedTableProps<Row, E> extends Omit<TableProps<Row>, "rows" | "waiting"> {
  readonly query: Atom.Atom<AsyncResult.AsyncResult<PageOfRows<Row> | CursorPage<Row>, E>>
  readonly paging: Paging
  /** Stands above the rows of the page, such as actions on the selected ones. */
  readonly above?: (rows: ReadonlyArray<Row>) => ReactNode
}

/** A table of the records of a list that is read by pages. */
export const PagedTable = <Row, E>({ query, paging, above, ...table }: PagedTableProps<Row, E>) => (
  <Loaded query={query}>
    {(response, { waiting }) => {
      const { body, headers } = "body" in response ? response : { body: response, headers: {} }
      const { data, page = 1, totalItems = data.length, totalPages = 1 } = body
      return (
        <>
          {above?.(data)}
          <Table {...table} rows={data} waiting={waiting} />
          {"onPage" in paging ? (
            <Pager page={page} totalItems={totalItems} totalPages={totalPages} onPage={paging.onPage} />
          ) : (
            <CursorPager next={headers["x-next-cursor"]} cursor={paging.cursor} onShow={paging.onCursor} />
          )}
        </>
      )
    }}
  </Loaded>
)
