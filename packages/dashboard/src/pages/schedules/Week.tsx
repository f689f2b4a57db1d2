import type { ScheduleMode, ScheduleRule } from "@edp/domain/schedules/Schedule"
import { DAY_MINUTES, formatTime as formatMinutes, weekDays } from "@edp/domain/schedules/week"
import { DateTime } from "effect"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { useInputText } from "../../kit/commands/CommandItem.tsx"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { weekOrder } from "./scheduleForm.ts"

interface Plan {
  readonly timezone: string
  readonly defaultMode: ScheduleMode | null
  readonly rules: ReadonlyArray<ScheduleRule>
}

/** The names of the days, by their number; 0 is Sunday. */
export const useDayNames = (style: "short" | "long") => {
  const language = useLanguage()
  // The first of January 2023 was a Sunday.
  return (day: number) => formatTime(language, Date.UTC(2023, 0, 1 + day, 12), { weekday: style, timeZone: "UTC" })
}

const HOURS = [0, 6, 12, 18]

/** Colours of modes; a week has few. */
const COLOURS = 6

/** The minutes since the beginning of Monday in a time zone. */
const minuteOfWeek = (now: number, timeZone: string) => {
  const { hour, minute, weekDay } = DateTime.toParts(DateTime.makeZonedUnsafe(now, { timeZone }))
  return ((weekDay + 6) % 7) * DAY_MINUTES + hour * 60 + minute
}

/** A schedule's week by local time: a row for each day with the modes that hold, a line for the present, and a legend. */
export const Week = ({ timezone, defaultMode, rules }: Plan) => {
  const t = useMessages("schedules")
  const dayName = useDayNames("short")
  const longName = useDayNames("long")
  const inputText = useInputText()
  const now = useAtomValue(minuteAtom)
  const modes = rules.map(({ mode }) => inputText(mode as Readonly<Record<string, unknown>>))
  const beside = defaultMode === null ? t.asItIs : inputText(defaultMode as Readonly<Record<string, unknown>>)
  const legend = [...new Set(modes)]
  const text = (rule: number | undefined) => (rule === undefined ? beside : modes[rule]!)
  const colour = (rule: number | undefined) =>
    rule === undefined || modes[rule] === beside ? 0 : (legend.indexOf(modes[rule]!) % COLOURS) + 1
  const present = minuteOfWeek(now, timezone)
  const [today, minute] = [Math.floor(present / DAY_MINUTES), present % DAY_MINUTES]
  const days = weekDays(rules)
  const part = days[today]!.find(({ from, to }) => from <= minute && minute < to)!
  const share = (minutes: number) => `${(minutes / DAY_MINUTES) * 100}%`
  return (
    <figure className="schedules-week">
      <div className="schedules-hours" aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour} style={{ left: share(hour * 60) }}>
            {formatMinutes(hour * 60)}
          </span>
        ))}
      </div>
      <ol>
        {days.map((parts, day) => (
          <li key={day} aria-label={longName(weekOrder[day]!)}>
            <span className="schedules-day" aria-hidden="true">
              {dayName(weekOrder[day]!)}
            </span>
            <div className="schedules-track">
              {parts.map(({ from, to, rule }) => (
                <span
                  key={from}
                  className={`schedules-part colour-${colour(rule)}`}
                  style={{ left: share(from), width: share(to - from) }}
                  title={`${formatMinutes(from)}–${formatMinutes(to)} ${text(rule)}`}
                >
                  <span className="hidden">{`${formatMinutes(from)}–${formatMinutes(to)} ${text(rule)}. `}</span>
                </span>
              ))}
              {day === today && <span className="schedules-now" style={{ left: share(minute) }} />}
            </div>
          </li>
        ))}
      </ol>
      <ul className="schedules-legend">
        {legend.map((mode) => (
          <li key={mode}>
            <span className={`schedules-part colour-${colour(modes.indexOf(mode))}`} /> {mode}
          </li>
        ))}
        {!legend.includes(beside) && (
          <li>
            <span className="schedules-part colour-0" /> {beside}
          </li>
        )}
      </ul>
      <figcaption className="muted">
        <strong>{t.present}:</strong> {text(part.rule)}, {t.until({ time: formatMinutes(part.to) })} ·{" "}
        {t.weekCaption({ timeZone: timezone })}
      </figcaption>
    </figure>
  )
}
