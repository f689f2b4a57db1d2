import { type GridEvent, type GridEventStatus, gridEventStatuses } from "@edp/domain/grid/GridEvent"
import { useState } from "react"
import { formatTime } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { gridEventsQuery } from "../../../resources/grid.ts"
import { ChoiceFilter } from "../../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../../kit/detailsColumn.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { Badge, type State } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { EventDialog } from "./EventDialog.tsx"
import { Outcomes } from "./Outcomes.tsx"
import { payloadsText } from "./payloadText.ts"

const route = pageRoute("/dashboard/grid-connections/$id")

const states: Readonly<Record<GridEventStatus, State>> = {
  upcoming: "info",
  active: "good",
  ended: "plain",
  deleted: "warn"
}

interface EventsProps {
  readonly id: string
  readonly timeZone: string
  readonly programName: (id: string) => string
}

/** The events of a VTN, with what they say and what became of them. */
export const Events = ({ id, timeZone, programName }: EventsProps) => {
  const t = useMessages("grid")
  const language = useLanguage()
  const { page, status } = route.useSearch()
  const change = route.useChange()
  const [opened, setOpened] = useState<GridEvent>()
  const name = (event: GridEvent) => event.name ?? event.vtnEventId
  const time = (at: string) =>
    formatTime(language, Date.parse(at), { dateStyle: "medium", timeStyle: "short", timeZone })
  const says = ({ intervals }: GridEvent) => {
    const [first, ...others] = intervals
    if (first === undefined) return "–"
    const text = payloadsText(language, first.payloads) || t.noPayload
    return others.length === 0 ? text : `${text} ${t.moreIntervals({ count: others.length })}`
  }
  return (
    <RecordList
      title={t.events}
      actions={
        <ChoiceFilter
          label={t.status}
          hideLabel
          all={t.everyStatus}
          value={status}
          values={gridEventStatuses}
          name={(value) => t.eventStatuses[value]}
          onChange={(next) => change({ status: next, page: undefined })}
        />
      }
      query={gridEventsQuery(id, { page, status })}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={(row) => row.id}
      name={name}
      none={{ icon: "clock", title: t.noEvents, hint: t.noEventsHint }}
      noMatch={status !== undefined && { title: t.noMatchingEvent }}
      columns={[
        {
          id: "name",
          header: t.event,
          isName: true,
          cell: (row) => (
            <span className="grid-name">
              {name(row)}
              <span className="muted">{programName(row.programId)}</span>
            </span>
          )
        },
        {
          id: "status",
          header: t.status,
          cell: (row) => <Badge state={states[row.status]}>{t.eventStatuses[row.status]}</Badge>
        },
        { id: "starts", header: t.starts, cell: ({ startsAt }) => (startsAt === null ? "–" : time(startsAt)) },
        { id: "says", header: t.says, cell: says },
        { id: "outcome", header: t.outcome, cell: (row) => <Outcomes event={row} /> },
        detailsColumn<GridEvent>({
          label: t.details,
          title: (row) => t.openEvent({ name: name(row) }),
          onOpen: setOpened
        })
      ]}
    >
      <EventDialog event={opened} timeZone={timeZone} onClose={() => setOpened(undefined)} />
    </RecordList>
  )
}
