import type { ReactNode } from "react"
import "./Coded.css"

interface CodedProps {
  readonly code: string
  readonly children: ReactNode
}

/** A value in words, with its code below: that is what the API, the command line and the documents call it. */
export const Coded = ({ code, children }: CodedProps) => (
  <span className="coded">
    {children}
    <code>{code}</code>
  </span>
)
