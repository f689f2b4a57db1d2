import type { OpenAdrClient } from "@edp/domain/dashboard/OpenAdrServer"
import { formatNumber } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { openAdrClientsQuery } from "../../../resources/openadr.ts"
import { Age } from "../../../kit/Figure.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { Badge } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/openadr")

const badges = { ACTIVE: "good", EXPIRED: "warn", REVOKED: "plain" } as const

const clientName = ({ name, ven }: OpenAdrClient) => ven?.venName ?? name

/** The VENs and the business logic that may call the server. */
export const Clients = () => {
  const t = useMessages("openadr")
  const language = useLanguage()
  const { page } = route.useSearch()
  const change = route.useChange()
  const resources = ({ ven }: OpenAdrClient) => {
    if (ven === null || ven.resourceCount === 0) return "–"
    const more = ven.resourceCount - ven.resources.length
    const names = ven.resources.join(", ")
    return more === 0 ? names : t.moreResources({ names, count: formatNumber(language, more) })
  }
  const targets = ({ type, ven }: OpenAdrClient) => {
    if (type === "OPENADR_BL") return <span className="muted">{t.seesAll}</span>
    if (ven === null) return <span className="muted">{t.noVen}</span>
    return ven.targets.length === 0 ? <span className="muted">{t.noTargets}</span> : ven.targets.join(", ")
  }
  return (
    <RecordList
      caption={t.clientsCaption}
      query={openAdrClientsQuery({ page })}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={({ id }) => id}
      name={clientName}
      none={{ icon: "pylon", title: t.noClients, hint: t.noClientsHint }}
      columns={[
        {
          id: "name",
          header: t.client,
          isName: true,
          cell: (row) => (
            <span className="grid-name">
              {clientName(row)}
              {row.name !== clientName(row) && <span className="muted">{row.name}</span>}
              <code className="muted">{row.id}</code>
            </span>
          )
        },
        { id: "role", header: t.role, cell: (row) => t.roles[row.type] },
        {
          id: "status",
          header: t.state,
          cell: ({ status }) => <Badge state={badges[status]}>{t.statuses[status]}</Badge>
        },
        { id: "targets", header: t.targets, cell: targets },
        { id: "resources", header: t.resources, cell: resources },
        { id: "seen", header: t.lastSeen, cell: ({ lastSeenAt }) => <Age time={lastSeenAt} /> },
        {
          id: "report",
          header: t.lastReport,
          cell: ({ lastReportAt, type }) => (type === "OPENADR_BL" ? "–" : <Age time={lastReportAt} />)
        }
      ]}
    />
  )
}
