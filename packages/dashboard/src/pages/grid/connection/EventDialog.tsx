import { type GridEvent, SHOWN_INTERVALS } from "@edp/domain/grid/GridEvent"
import { formatNumber, formatTime } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { Dialog } from "../../../kit/Dialog.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { Table } from "../../../kit/Table.tsx"
import { Facts } from "../../../kit/components.tsx"
import { Outcomes } from "./Outcomes.tsx"
import { payloadsText } from "./payloadText.ts"

interface DetailsProps {
  readonly event: GridEvent
  readonly timeZone: string
}

const Details = ({ event, timeZone }: DetailsProps) => {
  const t = useMessages("grid")
  const language = useLanguage()
  const time = (at: string | null) =>
    at === null ? t.noEnd : formatTime(language, Date.parse(at), { dateStyle: "medium", timeStyle: "short", timeZone })
  return (
    <div className="stack">
      <Facts
        items={[
          [t.status, t.eventStatuses[event.status]],
          [t.priority, event.priority === null ? t.lowest : formatNumber(language, event.priority)],
          [t.vtnId, <code key="id">{event.vtnEventId}</code>],
          [t.modified, <Age key="modified" time={event.modifiedAt} timeZone={timeZone} />]
        ]}
      />
      <div>
        <h3>{t.outcome}</h3>
        <Outcomes event={event} isWhole />
      </div>
      <Table
        caption={t.intervals}
        rows={event.intervals}
        id={({ startsAt }) => startsAt}
        empty={<p className="muted">{t.noIntervals}</p>}
        columns={[
          { id: "from", header: t.from, isName: true, cell: ({ startsAt }) => time(startsAt) },
          { id: "to", header: t.to, cell: ({ endsAt }) => time(endsAt) },
          {
            id: "says",
            header: t.says,
            cell: ({ payloads }) => payloadsText(language, payloads) || t.noPayload
          }
        ]}
      />
      {event.intervals.length === SHOWN_INTERVALS && (
        <p className="muted">{t.firstIntervals({ count: formatNumber(language, SHOWN_INTERVALS) })}</p>
      )}
      <p className="muted">{t.zone({ timeZone })}</p>
    </div>
  )
}

interface EventDialogProps {
  readonly event: GridEvent | undefined
  readonly timeZone: string
  readonly onClose: () => void
}

/** All intervals of an event, with what became of it. */
export const EventDialog = ({ event, timeZone, onClose }: EventDialogProps) => (
  <Dialog open={event !== undefined} onClose={onClose} title={event?.name ?? event?.vtnEventId ?? ""} wide>
    {event && <Details event={event} timeZone={timeZone} />}
  </Dialog>
)
