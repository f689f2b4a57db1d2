import { useEffect, useEffectEvent, useState } from "react"
import { fromLocalText, toLocalText } from "../i18n/period.ts"
import type { DateTimeFieldProps } from "./base/DateBase.tsx"
import { DateTimeField } from "./DateTimeField.tsx"

/** A time that was typed is taken after this pause, in milliseconds. */
const PAUSE = 500

interface InstantFieldProps extends Omit<DateTimeFieldProps, "kind" | "value" | "onChange" | "timeZone"> {
  /** In milliseconds since 1970. */
  readonly value: number | undefined
  readonly timeZone: string
  readonly onChange: (time: number | undefined) => void
}

/** A time that something is shown of. It is taken once typing pauses, and what is being typed stays until then. */
export const InstantField = ({ value, timeZone, onChange, ...field }: InstantFieldProps) => {
  const [typed, setTyped] = useState<{ readonly text: string; readonly over: number | undefined }>()
  const read = (text: string) => fromLocalText(text, timeZone)
  // Another value than the typed one was set meanwhile, such as none.
  if (typed !== undefined && typed.over !== value)
    setTyped(read(typed.text) === value ? { ...typed, over: value } : undefined)
  const take = useEffectEvent((text: string) => {
    const time = read(text)
    if (time !== value && (time !== undefined || text === "")) onChange(time)
  })
  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => take(typed.text), PAUSE)
    return () => clearTimeout(timer)
  }, [typed?.text])
  return (
    <DateTimeField
      {...field}
      kind="datetime"
      timeZone={timeZone}
      value={typed?.text ?? (value === undefined ? "" : toLocalText(value, timeZone))}
      onChange={(text) => setTyped({ text, over: value })}
    />
  )
}
