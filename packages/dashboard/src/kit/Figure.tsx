import type { ReactNode } from "react"
import { formatAge, formatExact, formatQuantity, formatShare, formatTime, type Unit } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { useAtomValue } from "../state/atoms.ts"
import { minuteAtom, nowMillis, tickAtom } from "../state/now.ts"
import "./Figure.css"

interface AgeProps {
  /** A time as the API gives it, or in milliseconds since 1970; null if it never happened. */
  readonly time: string | number | Date | null | undefined
  /** The age is shown in seconds. */
  readonly live?: boolean
  readonly timeZone?: string
}

export const toMillis = (time: string | number | Date): number =>
  typeof time === "number" ? time : time instanceof Date ? time.getTime() : Date.parse(time)

/** How long ago something was. The full time is its tooltip. */
export const Age = ({ time, live = false, timeZone }: AgeProps) => {
  const language = useLanguage()
  const t = useMessages("kit")
  useAtomValue(live ? tickAtom : minuteAtom)
  // The step may be a minute old, and what has happened since is not in the future.
  const now = nowMillis()
  if (time === null || time === undefined) return <span className="muted">{t.never}</span>
  const millis = toMillis(time)
  const full = formatTime(language, millis, { dateStyle: "full", timeStyle: "long", ...(timeZone && { timeZone }) })
  return (
    <time dateTime={new Date(millis).toISOString()} title={full}>
      {/* The present is up to a minute behind: what just happened is not in the future. */}
      {now - millis < 5000 && millis - now < 60_000 ? t.now : formatAge(language, millis, now)}
    </time>
  )
}

interface FigureProps {
  readonly label?: ReactNode
  /** Null: there is no value, for the reason given. */
  readonly value: number | null | undefined
  readonly unit: Unit
  readonly reason?: ReactNode
  /** Time of the reading, for its age. */
  readonly time?: AgeProps["time"]
  /** Share of the time that was measured, from 0 to 1. */
  readonly coverage?: number | null
  /** Explains the value, such as its sign in a word. */
  readonly note?: ReactNode
  readonly size?: "normal" | "large"
}

/** A figure with its unit, its age and its coverage. Without a value it says so and why; it never shows 0 instead. */
export const Figure = ({ label, value, unit, reason, time, coverage, note, size = "normal" }: FigureProps) => {
  const language = useLanguage()
  const t = useMessages("kit")
  return (
    <div className={`figure ${size}`}>
      {label !== undefined && <span className="figure-label">{label}</span>}
      {value === null || value === undefined ? (
        <span className="figure-value absent" title={t.noValue}>
          –
        </span>
      ) : (
        <span className="figure-value" title={formatExact(language, value, unit)}>
          {formatQuantity(language, value, unit)}
        </span>
      )}
      <span className="figure-note">
        {(value === null || value === undefined) && <span>{reason ?? t.noValue}</span>}
        {note !== undefined && value !== null && value !== undefined && <span>{note}</span>}
        {time !== undefined && value !== null && value !== undefined && <Age time={time} live />}
        {value !== null && value !== undefined && typeof coverage === "number" && coverage < 0.995 && (
          <span>{t.coverage({ percent: formatShare(language, coverage) })}</span>
        )}
      </span>
    </div>
  )
}

interface WordFigureProps {
  readonly label: ReactNode
  /** Null: there is no value, for the reason given. */
  readonly value: ReactNode
  readonly reason?: ReactNode
  readonly note?: ReactNode
}

/** A value that is not a number, such as a mode, in the place of a figure. */
export const WordFigure = ({ label, value, reason, note }: WordFigureProps) => {
  const t = useMessages("kit")
  const isAbsent = value === null || value === undefined
  return (
    <div className="figure normal">
      <span className="figure-label">{label}</span>
      <span className={isAbsent ? "figure-value absent" : "figure-value"}>{isAbsent ? "–" : value}</span>
      <span className="figure-note">{isAbsent ? (reason ?? t.noValue) : note}</span>
    </div>
  )
}
