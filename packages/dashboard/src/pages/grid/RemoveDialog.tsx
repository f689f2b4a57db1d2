import type { GridConnection } from "@edp/domain/grid/GridConnection"
import { useMessages } from "../../i18n/useMessages.ts"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"

interface RemoveDialogProps {
  readonly connection: GridConnection | undefined
  readonly onClose: () => void
  readonly act: (connection: GridConnection) => Promise<unknown>
}

/** Asks before a connection is removed. */
export const RemoveDialog = ({ connection, onClose, act }: RemoveDialogProps) => {
  const t = useMessages("grid")
  return (
    <ConfirmDialog
      open={connection !== undefined}
      onClose={onClose}
      title={t.removeTitle}
      name={connection?.name ?? ""}
      action={t.removeTitle}
      act={async () => connection && act(connection)}
    >
      {t.removeLead}
    </ConfirmDialog>
  )
}
