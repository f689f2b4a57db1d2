import { Button } from "./Button.tsx"
import type { Column } from "./Table.tsx"

interface DetailsColumn<Row> {
  readonly label: string
  /** The name of the button of a row, for screen readers. */
  readonly title: (row: Row) => string
  readonly onOpen: (row: Row) => void
}

/** The last column of a list, with a button that opens the details of a row. */
export const detailsColumn = <Row,>({ label, title, onOpen }: DetailsColumn<Row>): Column<Row> => ({
  id: "details",
  header: "",
  align: "end",
  cell: (row) => (
    <Button small tone="quiet" aria-label={title(row)} onClick={() => onOpen(row)}>
      {label}
    </Button>
  )
})
