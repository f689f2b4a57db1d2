import { useEffect, useState } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"
import "./Copy.css"

interface CopyProps {
  readonly text: string
  readonly label?: string
}

/** Copies a text, and says that it did. */
export const CopyButton = ({ text, label }: CopyProps) => {
  const t = useMessages("kit")
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button
      small
      tone="quiet"
      icon={copied ? "check" : "copy"}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
    >
      <span aria-live="polite">{copied ? t.copied : (label ?? t.copy)}</span>
    </Button>
  )
}

/** A command or a text to copy. It scrolls within its frame. */
export const Code = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className="code">
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)
