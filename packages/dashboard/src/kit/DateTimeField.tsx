import { cloneElement, lazy, Suspense, useId, useState } from "react"
import type { DateTimeFieldProps, DayPickerProps } from "./base/DateBase.tsx"
import "./DateTimeField.css"

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
