import { type DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import type { EventType } from "@edp/domain/events/EventType"
import { Link } from "@tanstack/react-router"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { destinationChanged, destinationNamesQuery, DestinationsClient } from "../../resources/destinations.ts"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { CheckField } from "../../kit/Field.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { Badge, Card, Empty } from "../../kit/components.tsx"

/** The events of alerts. */
const alertEvents = ["ALERT_CREATED", "ALERT_UPDATED"] as const satisfies ReadonlyArray<EventType>

const address = ({ email, kafkaConfig, label, phoneNumber, url }: DestinationOverview) =>
  label ?? email ?? phoneNumber ?? url ?? kafkaConfig?.topic ?? ""

const State = ({ row: { deactivated, health } }: { readonly row: DestinationOverview }) => {
  const t = useMessages("notification")
  if (deactivated) return <Badge state="bad">{t.deactivated}</Badge>
  return health.failingSince === null ? <Badge state="good">{t.active}</Badge> : <Badge state="warn">{t.failing}</Badge>
}

const NotifyTable = ({ rows }: { readonly rows: ReadonlyArray<DestinationOverview> }) => {
  const t = useMessages("notification")
  const toast = useToast()
  const call = useApi(DestinationsClient)
  const change = useAction(async (row: DestinationOverview, event: EventType, isNotified: boolean) => {
    const rest = row.eventTypes.filter((each) => each !== event)
    const eventTypes = isNotified ? [...rest, event] : rest
    await call(
      (client) => client.destinations.update({ params: { id: row.id }, query: {}, payload: { eventTypes } }),
      destinationChanged(row.id)
    )
    toast.done(t.changed({ name: address(row) }))
  })
  return (
    <>
      {change.problem && <ProblemNotice problem={change.problem} />}
      <Table
        caption={t.caption}
        rows={rows}
        id={({ id }) => id}
        columns={[
          {
            id: "name",
            header: t.destination,
            isName: true,
            cell: (row) => (
              <Link to="/dashboard/destinations/$id" params={{ id: row.id }}>
                {address(row) || row.id}
              </Link>
            )
          },
          { id: "type", header: t.type, cell: ({ destinationType }) => t.types[destinationType] },
          { id: "devices", header: t.devices, cell: ({ deviceType }) => t.groups[deviceType ?? "ALL"] },
          ...alertEvents.map((event) => ({
            id: event,
            header: t.events[event],
            cell: (row: DestinationOverview) => (
              <CheckField
                label={<span className="hidden">{t.notify({ event: t.events[event], name: address(row) })}</span>}
                checked={row.eventTypes.includes(event)}
                // A destination receives at least one type of events.
                disabled={change.busy || (row.eventTypes.length === 1 && row.eventTypes[0] === event)}
                onChange={(isNotified) => void change.run(row, event, isNotified)}
              />
            )
          })),
          { id: "state", header: t.state, cell: (row) => <State row={row} /> }
        ]}
      />
    </>
  )
}

/** The destinations that receive the events of alerts. Those that receive other events alone can be given them. */
export const Notifications = () => {
  const t = useMessages("notification")
  const add = (
    <ButtonLink small icon="plus" to="/dashboard/destinations" search={{ edit: "new" }}>
      {t.add}
    </ButtonLink>
  )
  return (
    <Card title={t.title} actions={add}>
      <div className="stack">
        <p className="muted">{t.lead}</p>
        <Loaded query={destinationNamesQuery}>
          {({ data, totalItems }) => {
            const rows = data.filter(({ destinationType }) => destinationType !== "MANUFACTURER_COMMAND")
            return rows.length === 0 ? (
              <Empty icon="send" title={t.none}>
                {t.noneHint}
              </Empty>
            ) : (
              <>
                <NotifyTable rows={rows} />
                <ListedOf shown={data.length} total={totalItems} />
              </>
            )
          }}
        </Loaded>
      </div>
    </Card>
  )
}
