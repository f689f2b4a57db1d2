import { formatTime } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"
import { Empty } from "./components.tsx"
import { type Period, periodAt, type PeriodSearch, periodSearch } from "../i18n/period.ts"
import type { Change } from "./useChange.ts"

interface NoReadingsProps {
  readonly title?: string
  readonly period: Period
  readonly timeZone: string
  /** The time of the newest reading, as far as it is known. */
  readonly newest: string | null | undefined
  readonly onChange: Change<PeriodSearch>
}

/** Stands where the chosen time has no readings, or none that the title speaks of, and leads to the day of the newest. */
export const NoReadings = ({ title, period, timeZone, newest, onChange }: NoReadingsProps) => {
  const t = useMessages("noReadings")
  const language = useLanguage()
  const missing = title ?? t.none
  if (newest === null || newest === undefined) return <Empty icon="chart" title={missing} />
  const time = Date.parse(newest)
  // A reading at midnight ends the day before.
  const found = periodAt(time - 1, "day", timeZone)
  const isShown = period.unit === "day" && period.day === found.day
  return (
    <Empty
      icon="chart"
      title={missing}
      actions={isShown ? undefined : <Button onClick={() => onChange(periodSearch(found))}>{t.show}</Button>}
    >
      {t.newest({ time: formatTime(language, time, { dateStyle: "medium", timeStyle: "short", timeZone }) })}
    </Empty>
  )
}
