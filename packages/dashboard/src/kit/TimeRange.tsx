import { useRouter, useRouterState } from "@tanstack/react-router"
import type { Language } from "@edp/domain/shared/Language"
import { useEffect, useEffectEvent, useId } from "react"
import { formatDays, formatTime, formatTimes } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import {
  calendarUnits,
  chosenPeriod,
  DAY,
  formerPeriod,
  isCalendar,
  movePeriod,
  overlaysFor,
  type Period,
  periodAt,
  periodFromDay,
  type PeriodSearch,
  periodSearch,
  type PeriodUnit,
  recentUnits,
  spanSearch,
  toLocalText
} from "../i18n/period.ts"
import { nowMillis } from "../state/now.ts"
import { Button, IconButton } from "./Button.tsx"
import { DayPicker } from "./DateTimeField.tsx"
import { InstantField } from "./InstantField.tsx"
import { isDialogOpen, isTyping } from "./keys.ts"
import type { Change } from "./useChange.ts"
import "./TimeRange.css"

const formats = {
  day: { dateStyle: "full" },
  month: { month: "long", year: "numeric" },
  year: { year: "numeric" }
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

/** The name of a period, such as "March 2026". */
export const periodName = (language: Language, { unit, from, to }: Period, timeZone: string): string => {
  if (unit === "day" || unit === "month" || unit === "year")
    return formatTime(language, from, { ...formats[unit], timeZone })
  return unit === "week" || unit === "7d" || unit === "30d" || isWholeDays(from, to, timeZone)
    ? formatDays(language, from, to, timeZone)
    : formatTimes(language, from, to, timeZone)
}

/** A short name of a period, for legends. */
export const shortPeriodName = (language: Language, { from, to }: Period, timeZone: string): string =>
  isWholeDays(from, to, timeZone) ? formatDays(language, from, to, timeZone) : formatTimes(language, from, to, timeZone)

const isWholeDays = (from: number, to: number, timeZone: string) =>
  to - from >= DAY && [from, to].every((time) => toLocalText(time, timeZone).endsWith("T00:00"))

/** A change of the time in the address by zooming, which a key undoes. */
export const zoomTo = (change: Change<PeriodSearch>) => (from: number, to: number) =>
  change(spanSearch(from, to), { isZoom: true })

const UNDOING = ["Escape", "Backspace"]

/** Whether the present step of the browser's history is a zoom; Escape or Backspace leads back from it. */
const useZoomOut = () => {
  const router = useRouter()
  const isZoom = useRouterState({ select: ({ location }) => location.state.isZoom === true })
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing && !event.repeat
    if (!UNDOING.includes(event.key) || !isPlain || event.defaultPrevented) return
    if (isTyping(event.target) || isDialogOpen()) return
    event.preventDefault()
    router.history.back()
  })
  useEffect(() => {
    if (!isZoom) return
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [isZoom])
  return isZoom ? () => router.history.back() : undefined
}

/** Leads back from a zoom, or says how to zoom. */
export const ZoomOut = () => {
  const t = useMessages("timeRange")
  const zoomOut = useZoomOut()
  return zoomOut === undefined ? (
    <span className="muted period-hint">{t.zoom}</span>
  ) : (
    <Button small tone="quiet" aria-keyshortcuts="Escape Backspace" onClick={zoomOut}>
      {t.zoomOut} <kbd>Esc</kbd>
    </Button>
  )
}

interface Choice<Id extends string> {
  readonly id: Id
  readonly label: string
  readonly title?: string | undefined
}

interface SegmentsProps<Id extends string> {
  readonly label: string
  readonly choices: ReadonlyArray<Choice<Id>>
  readonly chosen: string
  readonly onChoose: (id: Id) => void
}

const Segments = <Id extends string>({ label, choices, chosen, onChoose }: SegmentsProps<Id>) => (
  <div className="segments" role="group" aria-label={label}>
    {choices.map(({ id, label: name, title }) => (
      <button key={id} type="button" title={title} aria-pressed={id === chosen} onClick={() => onChoose(id)}>
        {name}
      </button>
    ))}
  </div>
)

interface SpanInputsProps {
  readonly period: Period
  readonly timeZone: string
  readonly onChange: Change<PeriodSearch>
}

/** The bounds of a span, each taken once both make one. */
const SpanInputs = ({ period, timeZone, onChange }: SpanInputsProps) => {
  const t = useMessages("timeRange")
  const take = (bounds: { readonly from: number; readonly to: number }) => {
    const search = bounds.to - bounds.from >= 60_000 ? spanSearch(bounds.from, bounds.to) : undefined
    if (search !== undefined && chosenPeriod(search, timeZone).unit === "span") onChange(search)
  }
  return (
    <span className="period-span">
      {(["from", "to"] as const).map((name) => (
        <InstantField
          key={name}
          label={t[name]}
          value={period[name]}
          timeZone={timeZone}
          onChange={(time) => time !== undefined && take({ from: period.from, to: period.to, [name]: time })}
          hideLabel
          required
        />
      ))}
    </span>
  )
}

interface TimeRangeProps {
  readonly period: Period
  readonly timeZone: string
  readonly units?: ReadonlyArray<PeriodUnit>
  readonly onChange: Change<PeriodSearch>
}

const allUnits: ReadonlyArray<PeriodUnit> = [...recentUnits, ...calendarUnits, "span"]

/** Chooses the time that a page shows: up to now, a unit of the calendar, or any span. The choice is in the address. */
export const TimeRange = ({ period, timeZone, units = allUnits, onChange }: TimeRangeProps) => {
  const t = useMessages("timeRange")
  const language = useLanguage()
  const show = (next: Period) => onChange(periodSearch(next))
  const today = periodAt(nowMillis(), "day", timeZone)
  const { unit } = period
  const isToday = unit === "day" && period.day === today.day
  const recent = [
    ...recentUnits.filter((each) => each.endsWith("h")),
    "today" as const,
    ...recentUnits.filter((each) => each.endsWith("d"))
  ].filter((each) => units.includes(each === "today" ? "day" : each))
  const others = [...calendarUnits, "span" as const].filter((each) => units.includes(each))
  const name = periodName(language, period, timeZone)
  const chooseUnit = (id: PeriodUnit | "today") => {
    if (id === "today") return show(today)
    if (id === "span") return show({ ...period, unit: id })
    return show(isCalendar(id) ? periodAt(period.from, id, timeZone) : chosenPeriod({ unit: id }, timeZone))
  }
  return (
    <div className="period" role="group" aria-label={t.period}>
      <select
        className="period-select"
        aria-label={t.period}
        value={isToday ? "today" : unit}
        onChange={(event) => chooseUnit(event.currentTarget.value as PeriodUnit | "today")}
      >
        <optgroup label={t.recent}>
          {recent.map((id) => (
            <option key={id} value={id}>
              {id === "today" ? t.today : t.lasting[id]}
            </option>
          ))}
        </optgroup>
        <optgroup label={t.calendar}>
          {others.map((id) => (
            <option key={id} value={id}>
              {t.units[id]}
            </option>
          ))}
        </optgroup>
      </select>
      <Segments
        label={t.recent}
        choices={recent.map((id) => ({
          id,
          label: id === "today" ? t.today : t.units[id],
          title: id === "today" ? undefined : t.lasting[id]
        }))}
        chosen={isToday ? "today" : unit}
        onChoose={chooseUnit}
      />
      <Segments
        label={t.calendar}
        choices={others.map((id) => ({ id, label: t.units[id] }))}
        chosen={isToday ? "" : unit}
        onChoose={chooseUnit}
      />
      <span className="period-steps">
        <IconButton icon="left" label={t.earlier} onClick={() => show(movePeriod(period, -1, timeZone))} />
        {isCalendar(unit) ? (
          <DayPicker
            label={t.date}
            value={period.day}
            trigger={
              <Button className="period-name" icon="calendar">
                {name}
              </Button>
            }
            onChoose={(day) => {
              const chosen = periodFromDay(day, unit, timeZone)
              if (chosen !== undefined && chosen.day !== period.day) show(chosen)
            }}
          />
        ) : (
          unit !== "span" && <strong className="period-name">{name}</strong>
        )}
        {unit === "span" && <SpanInputs period={period} timeZone={timeZone} onChange={onChange} />}
        <IconButton icon="right" label={t.later} onClick={() => show(movePeriod(period, 1, timeZone))} />
      </span>
      {isCalendar(unit) && (
        <Button small tone="quiet" onClick={() => show(periodAt(nowMillis(), unit, timeZone))}>
          {t.now}
        </Button>
      )}
      {units.includes("span") && <ZoomOut />}
    </div>
  )
}

/** The parameter of the address for the period that is laid over. */
export interface OverlaySearch {
  readonly over?: string | undefined
}

interface OverlayChoiceProps {
  readonly period: Period
  readonly timeZone: string
  readonly over: string | undefined
  readonly onChange: Change<OverlaySearch>
}

/** Chooses another period that the chart shows as well. */
export const OverlayChoice = ({ period, timeZone, over, onChange }: OverlayChoiceProps) => {
  const t = useMessages("timeRange")
  const language = useLanguage()
  const id = useId()
  const former = formerPeriod(period, over, timeZone)
  const isDate = former !== undefined && periodFromDay(over, "day", timeZone) !== undefined
  const choices = [
    { id: "", label: t.none },
    ...overlaysFor(period).map((each) => ({ id: each as string, label: t.overlays[each] }))
  ]
  const choose = (chosen: string) => onChange({ over: chosen || undefined })
  return (
    <div className="period" role="group" aria-labelledby={id}>
      <span className="muted" id={id}>
        {t.compare}
      </span>
      <select
        className="period-select"
        aria-labelledby={id}
        value={former === undefined || isDate ? "" : over!}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.label}
          </option>
        ))}
      </select>
      <Segments label={t.compare} choices={choices} chosen={former === undefined ? "" : over!} onChoose={choose} />
      <DayPicker
        label={t.overlayDate}
        value={isDate ? over! : ""}
        trigger={
          <Button small tone="quiet" icon="calendar" title={t.overlayDate}>
            {isDate ? periodName(language, former.period, timeZone) : t.otherDate}
          </Button>
        }
        onChoose={(day) => {
          if (day !== over && formerPeriod(period, day, timeZone) !== undefined) onChange({ over: day })
        }}
      />
      {former !== undefined && !isDate && <strong>{periodName(language, former.period, timeZone)}</strong>}
    </div>
  )
}
