import { type Delivery, deliveryStatuses, type DeliveryStatus } from "@edp/domain/destinations/Delivery"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { CursorPager } from "../../kit/CursorPager.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Badge, Card, Empty } from "../../kit/Parts.tsx"
import { Table } from "../../kit/Table.tsx"
import { useParameters } from "../../kit/useParameters.ts"
import { useAtomRefresh } from "../../state/atoms.ts"
import { excerpt, statusStates } from "./destinationState.ts"
import { NextAttempt } from "./NextAttempt.tsx"
import { deliveriesQuery } from "./queries.ts"
import { texts } from "./texts.ts"

const isStatus = (text: string | undefined): text is DeliveryStatus => deliveryStatuses.includes(text as DeliveryStatus)

/** The answer of a receiver, or the reason why there is none. */
export const answerText = ({ statusCode, error, responseBody }: Delivery["attempts"][number]): string =>
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
  const t = useTexts(texts)
  const language = useLanguage()
  const [, change] = useParameters()
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
          id: "answer",
          header: t.answer,
          cell: ({ attempts: [last] }) => (last === undefined ? "–" : answerText(last))
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
  const t = useTexts(texts)
  const [parameters, change] = useParameters()
  const status = isStatus(parameters["status"]) ? parameters["status"] : undefined
  const query = deliveriesQuery(id, status, parameters["cursor"])
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
              ...deliveryStatuses.map((value) => ({ value: value as string, label: t.statuses[value] }))
            ]}
            onChange={(value) => change({ status: value === "" ? undefined : value, cursor: undefined })}
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
            <CursorPager next={headers["x-next-cursor"]} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
