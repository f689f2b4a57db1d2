import { connectSessionStatuses } from "@edp/domain/connections/ConnectSession"
import { getRouteApi } from "@tanstack/react-router"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Card, Empty } from "../../kit/components.tsx"
import { useChange } from "../../kit/useChange.ts"
import { ManufacturerField, useManufacturers } from "./manufacturers.tsx"
import { sessionsQuery } from "./queries.ts"
import { SessionBadge } from "./SessionBadge.tsx"
import { SessionDetails } from "./SessionDetails.tsx"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/connections")

interface ListProps {
  readonly query: ReturnType<typeof sessionsQuery>
  readonly isFiltered: boolean
}

const List = ({ query, isFiltered }: ListProps) => {
  const t = useMessages(messages)
  const { name } = useManufacturers()
  const change = useChange(route.useNavigate())
  return (
    <PagedTable
      caption={t.sessionsCaption}
      query={query}
      onPage={(next) => change({ page: next })}
      id={(row) => row.id}
      empty={
        <Empty icon="plug" title={isFiltered ? t.noMatch : t.noSessions}>
          {isFiltered ? undefined : t.noSessionsHint}
        </Empty>
      }
      columns={[
        { id: "reference", header: t.reference, isName: true, cell: (row) => row.referenceId },
        { id: "status", header: t.status, cell: (row) => <SessionBadge status={row.status} /> },
        {
          id: "manufacturer",
          header: t.manufacturer,
          cell: (row) =>
            row.manufacturer === null ? <span className="muted">{t.notSelected}</span> : name(row.manufacturer)
        },
        { id: "created", header: t.created, cell: (row) => <Age time={row.createdAt} /> },
        { id: "updated", header: t.updated, isExtra: true, cell: (row) => <Age time={row.updatedAt} /> },
        { id: "expires", header: t.expiresAt, isExtra: true, cell: (row) => <Age time={row.expiresAt} /> },
        {
          id: "details",
          header: "",
          align: "end",
          cell: (row) => (
            <Button
              small
              tone="quiet"
              aria-label={t.openDetails(row.referenceId)}
              onClick={() => change({ session: row.id })}
            >
              {t.details}
            </Button>
          )
        }
      ]}
    />
  )
}

/** The sessions in which people connect devices. */
export const Sessions = () => {
  const t = useMessages(messages)
  const { manufacturer, page = 1, session, state: status } = route.useSearch()
  const change = useChange(route.useNavigate())
  const query = sessionsQuery({ page, status, manufacturer })
  return (
    <>
      <div className="filters">
        <SelectField
          label={t.status}
          value={status ?? ""}
          options={[
            { value: "", label: t.allStatuses },
            ...connectSessionStatuses.map((value) => ({ value, label: t.statuses[value] }))
          ]}
          onChange={(value) => change({ state: value || undefined, page: undefined })}
        />
        <ManufacturerField value={manufacturer} onChange={(slug) => change({ manufacturer: slug, page: undefined })} />
      </div>
      <Card flush>
        <List query={query} isFiltered={status !== undefined || manufacturer !== undefined} />
      </Card>
      <SessionDetails id={session} onClose={() => change({ session: undefined }, { replace: true })} />
    </>
  )
}
