import type { OpenAdrClient } from "@edp/domain/dashboard/OpenAdrServer"
import { formatNumber } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { customerNameQuery } from "../../../resources/names.ts"
import { openAdrClientsQuery } from "../../../resources/openadr.ts"
import { allInstancesQuery } from "../../../resources/programs.ts"
import { Age } from "../../../kit/Figure.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { Badge } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { CustomerLink } from "../../../kit/recordLinks.tsx"
import { currentValue, useAtomValue, useCurrent } from "../../../state/atoms.ts"

const route = pageRoute("/dashboard/openadr")

const badges = { ACTIVE: "good", EXPIRED: "warn", REVOKED: "plain" } as const

const clientName = ({ name, ven }: OpenAdrClient) => ven?.venName ?? name

/** The enrollments whose sites a VEN sees. */
const Scope = ({ scope }: Pick<OpenAdrClient, "scope">) => {
  const t = useMessages("openadr")
  const instances = currentValue(useAtomValue(allInstancesQuery))?.data ?? []
  const customer = useCurrent(scope?.customerId ? customerNameQuery(scope.customerId) : undefined)
  if (scope === null) return "–"
  const { customerId, enrollmentCount, programInstanceId } = scope
  if (customerId !== null) return <CustomerLink id={customerId}>{customer ?? customerId}</CustomerLink>
  if (programInstanceId === null) return t.enrollments({ count: enrollmentCount })
  return instances.find(({ id }) => id === programInstanceId)?.title ?? programInstanceId
}

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
        { id: "scope", header: t.sitesOf, cell: ({ scope }) => <Scope scope={scope} /> },
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
