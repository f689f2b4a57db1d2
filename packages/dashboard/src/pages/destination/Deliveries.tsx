import { type Delivery, deliveryStatuses } from "@edp/domain/destinations/Delivery"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { deliveriesQuery } from "../../resources/destinations.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { deliveryStates } from "../../kit/states.ts"
import { RecordList } from "../../kit/RecordList.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomRefresh } from "../../state/atoms.ts"
import { excerpt } from "./destinationState.ts"
import { NextAttempt } from "./NextAttempt.tsx"

const route = pageRoute("/dashboard/destinations/$id")

/** The response of a receiver, or the reason why there is none. */
export const responseText = ({ statusCode, error, responseBody }: Delivery["attempts"][number]): string =>
  [statusCode, error === null ? responseBody && excerpt(responseBody) : excerpt(error)]
    .filter((part) => part !== null && part !== "")
    .join(" · ") || "–"

/** The deliveries of a destination, with the newest attempt of each. */
export const Deliveries = ({ id }: { readonly id: string }) => {
  const t = useMessages("destination")
  const language = useLanguage()
  const search = route.useSearch()
  const change = route.useChange()
  const query = deliveriesQuery(id, search)
  const refresh = useAtomRefresh(query)
  return (
    <RecordList
      title={t.deliveries}
      caption={t.caption}
      actions={
        <>
          <ChoiceFilter
            label={t.status}
            hideLabel
            all={t.allStatuses}
            value={search.status}
            values={deliveryStatuses}
            name={(status) => t.statuses[status]}
            onChange={(status) => change({ status, cursor: undefined })}
          />
          <Button icon="refresh" onClick={refresh}>
            {t.refresh}
          </Button>
        </>
      }
      query={query}
      paging={{ cursor: search.cursor, onCursor: (cursor) => change({ cursor }) }}
      id={({ id }) => id}
      none={{ icon: "send", title: t.none, hint: t.noneHint }}
      noMatch={search.status !== undefined && { title: t.noMatch }}
      columns={[
        { id: "event", header: t.event, isName: true, cell: (row) => row.eventType },
        { id: "created", header: t.created, cell: (row) => <Age time={row.createdAt} /> },
        {
          id: "status",
          header: t.status,
          cell: (row) => <Badge state={deliveryStates[row.status]}>{t.statuses[row.status]}</Badge>
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
        detailsColumn<Delivery>({
          label: t.details,
          title: (row) => t.open({ type: row.eventType }),
          onOpen: (row) => change({ delivery: row.id })
        })
      ]}
    />
  )
}
