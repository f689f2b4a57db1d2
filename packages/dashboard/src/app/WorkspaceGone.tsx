import type { Session } from "@edp/domain/dashboard/Session"
import { useState } from "react"
import { openWorkspace } from "../api/session.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "../kit/Button.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { SelectField } from "../kit/Field.tsx"

interface WorkspaceGoneProps {
  readonly open: boolean
  readonly workspaces: Session["workspaces"]
}

/** Says that the chosen workspace was deleted, and opens another one. */
export const WorkspaceGone = ({ open, workspaces }: WorkspaceGoneProps) => {
  const t = useMessages("signIn")
  const { workspace } = useMessages("app")
  const [chosen, setChosen] = useState<string>()
  const id = chosen ?? workspaces[0]?.id
  return (
    <Dialog
      open={open}
      onClose={() => {}}
      required
      title={t.goneTitle}
      description={id === undefined ? t.workspaceMissing : t.goneLead}
      actions={
        id !== undefined && (
          <Button tone="main" onClick={() => openWorkspace(id)}>
            {t.goneAction}
          </Button>
        )
      }
    >
      {id !== undefined && (
        <SelectField
          label={workspace}
          value={id}
          options={workspaces.map((each) => ({ value: each.id, label: each.name }))}
          onChange={setChosen}
        />
      )}
    </Dialog>
  )
}
