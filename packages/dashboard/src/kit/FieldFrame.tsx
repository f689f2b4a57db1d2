import type { ReactNode } from "react"
import "./FieldFrame.css"

/** Attributes that tie a control to its label, its hint and its problem. */
export interface DescribedControl {
  readonly id: string
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": true | undefined
}

interface FieldFrameProps {
  /** The id of the control. */
  readonly id: string
  readonly label: ReactNode
  /** Follows the label: whether the field is required. */
  readonly mark?: ReactNode
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  /** The label is only for screen readers, where its place says what it is. */
  readonly hideLabel?: boolean | undefined
  readonly className?: string | undefined
  readonly children: (control: DescribedControl) => ReactNode
}

/** A control with its label, a hint and the reason of a refusal. It knows no form, so it is also rendered on a server. */
export const FieldFrame = (props: FieldFrameProps) => {
  const { id, label, mark, hint, problem, hideLabel = false, className, children } = props
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(Boolean)
  return (
    <div className={className === undefined ? "field" : `field ${className}`}>
      <label htmlFor={id} className={hideLabel ? "hidden" : undefined}>
        {label}
        {mark}
      </label>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": problem !== undefined || undefined
      })}
      {problem !== undefined && (
        <p className="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}
