import type { ReactNode } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import "./Table.css"

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: "end"
  /** The cell that names the row: a header for screen readers, and the title of its card on a phone. */
  readonly isName?: boolean
  /** Left out where there is little room. */
  readonly isExtra?: boolean
}

interface Selection {
  readonly selected: ReadonlySet<string>
  readonly onChange: (selected: ReadonlySet<string>) => void
}

export interface TableProps<Row> {
  /** Says what the table lists, for screen readers. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly id: (row: Row) => string
  readonly name?: (row: Row) => string
  readonly selection?: Selection
  /** Shown when there are no rows. */
  readonly empty?: ReactNode
  readonly waiting?: boolean
}

/** A table of a page of records. On a phone each row is a card. */
export const Table = <Row,>(props: TableProps<Row>) => {
  const { caption, columns, rows, id, name = id, selection, empty, waiting = false } = props
  const t = useMessages("kit")
  if (rows.length === 0 && empty !== undefined) return empty
  const toggle = (key: string) => {
    if (selection === undefined) return
    const next = new Set(selection.selected)
    if (!next.delete(key)) next.add(key)
    selection.onChange(next)
  }
  const all = rows.map(id)
  const areAllSelected = selection !== undefined && all.length > 0 && all.every((key) => selection.selected.has(key))
  return (
    <div className="table-frame" aria-busy={waiting}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th className="select-cell">
                <input
                  type="checkbox"
                  aria-label={t.selectAll}
                  checked={areAllSelected}
                  onChange={() => selection.onChange(areAllSelected ? new Set() : new Set(all))}
                />
              </th>
            )}
            {columns.map((column) =>
              column.header === "" ? (
                <td key={column.id} />
              ) : (
                <th key={column.id} scope="col" className={cellClass(column)}>
                  {column.header}
                </th>
              )
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = id(row)
            return (
              <tr key={key}>
                {selection && (
                  <td className="select-cell">
                    <input
                      type="checkbox"
                      aria-label={t.select({ name: name(row) })}
                      checked={selection.selected.has(key)}
                      onChange={() => toggle(key)}
                    />
                  </td>
                )}
                {columns.map((column) => {
                  const content = column.cell(row)
                  if (column.isName) {
                    return (
                      <th key={column.id} scope="row" className={cellClass(column)}>
                        {content}
                      </th>
                    )
                  }
                  const classes = [cellClass(column), (content === "–" || content === null) && "blank"]
                  return (
                    <td
                      key={column.id}
                      className={classes.filter(Boolean).join(" ") || undefined}
                      data-label={column.header}
                    >
                      {content}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const cellClass = <Row,>({ align, isExtra }: Column<Row>) =>
  [align === "end" && "end", isExtra && "extra"].filter(Boolean).join(" ") || undefined
