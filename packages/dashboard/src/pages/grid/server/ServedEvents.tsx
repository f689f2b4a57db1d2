import type { ServedEvent } from "@edp/domain/dashboard/OpenAdrServer"
import { Link } from "@tanstack/react-router"
import { formatTime } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { openAdrServerQuery } from "../../../resources/openadr.ts"
import { Loaded } from "../../../kit/Loaded.tsx"
import { ListedOf } from "../../../kit/ListedOf.tsx"
import { Table } from "../../../kit/Table.tsx"
import { Badge, Card, Empty, type State } from "../../../kit/components.tsx"
import { payloadsText } from "../connection/payloadText.ts"

const badges: Readonly<Record<ServedEvent["state"], State>> = {
  governing: "good",
  overruled: "plain",
  upcoming: "info",
  untimed: "warn"
}

/** The events that VENs can read now and next, and which of them governs. */
export const ServedEvents = ({ timeZone }: { readonly timeZone: string }) => {
  const t = useMessages("openadr")
  const grid = useMessages("grid")
  const language = useLanguage()
  const time = (at: string | null) =>
    at === null ? "–" : formatTime(language, Date.parse(at), { dateStyle: "medium", timeStyle: "short", timeZone })
  const name = (event: ServedEvent) => event.name ?? event.id
  const says = ({ intervalCount, payloads }: ServedEvent) => {
    const text = payloadsText(language, payloads) || grid.noPayload
    return intervalCount < 2 ? text : `${text} ${grid.moreIntervals({ count: intervalCount - 1 })}`
  }
  return (
    <Loaded query={openAdrServerQuery}>
      {({ eventCount, events }) => (
        <Card flush>
          <Table
            caption={t.eventsCaption}
            rows={events}
            id={({ id }) => id}
            name={name}
            empty={
              <Empty icon="clock" title={t.noEvents}>
                {t.noEventsHint}
              </Empty>
            }
            columns={[
              {
                id: "name",
                header: t.event,
                isName: true,
                cell: (row) => (
                  <span className="grid-name">
                    {name(row)}
                    <span className="muted">{row.programName}</span>
                  </span>
                )
              },
              {
                id: "state",
                header: t.state,
                cell: ({ state }) => <Badge state={badges[state]}>{t.eventStates[state]}</Badge>
              },
              { id: "says", header: t.payload, cell: says },
              { id: "starts", header: t.starts, cell: ({ startsAt }) => time(startsAt) },
              {
                id: "ends",
                header: t.ends,
                cell: ({ endsAt, startsAt }) => (startsAt && !endsAt ? t.noEnd : time(endsAt))
              },
              { id: "priority", header: t.priority, cell: ({ priority }) => priority ?? t.lowest },
              {
                id: "targets",
                header: t.targets,
                cell: ({ targets }) =>
                  targets.length === 0 ? <span className="muted">{t.everyVen}</span> : targets.join(", ")
              },
              {
                id: "source",
                header: t.source,
                cell: ({ dispatchId }) =>
                  dispatchId === null ? (
                    t.businessLogic
                  ) : (
                    <Link to="/dashboard/dispatches/$id" params={{ id: dispatchId }}>
                      {t.dispatch}
                    </Link>
                  )
              }
            ]}
          />
          <ListedOf shown={events.length} total={eventCount} />
        </Card>
      )}
    </Loaded>
  )
}
