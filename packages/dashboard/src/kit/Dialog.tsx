import { lazy, Suspense, useRef } from "react"
import type { DialogProps } from "./base/DialogBase.tsx"

const DialogBase = lazy(() => import("./base/DialogBase.tsx"))

/**
 * A modal dialog: it holds the focus and gives it back, and Escape closes it. Its code is loaded when a dialog is first opened, and
 * its content exists only while it is open.
 */
export const Dialog = (props: DialogProps) => {
  const wasOpen = useRef(false)
  const isOpen = useRef(false)
  // A field of the dialog may take the focus before the dialog could note who had it.
  const before = useRef<HTMLElement>(null)
  if (props.open && !isOpen.current) before.current = document.activeElement as HTMLElement | null
  isOpen.current = props.open
  wasOpen.current ||= props.open
  return (
    wasOpen.current && (
      <Suspense fallback={null}>
        <DialogBase {...props} before={before} />
      </Suspense>
    )
  )
}
