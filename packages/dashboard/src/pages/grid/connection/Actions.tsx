import type { GridConnection } from "@edp/domain/grid/GridConnection"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMessages } from "../../../i18n/useMessages.ts"
import { Button } from "../../../kit/Button.tsx"
import { useProblemText } from "../../../kit/Problem.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { ConnectionDialog } from "../ConnectionDialog.tsx"
import { RemoveDialog } from "../RemoveDialog.tsx"
import { useConnectionActs } from "../useConnectionActs.ts"

/** The actions on a connection, with their dialogs. */
export const Actions = ({ connection }: { readonly connection: GridConnection }) => {
  const t = useMessages("grid")
  const toast = useToast()
  const explain = useProblemText()
  const navigate = useNavigate()
  const { remove, setEnabled } = useConnectionActs()
  const [asked, setAsked] = useState<"edit" | "remove">()
  const close = () => setAsked(undefined)
  const { enabled, id } = connection
  return (
    <>
      <Button icon="pen" onClick={() => setAsked("edit")}>
        {t.edit}
      </Button>
      <Button busy={setEnabled.busy} onClick={() => void setEnabled.run({ id, enabled: !enabled })}>
        {enabled ? t.pause : t.resume}
      </Button>
      <Button tone="danger" onClick={() => setAsked("remove")}>
        {t.remove}
      </Button>
      {setEnabled.problem && <p role="alert">{explain(setEnabled.problem)}</p>}
      <ConnectionDialog
        open={asked === "edit"}
        stored={connection}
        onClose={close}
        onSaved={() => {
          toast.done(t.saved)
          close()
        }}
      />
      <RemoveDialog
        connection={asked === "remove" ? connection : undefined}
        onClose={close}
        act={async (removed) => {
          await remove(removed)
          void navigate({ to: "/dashboard/grid-connections", replace: true })
        }}
      />
    </>
  )
}
