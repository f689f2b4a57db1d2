import { Dialog as Base } from "@base-ui/react/dialog"
import type { ReactNode } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { IconButton } from "../Button.tsx"
import "./DialogBase.css"

export interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
  readonly wide?: boolean
  /** A dialog that must be answered has no cross and stays when the background is clicked. */
  readonly required?: boolean
}

interface DialogBaseProps extends DialogProps {
  /** The element that had the focus before, and gets it back. */
  readonly before: HTMLElement | null
}

/** The element that gets the focus back: none if nothing had it, or if something beyond the dialog, such as an opened page, has it by now. */
const returnFocus = (before: HTMLElement | null) => {
  const focused = document.activeElement
  const isElsewhere = focused !== null && focused !== document.body && focused.closest(".dialog") === null
  return before !== document.body && !isElsewhere && before
}

const DialogBase = (props: DialogBaseProps) => {
  const { open, onClose, title, description, children, actions, wide, required, before } = props
  const t = useMessages("kit")
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && !required && onClose()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={wide ? "dialog wide" : "dialog"} finalFocus={() => returnFocus(before)}>
          <div className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {!required && <IconButton icon="cross" label={t.close} onClick={onClose} />}
          </div>
          {description !== undefined && (
            <Base.Description className="muted" render={<div />}>
              {description}
            </Base.Description>
          )}
          {children}
          {actions && <div className="dialog-actions">{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export default DialogBase
