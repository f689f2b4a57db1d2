import type { Delivery } from "@edp/domain/destinations/Delivery"
import type { DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import { Link } from "@tanstack/react-router"
import { type StoredEvent, storedEventQuery } from "../../resources/events.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { destinationNamesQuery, destinationQuery, eventDeliveriesQuery } from "../../resources/destinations.ts"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age, toMillis } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import { Badge, Empty, Facts } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { deliveryStates } from "../../kit/states.ts"
import { useEventName } from "../../kit/useEventName.ts"
import { eventSubjects } from "./subjects.ts"
import { SubjectLink } from "./SubjectLink.tsx"

const nameDestination = (found: DestinationOverview | undefined, id: string) =>
  found === undefined ? id : (found.label ?? found.url ?? found.email ?? found.phoneNumber ?? found.manufacturer ?? id)

/** The name of a destination that is not among the newest ones, with the id until it is read. */
const DestinationName = ({ id }: { readonly id: string }) =>
  nameDestination(currentValue(useAtomValue(destinationQuery(id))), id)

const EventDeliveries = ({ id }: { readonly id: string }) => {
  const t = useMessages("events")
  return (
    <Loaded query={eventDeliveriesQuery(id)}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty
            icon="send"
            title={t.noDeliveries}
            actions={<ButtonLink to="/dashboard/destinations">{t.toDestinations}</ButtonLink>}
          >
            {t.noDeliveriesHint}
          </Empty>
        ) : (
          <Loaded query={destinationNamesQuery}>
            {(destinations) => {
              const known = new Map(destinations.data.map((each) => [each.id, each]))
              const name = ({ destinationId }: Delivery) => nameDestination(known.get(destinationId), destinationId)
              return (
                <Table
                  caption={t.deliveries}
                  rows={data}
                  id={(row) => row.id}
                  columns={[
                    {
                      id: "destination",
                      header: t.destination,
                      isName: true,
                      cell: (row) =>
                        known.has(row.destinationId) ? name(row) : <DestinationName id={row.destinationId} />
                    },
                    {
                      id: "status",
                      header: t.status,
                      cell: (row) => <Badge state={deliveryStates[row.status]}>{t.statuses[row.status]}</Badge>
                    },
                    { id: "attempts", header: t.attempts, align: "end", cell: (row) => row.attempts.length },
                    {
                      id: "last",
                      header: t.last,
                      cell: ({ attempts: [last] }) =>
                        last === undefined ? (
                          "–"
                        ) : (
                          <span>
                            <Age time={last.attemptedAt} /> · {last.statusCode ?? last.error ?? "–"}
                          </span>
                        )
                    },
                    {
                      id: "next",
                      header: t.next,
                      cell: (row) => (row.nextAttemptAt === null ? "–" : <Age time={row.nextAttemptAt} />)
                    },
                    {
                      id: "show",
                      header: "",
                      align: "end",
                      cell: (row) => (
                        <Link
                          to="/dashboard/destinations/$id"
                          params={{ id: row.destinationId }}
                          search={{ delivery: row.id }}
                          aria-label={t.showDelivery({ name: name(row) })}
                        >
                          {t.show}
                        </Link>
                      )
                    }
                  ]}
                />
              )
            }}
          </Loaded>
        )
      }
    </Loaded>
  )
}

const EventContent = ({ event }: { readonly event: StoredEvent }) => {
  const t = useMessages("events")
  const language = useLanguage()
  return (
    <>
      <Facts
        items={[
          [t.time, formatTime(language, toMillis(event.timestamp), { dateStyle: "medium", timeStyle: "long" })],
          [t.id, <code key="id">{event.id}</code>],
          [t.sequence, event.sequence],
          [t.version, event.version],
          ...eventSubjects(event).map(
            (subject) => [t.kinds[subject.kind], <SubjectLink key={subject.id} subject={subject} />] as const
          )
        ]}
      />
      <h3>{t.deliveries}</h3>
      <EventDeliveries id={event.id} />
      <h3>{t.payload}</h3>
      <Code text={JSON.stringify(event, null, 2)} label={t.payload} />
    </>
  )
}

interface EventDetailsProps {
  /** The event of the address; undefined for none. */
  readonly id: string | undefined
  readonly onClose: () => void
}

/** An event with what it concerns, its deliveries and its payload. */
export const EventDetails = ({ id, onClose }: EventDetailsProps) => {
  const t = useMessages("events")
  const eventName = useEventName()
  return id === undefined ? (
    <Dialog open={false} onClose={onClose} title="" />
  ) : (
    <Loaded query={storedEventQuery(id)} placeholder={<Dialog open onClose={onClose} title={t.details} wide />}>
      {(event) => (
        <Dialog open onClose={onClose} title={eventName(event.type)} wide>
          <EventContent event={event} />
        </Dialog>
      )}
    </Loaded>
  )
}
