import { formatDays, formatTime } from "../i18n/format.ts"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import type { Language } from "@edp/domain/shared/Language"
import { defineMessages } from "../i18n/language.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { nowMillis } from "../state/now.ts"
import { Button, IconButton } from "./Button.tsx"
import {
  movePeriod,
  type Period,
  periodAt,
  periodFromDay,
  type PeriodSearch,
  type PeriodUnit,
  periodUnits
} from "../i18n/period.ts"
import type { Change } from "./useChange.ts"
import "./PeriodPicker.css"

const messages = defineMessages({
  en: {
    period: "Period",
    units: { day: "Day", week: "Week", month: "Month", year: "Year" },
    earlier: "Earlier",
    later: "Later",
    now: "Now",
    date: "Date"
  },
  es: {
    period: "Periodo",
    units: { day: "Día", week: "Semana", month: "Mes", year: "Año" },
    earlier: "Anterior",
    later: "Siguiente",
    now: "Ahora",
    date: "Fecha"
  }
})

const formats: Readonly<Record<Exclude<PeriodUnit, "week">, Intl.DateTimeFormatOptions>> = {
  day: { dateStyle: "full" },
  month: { month: "long", year: "numeric" },
  year: { year: "numeric" }
}

/** The name of a period, such as "March 2026". */
export const periodName = (language: Language, { unit, from, to }: Period, timeZone: string): string =>
  unit === "week"
    ? formatDays(language, from, to, timeZone)
    : formatTime(language, from, { ...formats[unit], timeZone })

/** A date that was typed or picked is taken after this pause, in milliseconds. */
const PAUSE = 500

interface DateInputProps {
  readonly day: string
  /** Shows a day, if it is one that is not shown yet. `isFurther`: the date was shown before it was typed to its end. */
  readonly onChoose: (day: string, isFurther: boolean) => boolean
}

/** The control for a date. It keeps what is being typed: a value that is set from outside meanwhile would end the typing. */
const DateInput = ({ day, onChoose }: DateInputProps) => {
  const [typed, setTyped] = useState<string>()
  const isFurther = useRef(false)
  const choose = useEffectEvent(onChoose)
  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => {
      if (choose(typed, isFurther.current)) isFurther.current = true
    }, PAUSE)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="date"
      value={typed ?? day}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed !== undefined) onChoose(typed, isFurther.current)
        setTyped(undefined)
        isFurther.current = false
      }}
    />
  )
}

interface PeriodPickerProps {
  readonly period: Period
  readonly timeZone: string
  readonly units?: ReadonlyArray<PeriodUnit>
  readonly onChange: Change<PeriodSearch>
}

/** Chooses a day, week, month or year. The choice is in the address. */
export const PeriodPicker = ({ period, timeZone, units = periodUnits, onChange }: PeriodPickerProps) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const show = ({ unit, day }: Period, replace = false) => onChange({ unit, day }, { replace })
  return (
    <div className="period" role="group" aria-label={t.period}>
      <div className="segments">
        {units.map((unit) => (
          <button
            key={unit}
            type="button"
            aria-pressed={unit === period.unit}
            onClick={() => show(periodAt(period.from, unit, timeZone))}
          >
            {t.units[unit]}
          </button>
        ))}
      </div>
      <span className="period-steps">
        <IconButton icon="left" label={t.earlier} onClick={() => show(movePeriod(period, -1, timeZone))} />
        <label className="period-date">
          <span className="hidden">{t.date}</span>
          <DateInput
            day={period.day}
            onChoose={(day, isFurther) => {
              const chosen = periodFromDay(day, period.unit, timeZone)
              if (chosen === undefined || chosen.day === period.day) return false
              show(chosen, isFurther)
              return true
            }}
          />
        </label>
        <IconButton icon="right" label={t.later} onClick={() => show(movePeriod(period, 1, timeZone))} />
      </span>
      <Button small tone="quiet" onClick={() => show(periodAt(nowMillis(), period.unit, timeZone))}>
        {t.now}
      </Button>
      <strong>{periodName(language, period, timeZone)}</strong>
    </div>
  )
}
