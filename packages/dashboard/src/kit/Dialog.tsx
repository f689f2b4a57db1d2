import { lazy, Suspense, useState } from "react"
import type { DialogProps } from "./base/DialogBase.tsx"

const DialogBase = lazy(() => import("./base/DialogBase.tsx"))

interface Former {
  readonly isOpen: boolean
  readonly wasOpen: boolean
  readonly before: HTMLElement | null
}

const closed: Former = { isOpen: false, wasOpen: false, before: null }

const focused = () => (document.activeElement instanceof HTMLElement ? document.activeElement : null)

/**
 * A modal dialog: it holds the focus and gives it back, and Escape closes it. Its code is loaded when a dialog is first opened, and
 * its content exists only while it is open.
 */
export const Dialog = (props: DialogProps) => {
  const [{ isOpen, wasOpen, before }, setFormer] = useState<Former>(closed)
  if (props.open !== isOpen) {
    // A field of the dialog may take the focus before an effect could note who had it.
    setFormer(props.open ? { isOpen: true, wasOpen: true, before: focused() } : { isOpen: false, wasOpen, before })
  }
  return (
    wasOpen && (
      <Suspense fallback={null}>
        <DialogBase {...props} before={before} />
      </Suspense>
    )
  )
}
