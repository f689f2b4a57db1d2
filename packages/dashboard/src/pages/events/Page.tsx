import { eventTypes } from "@edp/domain/events/EventType"
import { type StoredEvent, storedEventsQuery } from "../../resources/events.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { useAtomRefresh } from "../../state/atoms.ts"
import { Button } from "../../kit/Button.tsx"
import { Coded } from "../../kit/Coded.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PageHeader } from "../../kit/components.tsx"
import { DeviceFilter, SiteFilter } from "../../kit/recordFilters.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { TimeFilters } from "../../kit/TimeFilters.tsx"
import type { ChangeOptions } from "../../kit/useChange.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useEventName } from "../../kit/useEventName.ts"
import { EventDetails } from "./EventDetails.tsx"
import { eventSubjects } from "./subjects.ts"
import { SubjectLink } from "./SubjectLink.tsx"

const route = pageRoute("/dashboard/events")

const noFilters = { type: undefined, device: undefined, site: undefined, from: undefined, to: undefined }

type Search = ReturnType<typeof route.useSearch>

const hasFilters = ({ type, device, site, from, to }: Search) => [type, device, site, from, to].some(Boolean)

const Filters = () => {
  const t = useMessages("events")
  const eventName = useEventName()
  const search = route.useSearch()
  const change = route.useChange()
  const filter = (changed: Partial<Search>, options?: ChangeOptions) =>
    change({ ...changed, cursor: undefined }, options)
  return (
    <div className="filters">
      <ChoiceFilter<string>
        label={t.type}
        all={t.allTypes}
        value={search.type}
        values={eventTypes}
        name={eventName}
        onChange={(type) => filter({ type })}
      />
      <DeviceFilter id={search.device} onChange={(device) => filter({ device })} />
      <SiteFilter id={search.site} onChange={(site) => filter({ site })} />
      <TimeFilters labels={t} search={search} onChange={filter} />
      {hasFilters(search) && (
        <Button tone="quiet" icon="cross" onClick={() => filter(noFilters)}>
          {t.clear}
        </Button>
      )}
    </div>
  )
}

export const Page = () => {
  const t = useMessages("events")
  const eventName = useEventName()
  const search = route.useSearch()
  const change = route.useChange()
  const query = storedEventsQuery(search)
  const refresh = useAtomRefresh(query)
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <Button icon="refresh" onClick={refresh}>
            {t.refresh}
          </Button>
        }
      />
      <Filters />
      <RecordList
        query={query}
        paging={{ cursor: search.cursor, onCursor: (cursor) => change({ cursor }) }}
        id={({ id }) => id}
        caption={t.caption}
        none={{ icon: "clock", title: t.none, hint: t.noneHint }}
        noMatch={hasFilters(search) && { title: t.noMatch, hint: t.noMatchHint }}
        columns={[
          {
            id: "type",
            header: t.type,
            isName: true,
            cell: ({ type }) => <Coded code={type}>{eventName(type)}</Coded>
          },
          { id: "time", header: t.time, cell: (event) => <Age time={event.timestamp} /> },
          {
            id: "concerns",
            header: t.concerns,
            cell: (event) => {
              const [subject] = eventSubjects(event)
              return subject === undefined ? "–" : <SubjectLink subject={subject} named />
            }
          },
          { id: "sequence", header: t.sequence, align: "end", isExtra: true, cell: (event) => event.sequence },
          detailsColumn<StoredEvent>({
            label: t.details,
            title: (event) => t.open({ type: eventName(event.type) }),
            onOpen: (event) => change({ event: event.id })
          })
        ]}
      />
      <EventDetails id={search.event} onClose={() => change({ event: undefined }, { replace: true })} />
    </>
  )
}
