import type { ReactNode } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"
import { Code } from "./Copy.tsx"
import { Dialog } from "./Dialog.tsx"

interface SecretDialogProps {
  /** The secret; undefined while none is shown. */
  readonly secret: string | undefined
  readonly title: string
  /** Its purpose, and how long it can be seen. */
  readonly children: ReactNode
  readonly onClose: () => void
}

/** Shows a secret to copy. It is nowhere on the page once the dialog is closed. */
export const SecretDialog = ({ secret, title, children, onClose }: SecretDialogProps) => {
  const t = useMessages("kit")
  return (
    <Dialog
      open={secret !== undefined}
      onClose={onClose}
      title={title}
      required
      actions={
        <Button tone="main" onClick={onClose}>
          {t.stored}
        </Button>
      }
    >
      <div>{children}</div>
      {secret !== undefined && <Code text={secret} label={title} />}
    </Dialog>
  )
}
