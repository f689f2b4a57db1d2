import type { ReactNode } from "react"
import type { IconName } from "./Icon.tsx"
import { PagedTable, type PagedTableProps } from "./PagedTable.tsx"
import { Card, Empty } from "./components.tsx"

/** The text that stands where there are no records. */
interface NoRecords {
  readonly icon: IconName
  readonly title: string
  /** The next step. */
  readonly hint?: ReactNode
  readonly actions?: ReactNode
}

export interface RecordListProps<Row, E> extends Omit<PagedTableProps<Row, E>, "empty" | "caption"> {
  /** The title of the card. Without one, `caption` says what is listed. */
  readonly title?: string
  readonly caption?: string
  /** Filters and actions beside the title. */
  readonly actions?: ReactNode
  readonly none: NoRecords
  /** Replaces `none` where filters let nothing pass. */
  readonly noMatch?: Partial<NoRecords> | false
  /** Follows the table: what adds a record, and dialogs. */
  readonly children?: ReactNode
}

/** A list of records in a card, which is read by pages. */
export const RecordList = <Row, E>(props: RecordListProps<Row, E>) => {
  const { title, caption = title ?? "", actions, none, noMatch, children, ...table } = props
  const { hint, ...empty } = noMatch ? { icon: none.icon, title: none.title, ...noMatch } : none
  return (
    <Card title={title} actions={actions} flush>
      <PagedTable {...table} caption={caption} empty={<Empty {...empty}>{hint}</Empty>} />
      {children}
    </Card>
  )
}
