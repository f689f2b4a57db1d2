import { type ReactNode, useState } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { Dialog } from "./Dialog.tsx"
import { DialogForm } from "./DialogForm.tsx"
import { TextField } from "./Field.tsx"
import { useAction } from "./useAction.ts"

interface ConfirmDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  /** The consequences. */
  readonly children: ReactNode
  /** The name that must be typed; absent where the act can be undone. */
  readonly name?: string
  /** The words of the button: the act itself, such as "Revoke the key". */
  readonly action: string
  readonly tone?: "danger" | "main"
  /** The act. The dialog closes when it has succeeded, and explains a failure. */
  readonly act: () => Promise<unknown>
}

const Form = ({
  onClose,
  children,
  name,
  action,
  tone = "danger",
  act
}: Omit<ConfirmDialogProps, "open" | "title">) => {
  const t = useMessages("kit")
  const [typed, setTyped] = useState("")
  const { run, busy, problem } = useAction(async () => {
    await act()
    return true
  })
  const submit = async () => {
    if (await run()) onClose()
  }
  return (
    <DialogForm act={{ busy, problem }} action={action} tone={tone} onSubmit={submit} onCancel={onClose}>
      <div>{children}</div>
      {name !== undefined && (
        <TextField
          label={t.typeName({ name })}
          value={typed}
          onChange={setTyped}
          invalid={typed.trim() === name.trim() ? undefined : t.nameDiffers}
          required
          autoFocus
        />
      )}
    </DialogForm>
  )
}

/** Asks before an act. A destructive act needs the name of its object typed. */
export const ConfirmDialog = ({ open, title, ...rest }: ConfirmDialogProps) => (
  <Dialog open={open} onClose={rest.onClose} title={title}>
    <Form {...rest} />
  </Dialog>
)
