import { type ReactNode, useState } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { AddRecord, type AddRecordProps } from "./AddRecord.tsx"
import { Button } from "./Button.tsx"
import { ConfirmDialog } from "./ConfirmDialog.tsx"
import { RecordList, type RecordListProps } from "./RecordList.tsx"
import type { Column } from "./Table.tsx"
import { useToast } from "./Toasts.tsx"
import "./LinkedRecords.css"

interface LinkedRecordsProps<Row extends { readonly id: string }, E, Choices, ChoicesE> extends Omit<
  RecordListProps<Row, E>,
  "children" | "id" | "name"
> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly name: (row: Row) => string
  /** How a record is added, and what the page says then. */
  readonly link: Omit<AddRecordProps<Choices, ChoicesE>, "add"> & {
    readonly act: (id: string) => Promise<unknown>
    readonly done: (name: string) => string
  }
  /** How a record is taken out, and what the page asks before and says then. */
  readonly unlink: {
    readonly label: string
    readonly title: (name: string) => string
    readonly lead: string
    readonly act: (id: string) => Promise<unknown>
    readonly done: (name: string) => string
  }
  /** Actions before the one that takes the record out. */
  readonly rowActions?: (row: Row) => ReactNode
}

/** The records that belong to another one: more can be added, and each be taken out. */
export const LinkedRecords = <Row extends { readonly id: string }, E, Choices, ChoicesE>(
  props: LinkedRecordsProps<Row, E, Choices, ChoicesE>
) => {
  const { columns, name, link, unlink, rowActions, ...list } = props
  const kit = useMessages("kit")
  const toast = useToast()
  const [leaving, setLeaving] = useState<Row>()
  const leavingName = leaving === undefined ? "" : name(leaving)
  const { act, done, ...picker } = link
  const actions: Column<Row> = {
    id: "actions",
    header: kit.actions,
    align: "end",
    cell: (row) => (
      <span className="actions row-actions">
        {rowActions?.(row)}
        <Button small tone="quiet" onClick={() => setLeaving(row)}>
          {unlink.label}
        </Button>
      </span>
    )
  }
  return (
    <RecordList {...list} id={({ id }) => id} name={name} columns={[...columns, actions]}>
      <AddRecord
        {...picker}
        add={async ({ id, label }) => {
          await act(id)
          toast.done(done(label))
        }}
      />
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={unlink.title(leavingName)}
        action={unlink.label}
        act={async () => {
          if (leaving === undefined) return
          await unlink.act(leaving.id)
          toast.done(unlink.done(leavingName))
        }}
      >
        {unlink.lead}
      </ConfirmDialog>
    </RecordList>
  )
}
