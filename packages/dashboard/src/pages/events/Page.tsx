import { eventTypes } from "@edp/domain/events/EventType"
import { getRouteApi } from "@tanstack/react-router"
import { type StoredEvent, type StoredEventsQuery, storedEventsQuery } from "../../api/storedEvents.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { useAtomRefresh } from "../../state/atoms.ts"
import { Button } from "../../kit/Button.tsx"
import { CursorPager } from "../../kit/CursorPager.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { fromLocalInput } from "../../kit/localTime.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, Empty, PageHeader } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { type ChangeOptions, useChange } from "../../kit/useChange.ts"
import { EventDetails } from "./EventDetails.tsx"
import { eventSubjects } from "./subjects.ts"
import { SubjectLink } from "./SubjectLink.tsx"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/events")

const noFilters = { type: undefined, device: undefined, site: undefined, from: undefined, to: undefined }

type Search = ReturnType<typeof route.useSearch>

const hasFilters = ({ type, device, site, from, to }: Search) => [type, device, site, from, to].some(Boolean)

/** The request that the parameters of the address mean. */
const requested = ({ type, device, site, from, to, cursor }: Search): StoredEventsQuery => {
  const [since, until] = [fromLocalInput(from), fromLocalInput(to)]
  return {
    perPage: 50,
    ...(type && { type }),
    ...(device?.trim() && { deviceId: device.trim() }),
    ...(site?.trim() && { siteId: site.trim() }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
    ...(cursor && { cursor })
  }
}

const Filters = () => {
  const t = useMessages(messages)
  const search = route.useSearch()
  const change = useChange(route.useNavigate())
  const filter = (changed: Partial<Search>, options?: ChangeOptions) =>
    change({ ...changed, cursor: undefined }, options)
  return (
    <div className="filters">
      <SelectField
        label={t.type}
        value={search.type ?? ""}
        options={[
          { value: "", label: t.allTypes },
          ...eventTypes.map((type) => ({ value: type as string, label: type }))
        ]}
        onChange={(value) => filter({ type: value || undefined })}
      />
      <SearchField label={t.device} value={search.device} onSearch={(device, options) => filter({ device }, options)} />
      <SearchField label={t.site} value={search.site} onSearch={(site, options) => filter({ site }, options)} />
      {/* Each part of a time that is typed is a change. */}
      <TextField
        label={t.from}
        type="datetime-local"
        value={search.from ?? ""}
        onChange={(from) => filter({ from: from || undefined }, { replace: search.from !== undefined })}
      />
      <TextField
        label={t.to}
        type="datetime-local"
        value={search.to ?? ""}
        onChange={(to) => filter({ to: to || undefined }, { replace: search.to !== undefined })}
      />
      {hasFilters(search) && (
        <Button tone="quiet" icon="cross" onClick={() => filter(noFilters)}>
          {t.clear}
        </Button>
      )}
    </div>
  )
}

interface FeedProps {
  readonly events: ReadonlyArray<StoredEvent>
  readonly waiting: boolean
  readonly isFiltered: boolean
}

const Feed = ({ events, waiting, isFiltered }: FeedProps) => {
  const t = useMessages(messages)
  const change = useChange(route.useNavigate())
  return (
    <Table
      caption={t.caption}
      rows={events}
      id={(event) => event.id}
      waiting={waiting}
      empty={
        <Empty icon="clock" title={isFiltered ? t.noMatch : t.none}>
          {isFiltered ? t.noMatchHint : t.noneHint}
        </Empty>
      }
      columns={[
        { id: "type", header: t.type, isName: true, cell: (event) => event.type },
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
        {
          id: "details",
          header: "",
          align: "end",
          cell: (event) => (
            <Button small tone="quiet" aria-label={t.open(event.type)} onClick={() => change({ event: event.id })}>
              {t.details}
            </Button>
          )
        }
      ]}
    />
  )
}

export const Page = () => {
  const t = useMessages(messages)
  const search = route.useSearch()
  const change = useChange(route.useNavigate())
  const query = storedEventsQuery(requested(search))
  const refresh = useAtomRefresh(query)
  const isFiltered = hasFilters(search)
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
      <Card flush>
        <Loaded query={query}>
          {({ body, headers }, { waiting }) => (
            <>
              <Feed events={body.data} waiting={waiting} isFiltered={isFiltered} />
              <CursorPager
                next={headers["x-next-cursor"]}
                cursor={search.cursor}
                onShow={(cursor) => change({ cursor })}
              />
            </>
          )}
        </Loaded>
      </Card>
      <EventDetails id={search.event} onClose={() => change({ event: undefined }, { replace: true })} />
    </>
  )
}
