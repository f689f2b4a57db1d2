import type { GridTimeline, GridTimelineSegment } from "@edp/domain/grid/GridEvent"
import { DateTime } from "effect"
import { formatTime } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { Card, Empty, Facts } from "../../../kit/components.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Table } from "../../../kit/Table.tsx"
import { gridTimelineQuery } from "../../../resources/grid.ts"
import { payloadsText } from "./payloadText.ts"
import { markedHours, type TimelineRow, timelineRows } from "./timelineRows.ts"

/** Colours of bands. More different texts than these have no legend. */
const COLOURS = 6

interface PartProps {
  readonly timeZone: string
  readonly programName: (id: string) => string
}

const useWords = (timeZone: string) => {
  const t = useMessages("grid")
  const language = useLanguage()
  const time = (text: string) =>
    formatTime(language, Date.parse(text), { weekday: "short", hour: "numeric", minute: "2-digit", timeZone })
  return {
    payloads: ({ payloads }: GridTimelineSegment) => payloadsText(language, payloads) || t.noPayload,
    time,
    until: ({ endsAt }: GridTimelineSegment) => (endsAt === null ? t.noEnd : t.until({ time: time(endsAt) }))
  }
}

interface BandsProps extends PartProps {
  readonly timeline: GridTimeline
  readonly rows: ReadonlyArray<TimelineRow>
}

/** The bands are a picture; the list below has the same in words. */
const Bands = ({ timeline, rows, timeZone, programName }: BandsProps) => {
  const words = useWords(timeZone)
  const language = useLanguage()
  const legend = [...new Set(timeline.segments.map(words.payloads))]
  const isNamed = legend.length <= COLOURS
  const colour = (text: string) => legend.indexOf(text) + 1
  const percent = (share: number) => `${share * 100}%`
  const localHour = (time: number) => {
    const { hour, minute } = DateTime.toParts(DateTime.makeZonedUnsafe(time, { timeZone }))
    return hour + minute / 60
  }
  const marks = markedHours(timeline, localHour)
  return (
    <figure className="grid-timeline">
      <div aria-hidden="true">
        <div className="grid-hours">
          {marks.map(({ left, time }) => (
            <span key={time} style={{ left: percent(left) }}>
              {formatTime(language, time, { hour: "numeric", timeZone })}
            </span>
          ))}
        </div>
        {rows.map(({ programId, bands }) => {
          // Without a legend, a colour only tells the bands of its own row apart.
          const own = [...new Set(bands.map(({ segment }) => words.payloads(segment)))]
          const bandColour = (text: string) => (isNamed ? colour(text) : (own.indexOf(text) % COLOURS) + 1)
          return (
            <div key={programId} className="grid-row">
              <span>{programName(programId)}</span>
              <div className="grid-track">
                {bands.map(({ left, segment, width }) => (
                  <span
                    key={segment.startsAt}
                    className={`grid-band colour-${bandColour(words.payloads(segment))}`}
                    style={{ left: percent(left), width: percent(width) }}
                    title={`${words.time(segment.startsAt)} – ${words.until(segment)}: ${words.payloads(segment)}`}
                  />
                ))}
              </div>
            </div>
          )
        })}
      </div>
      {isNamed && (
        <ul className="grid-legend" aria-hidden="true">
          {legend.map((text) => (
            <li key={text}>
              <span className={`grid-band colour-${colour(text)}`} /> {text}
            </li>
          ))}
        </ul>
      )}
    </figure>
  )
}

interface TimelineBandsProps extends PartProps {
  readonly timeline: GridTimeline
  /** Replaces what stands there without events. */
  readonly emptyHint?: string
}

/** The payloads that are in effect now and later, by program. */
export const TimelineBands = ({ timeline, timeZone, programName, emptyHint }: TimelineBandsProps) => {
  const t = useMessages("grid")
  const words = useWords(timeZone)
  const rows = timelineRows(timeline)
  if (rows.length === 0) {
    return (
      <Empty icon="clock" title={t.nothingGoverns}>
        {emptyHint ?? t.nothingGovernsHint}
      </Empty>
    )
  }
  return (
    <div className="stack">
      <Facts
        wide
        items={rows.map(({ present, programId }) => [
          t.nowIn({ program: programName(programId) }),
          present === undefined ? t.nothingNow : `${words.payloads(present)}, ${words.until(present)}`
        ])}
      />
      <Bands {...{ timeline, rows, timeZone, programName }} />
      <details>
        <summary>{t.asList}</summary>
        <Table
          caption={t.governs}
          rows={timeline.segments}
          id={({ programId, startsAt }) => `${programId} ${startsAt}`}
          columns={[
            { id: "from", header: t.from, isName: true, cell: ({ startsAt }) => words.time(startsAt) },
            { id: "to", header: t.to, cell: ({ endsAt }) => (endsAt === null ? t.noEnd : words.time(endsAt)) },
            { id: "program", header: t.program, cell: ({ programId }) => programName(programId) },
            { id: "payloads", header: t.says, cell: words.payloads }
          ]}
        />
      </details>
      <p className="muted">{t.zone({ timeZone })}</p>
    </div>
  )
}

/** Shows which payloads are in effect now and in the next 24 hours, by program. */
export const Timeline = ({ id, ...rest }: PartProps & { readonly id: string }) => {
  const t = useMessages("grid")
  return (
    <Card title={t.governs}>
      <Loaded query={gridTimelineQuery(id)}>{(timeline) => <TimelineBands timeline={timeline} {...rest} />}</Loaded>
    </Card>
  )
}
