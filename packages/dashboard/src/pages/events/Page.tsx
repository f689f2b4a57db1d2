import { eventTypes } from "@edp/domain/events/EventType"
import { type StoredEvent, type StoredEventsQuery, storedEventsQuery } from "../../api/storedEvents.ts"
import { useTexts } from "../../i18n/useTexts.ts"
import { useAtomRefresh } from "../../state/atoms.ts"
import { Button } from "../../kit/Button.tsx"
import { CursorPager } from "../../kit/CursorPager.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { fromLocalInput } from "../../kit/localTime.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, Empty, PageHeader } from "../../kit/Parts.tsx"
import { Table } from "../../kit/Table.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { type Parameters, useParameters } from "../../kit/useParameters.ts"
import { EventDetails } from "./EventDetails.tsx"
import { eventSubjects } from "./subjects.ts"
import { SubjectLink } from "./SubjectLink.tsx"
import { texts } from "./texts.ts"

const filterNames = ["type", "device", "site", "from", "to"] as const

/** The request that the parameters of the address mean. */
const requested = ({ type, device, site, from, to, cursor }: Parameters): StoredEventsQuery => {
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
  const t = useTexts(texts)
  const [parameters, change] = useParameters()
  const filter = (name: string, value: string) =>
    change({ [name]: value === "" ? undefined : value, cursor: undefined })
  /** Each part of a time that is typed is a change. */
  const typed = (name: string, value: string) =>
    change({ [name]: value === "" ? undefined : value, cursor: undefined }, { replace: parameters[name] !== undefined })
  const isFiltered = filterNames.some((name) => parameters[name])
  return (
    <div className="filters">
      <SelectField
        label={t.type}
        value={parameters["type"] ?? ""}
        options={[
          { value: "", label: t.allTypes },
          ...eventTypes.map((type) => ({ value: type as string, label: type }))
        ]}
        onChange={(value) => filter("type", value)}
      />
      <SearchField label={t.device} parameter="device" />
      <SearchField label={t.site} parameter="site" />
      <TextField
        label={t.from}
        type="datetime-local"
        value={parameters["from"] ?? ""}
        onChange={(value) => typed("from", value)}
      />
      <TextField
        label={t.to}
        type="datetime-local"
        value={parameters["to"] ?? ""}
        onChange={(value) => typed("to", value)}
      />
      {isFiltered && (
        <Button
          tone="quiet"
          icon="cross"
          onClick={() =>
            change({ ...Object.fromEntries(filterNames.map((name) => [name, undefined])), cursor: undefined })
          }
        >
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
  const t = useTexts(texts)
  const [, change] = useParameters()
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
  const t = useTexts(texts)
  const [parameters, change] = useParameters()
  const query = storedEventsQuery(requested(parameters))
  const refresh = useAtomRefresh(query)
  const isFiltered = filterNames.some((name) => parameters[name])
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
              <CursorPager next={headers["x-next-cursor"]} />
            </>
          )}
        </Loaded>
      </Card>
      <EventDetails id={parameters["event"]} onClose={() => change({ event: undefined }, { replace: true })} />
    </>
  )
}
