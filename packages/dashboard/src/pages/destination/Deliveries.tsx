import { type Delivery, deliveryStatuses } from "@edp/domain/destinations/Delivery"
import { getRouteApi } from "@tanstack/react-router"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { CursorPager } from "../../kit/CursorPager.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Badge, Card, Empty } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { useChange } from "../../kit/useChange.ts"
import { useAtomRefresh } from "../../state/atoms.ts"
import { excerpt, statusStates } from "./destinationState.ts"
import { NextAttempt } from "./NextAttempt.tsx"
import { deliveriesQuery } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/destinations/$id")

/** The response of a receiver, or the reason why there is none. */
export const responseText = ({ statusCode, error, responseBody }: Delivery["attempts"][number]): string =>
  [statusCode, error === null ? responseBody && excerpt(responseBody) : excerpt(error)]
    .filter((part) => part !== null && part !== "")
    .join(" · ") || "–"

const List = ({
  rows,
  waiting,
  isFiltered
}: {
  rows: ReadonlyArray<Delivery>
  waiting: boolean
  isFiltered: boolean
}) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const change = useChange(route.useNavigate())
  return (
    <Table
      caption={t.caption}
      rows={rows}
      id={(row) => row.id}
      waiting={waiting}
      empty={
        <Empty icon="send" title={isFiltered ? t.noMatch : t.none}>
          {isFiltered ? undefined : t.noneHint}
        </Empty>
      }
      columns={[
        { id: "event", header: t.event, isName: true, cell: (row) => row.eventType },
        { id: "created", header: t.created, cell: (row) => <Age time={row.createdAt} /> },
        {
          id: "status",
          header: t.status,
          cell: (row) => <Badge state={statusStates[row.status]}>{t.statuses[row.status]}</Badge>
        },
        {
          id: "last",
          header: t.last,
          isExtra: true,
          cell: ({ attempts: [last] }) => (last === undefined ? "–" : <Age time={last.attemptedAt} />)
        },
        {
          id: "duration",
          header: t.duration,
          align: "end",
          isExtra: true,
          cell: ({ attempts: [last] }) =>
            last === undefined ? "–" : `${formatNumber(language, last.durationMs)}\u00a0ms`
        },
        {
          id: "response",
          header: t.response,
          cell: ({ attempts: [last] }) => (last === undefined ? "–" : responseText(last))
        },
        {
          id: "next",
          header: t.next,
          cell: (row) => <NextAttempt delivery={row} />
        },
        {
          id: "details",
          header: "",
          align: "end",
          cell: (row) => (
            <Button small tone="quiet" aria-label={t.open(row.eventType)} onClick={() => change({ delivery: row.id })}>
              {t.details}
            </Button>
          )
        }
      ]}
    />
  )
}

/** The deliveries of a destination, with the newest attempt of each. */
export const Deliveries = ({ id }: { readonly id: string }) => {
  const t = useMessages(messages)
  const { cursor, status } = route.useSearch()
  const change = useChange(route.useNavigate())
  const query = deliveriesQuery(id, status, cursor)
  const refresh = useAtomRefresh(query)
  return (
    <Card
      title={t.deliveries}
      flush
      actions={
        <>
          <SelectField
            label={t.status}
            hideLabel
            value={status ?? ""}
            options={[
              { value: "", label: t.allStatuses },
              ...deliveryStatuses.map((value) => ({ value, label: t.statuses[value] }))
            ]}
            onChange={(value) => change({ status: value || undefined, cursor: undefined })}
          />
          <Button icon="refresh" onClick={refresh}>
            {t.refresh}
          </Button>
        </>
      }
    >
      <Loaded query={query}>
        {({ body, headers }, { waiting }) => (
          <>
            <List rows={body.data} waiting={waiting} isFiltered={status !== undefined} />
            <CursorPager next={headers["x-next-cursor"]} cursor={cursor} onShow={(next) => change({ cursor: next })} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
