import { useState } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { CheckField } from "../../kit/Field.tsx"
import { type ColumnId, columnIds, usualColumns } from "./columns.ts"

interface ColumnsButtonProps {
  readonly columns: ReadonlyArray<ColumnId>
  readonly onChange: (columns: ReadonlyArray<ColumnId>) => void
}

/** Chooses the columns of the list. A choice holds at once, and the browser keeps it for the workspace. */
export const ColumnsButton = ({ columns, onChange }: ColumnsButtonProps) => {
  const t = useMessages("fleet")
  const kit = useMessages("kit")
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="filter" className="fleet-columns-button" onClick={() => setOpen(true)}>
        {t.columns}
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t.columns}
        description={t.columnsHint}
        actions={
          <>
            <Button onClick={() => onChange(usualColumns)}>{t.usualColumns}</Button>
            <Button tone="main" onClick={() => setOpen(false)}>
              {kit.close}
            </Button>
          </>
        }
      >
        <div className="fleet-column-choices">
          {columnIds.map((id) => (
            <CheckField
              key={id}
              label={t.columnNames[id]}
              checked={columns.includes(id)}
              onChange={(isShown) =>
                onChange(columnIds.filter((each) => (each === id ? isShown : columns.includes(each))))
              }
            />
          ))}
        </div>
      </Dialog>
    </>
  )
}
