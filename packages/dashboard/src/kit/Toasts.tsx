import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { IconButton } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import "./Toasts.css"

interface Toast {
  readonly id: number
  readonly text: string
  readonly state: "good" | "bad"
}

const SHOWN_MS = 6000
const MOST = 3

interface Toaster {
  /** An act succeeded. The message goes by itself. */
  readonly done: (text: string) => void
  /** An act failed. The message stays until it is closed. */
  readonly failed: (text: string) => void
}

const ToastContext = createContext<Toaster>({ done: () => {}, failed: () => {} })

const Message = ({ toast, onClose }: { readonly toast: Toast; readonly onClose: () => void }) => {
  const t = useMessages("kit")
  useEffect(() => {
    if (toast.state === "bad") return
    const timer = setTimeout(onClose, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast, onClose])
  return (
    <div className={`toast ${toast.state}`}>
      <Icon name={toast.state === "bad" ? "warning" : "check"} />
      <p className="toast-title">{toast.text}</p>
      <IconButton icon="cross" label={t.close} onClick={onClose} />
    </div>
  )
}

/** Short messages after an action, in a corner; screen readers read them. */
export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<ReadonlyArray<Toast>>([])
  const last = useRef(0)
  const add = useCallback((state: Toast["state"], text: string) => {
    const id = ++last.current
    setToasts((former) => [...former.slice(1 - MOST), { id, text, state }])
  }, [])
  const remove = useCallback((id: number) => setToasts((former) => former.filter((each) => each.id !== id)), [])
  const toaster = useMemo(
    () => ({ done: (text: string) => add("good", text), failed: (text: string) => add("bad", text) }),
    [add]
  )
  return (
    <ToastContext value={toaster}>
      {children}
      <div className="toasts" role="status">
        {toasts.map((toast) => (
          <Message key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
        ))}
      </div>
    </ToastContext>
  )
}

/** Functions that show a short message. */
export const useToast = () => useContext(ToastContext)
