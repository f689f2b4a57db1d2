import { Fragment } from "react"
import { useMessages } from "../../../i18n/useMessages.ts"
import { venReportsQuery } from "../../../resources/openadr.ts"
import { Age } from "../../../kit/Figure.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { SiteLink } from "../../../kit/recordLinks.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/openadr")

/** The statements of VENs on events. The platform has not measured them. */
export const Reports = () => {
  const t = useMessages("openadr")
  const { page } = route.useSearch()
  const change = route.useChange()
  return (
    <RecordList
      caption={t.reportsCaption}
      query={venReportsQuery({ page })}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={({ id }) => id}
      none={{ icon: "chart", title: t.noReports, hint: t.noReportsHint }}
      columns={[
        {
          id: "ven",
          header: t.client,
          isName: true,
          cell: ({ clientName, venName }) => (
            <span className="grid-name">
              {venName ?? clientName}
              {venName !== null && venName !== clientName && <span className="muted">{clientName}</span>}
            </span>
          )
        },
        { id: "report", header: t.report, cell: ({ reportName }) => reportName ?? "–" },
        {
          id: "resources",
          header: t.resources,
          cell: ({ resources }) =>
            resources.length === 0
              ? "–"
              : resources.map(({ resourceName, siteId }, index) => (
                  <Fragment key={`${resourceName} ${index}`}>
                    {index > 0 && ", "}
                    {siteId === null ? resourceName : <SiteLink id={siteId}>{resourceName}</SiteLink>}
                  </Fragment>
                ))
        },
        { id: "event", header: t.event, cell: ({ eventId }) => <code>{eventId}</code> },
        { id: "sent", header: t.sent, cell: ({ updatedAt }) => <Age time={updatedAt} /> }
      ]}
    />
  )
}
