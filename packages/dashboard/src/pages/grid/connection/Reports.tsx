import { type GridReportStatus, gridReportStatuses } from "@edp/domain/grid/GridReport"
import { formatTimes } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { gridReportsQuery } from "../../../resources/grid.ts"
import { ChoiceFilter } from "../../../kit/ChoiceFilter.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { Badge, type State } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/grid-connections/$id")

const states: Readonly<Record<GridReportStatus, State>> = {
  due: "info",
  sent: "good",
  refused: "bad",
  not_reportable: "warn"
}

/** The reports that events asked for. */
export const Reports = ({ id, timeZone }: { readonly id: string; readonly timeZone: string }) => {
  const t = useMessages("grid")
  const language = useLanguage()
  const { page, report } = route.useSearch()
  const change = route.useChange()
  return (
    <RecordList
      title={t.reports}
      actions={
        <ChoiceFilter
          label={t.status}
          hideLabel
          all={t.everyStatus}
          value={report}
          values={gridReportStatuses}
          name={(value) => t.reportStatuses[value]}
          onChange={(next) => change({ report: next, page: undefined })}
        />
      }
      query={gridReportsQuery(id, { page, status: report })}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={(row) => row.id}
      none={{ icon: "chart", title: t.noReports, hint: t.noReportsHint }}
      noMatch={report !== undefined && { title: t.noMatchingReport }}
      columns={[
        { id: "type", header: t.payload, isName: true, cell: (row) => row.payloadType },
        {
          id: "period",
          header: t.period,
          cell: ({ from, to }) => formatTimes(language, Date.parse(from), Date.parse(to), timeZone)
        },
        {
          id: "status",
          header: t.status,
          cell: (row) => <Badge state={states[row.status]}>{t.reportStatuses[row.status]}</Badge>
        },
        { id: "detail", header: t.detail, cell: (row) => <span className="grid-error">{row.detail ?? "–"}</span> },
        { id: "due", header: t.due, isExtra: true, cell: (row) => <Age time={row.dueAt} timeZone={timeZone} /> },
        {
          id: "sent",
          header: t.sent,
          cell: ({ sentAt }) => (sentAt === null ? "–" : <Age time={sentAt} timeZone={timeZone} />)
        }
      ]}
    />
  )
}
