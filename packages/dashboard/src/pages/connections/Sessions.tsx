import { type ConnectSession, connectSessionStatuses } from "@edp/domain/connections/ConnectSession"
import { useMessages } from "../../i18n/useMessages.ts"
import { connectSessionsQuery } from "../../resources/connections.ts"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { ManufacturerField, useManufacturers } from "./manufacturers.tsx"
import { SessionBadge } from "./SessionBadge.tsx"
import { SessionDetails } from "./SessionDetails.tsx"

const route = pageRoute("/dashboard/connections")

/** The sessions in which people connect devices. */
export const Sessions = () => {
  const t = useMessages("connections")
  const { manufacturer, page, session, state } = route.useSearch()
  const change = route.useChange()
  const { name } = useManufacturers()
  return (
    <>
      <div className="filters">
        <ChoiceFilter
          label={t.status}
          all={t.allStatuses}
          value={state}
          values={connectSessionStatuses}
          name={(value) => t.statuses[value]}
          onChange={(next) => change({ state: next, page: undefined })}
        />
        <ManufacturerField value={manufacturer} onChange={(slug) => change({ manufacturer: slug, page: undefined })} />
      </div>
      <RecordList
        caption={t.sessionsCaption}
        query={connectSessionsQuery({ page, status: state, manufacturer })}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        none={{ icon: "plug", title: t.noSessions, hint: t.noSessionsHint }}
        noMatch={(state ?? manufacturer) !== undefined && { title: t.noMatch }}
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
          detailsColumn<ConnectSession>({
            label: t.details,
            title: (row) => t.openDetails({ name: row.referenceId }),
            onOpen: (row) => change({ session: row.id })
          })
        ]}
      />
      <SessionDetails id={session} onClose={() => change({ session: undefined }, { replace: true })} />
    </>
  )
}
