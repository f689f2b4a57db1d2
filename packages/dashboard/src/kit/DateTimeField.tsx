import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useId, useState } from "react"
import "./DateTimeField.css"

export interface DateTimeFieldProps {
  readonly kind: "date" | "datetime" | "time"
  readonly label: ReactNode
  /** As native controls have it: `2026-03-01`, `2026-03-01T12:00` or `12:00`; empty without a value. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The time zone of a date with a time, which the field names, and of the present day. */
  readonly timeZone?: string
  readonly hint?: ReactNode
  /** The reason why the service refused the value. */
  readonly problem?: string | undefined
  /** The reason why the value can't be sent, beyond what the field knows itself. */
  readonly invalid?: string | undefined
  readonly required?: boolean | undefined
  readonly hideLabel?: boolean | undefined
  readonly autoFocus?: boolean
}

const base = () => import("./base/DateBase.tsx")
const DateTimeFieldBase = lazy(() => base().then((loaded) => ({ default: loaded.DateTimeFieldBase })))
const DayPickerBase = lazy(() => base().then((loaded) => ({ default: loaded.DayPickerBase })))

/**
 * A date, a time of day or both, in the format of the page's language. Native controls have that of the browser's language instead.
 * Its code is loaded with the first field.
 */
export const DateTimeField = (props: DateTimeFieldProps) => {
  const id = useId()
  return (
    <Suspense
      fallback={
        <div className="field">
          <span className={props.hideLabel ? "hidden" : "date-label"}>{props.label}</span>
          {props.hint !== undefined && <p className="hint">{props.hint}</p>}
          <div className="date-control" />
        </div>
      }
    >
      <DateTimeFieldBase {...props} id={id} />
    </Suspense>
  )
}

export interface DayPickerProps {
  /** Names the day, for screen readers. */
  readonly label: string
  /** A day such as `2026-03-01`; empty if none is chosen. */
  readonly value: string
  readonly trigger: ReactElement<{ "aria-haspopup"?: "dialog"; "aria-expanded"?: boolean; onClick?: () => void }>
  readonly onChoose: (day: string) => void
}

/** A button that opens a day to type or to choose from a month. Its code is loaded when it is first opened. */
export const DayPicker = (props: DayPickerProps) => {
  const [wanted, setWanted] = useState(false)
  const closed = cloneElement(props.trigger, {
    "aria-haspopup": "dialog",
    "aria-expanded": false,
    onClick: () => setWanted(true)
  })
  return wanted ? (
    <Suspense fallback={closed}>
      <DayPickerBase {...props} />
    </Suspense>
  ) : (
    closed
  )
}
