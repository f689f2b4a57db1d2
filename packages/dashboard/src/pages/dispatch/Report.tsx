import type { Dispatch } from "@edp/domain/dispatches/Dispatch"
import type { DispatchReport, MissingResult } from "@edp/domain/dispatches/DispatchReport"
import { useMemo } from "react"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber, formatQuantity, formatShare, formatTime } from "../../i18n/format.ts"
import { chosenPeriod, spanSearch } from "../../i18n/period.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { DispatchesClient, dispatchReportQuery } from "../../resources/dispatches.ts"
import { Button } from "../../kit/Button.tsx"
import { Figure } from "../../kit/Figure.tsx"
import { saveText } from "../../kit/download.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Card, Empty, Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { Table } from "../../kit/Table.tsx"
import { ZoomOut } from "../../kit/TimeRange.tsx"
import { useAction } from "../../kit/useAction.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { intervalBands, measuredUntil, reportSeries } from "./reportSeries.ts"
import { NamedSiteLink } from "./NamedSiteLink.tsx"

const route = pageRoute("/dashboard/dispatches/$id")

const Download = ({ dispatch }: { readonly dispatch: Dispatch }) => {
  const t = useMessages("dispatch")
  const call = useApi(DispatchesClient)
  const { busy, problem, run } = useAction(async () => {
    const csv = await call((client) =>
      client.dispatchReports.get({ params: { id: dispatch.id }, headers: { accept: "text/csv" }, query: {} })
    )
    if (typeof csv === "string") saveText(`dispatch-${dispatch.id}.csv`, "text/csv", csv)
  })
  return (
    <>
      <Button icon="download" small busy={busy} onClick={() => void run()}>
        {t.download}
      </Button>
      {problem && <ProblemNotice problem={problem} />}
    </>
  )
}

const Chart = ({ dispatch, report, timeZone }: ReportProps & { readonly report: DispatchReport }) => {
  const t = useMessages("dispatch")
  const series = useMemo(
    () => reportSeries(report, { baseline: t.baselinePower, actual: t.actualPower, delivered: t.deliveredSeries }),
    [report, t]
  )
  const bands = useMemo(
    () => intervalBands(dispatch, (number) => (dispatch.intervals.length === 1 ? dispatch.name : `${number}`)),
    [dispatch]
  )
  const search = route.useSearch()
  const change = route.useChange()
  const [from, to] = [Date.parse(report.from), Date.parse(report.to)]
  const margin = (to - from) * 0.05
  const whole = { from: from - margin, to: to + margin }
  const shown = search.from === undefined ? whole : chosenPeriod({ ...search, unit: "span" }, timeZone)
  return (
    <>
      <ZoomOut />
      <TimeChart
        title={t.chart}
        series={series}
        bands={bands}
        from={shown.from}
        to={shown.to}
        timeZone={timeZone}
        onZoom={(start, end) => {
          const span = spanSearch(start, end)
          change({ from: span.from, to: span.to }, { isZoom: true })
        }}
        {...(report.sitesCounted === 0 && { empty: t.noneCounts })}
      />
    </>
  )
}

const Figures = ({ report, timeZone }: { readonly report: DispatchReport; readonly timeZone: string }) => {
  const t = useMessages("dispatch")
  const language = useLanguage()
  const why = (reason: MissingResult | undefined) => reason && t.missing[reason]
  const reason = why(report.reason)
  const until = measuredUntil(report)
  return (
    <>
      <div className="figures">
        <Figure label={t.delivered} value={report.deliveredWh} unit="Wh" reason={reason} size="large" />
        <Figure label={t.deliveredPower} value={report.deliveredPowerW} unit="W" reason={reason} size="large" />
        <Figure
          label={t.performance}
          value={report.performance === null ? null : report.performance * 100}
          unit="%"
          reason={report.nominatedPowerW === null ? t.missing.not_nominated : reason}
          size="large"
        />
        <Figure label={t.exported} value={report.exportedWh} unit="Wh" reason={reason} size="large" />
        <div className="figure large">
          <span className="figure-label">{t.counted}</span>
          <span className="figure-value">
            {t.countedOf({
              counted: formatNumber(language, report.sitesCounted),
              total: formatNumber(language, report.sitesTotal)
            })}
          </span>
        </div>
      </div>
      {until !== undefined && (
        <p className="muted">
          {t.measuredUntil({
            time: formatTime(language, Date.parse(until), { dateStyle: "medium", timeStyle: "short", timeZone })
          })}
        </p>
      )}
      {report.leftOut.length > 0 && (
        <p className="muted">
          {t.leftOut}:{" "}
          {report.leftOut
            .map(({ reason, sites }) => t.leftOutSites({ count: sites, reason: t.missing[reason] }))
            .join("; ")}
        </p>
      )}
      {report.indicative && <Notice state="warn">{t.indicative}</Notice>}
    </>
  )
}

interface SitesProps {
  readonly report: DispatchReport
  readonly waiting: boolean
  readonly onPage: (page: number) => void
}

const Sites = ({ onPage, report, waiting }: SitesProps) => {
  const t = useMessages("dispatch")
  const language = useLanguage()
  const energy = (value: number | null) =>
    value === null ? <span className="muted">–</span> : formatQuantity(language, value, "Wh")
  const { data, page, totalItems, totalPages } = report.sites
  return (
    <Card title={t.results} flush>
      <Table
        caption={t.results}
        rows={data}
        id={({ siteId }) => siteId}
        waiting={waiting}
        columns={[
          { id: "site", header: t.site, isName: true, cell: ({ siteId }) => <NamedSiteLink id={siteId} /> },
          { id: "baseline", header: t.baselineEnergy, align: "end", cell: ({ baselineWh }) => energy(baselineWh) },
          { id: "actual", header: t.actualEnergy, align: "end", cell: ({ actualWh }) => energy(actualWh) },
          { id: "delivered", header: t.delivered, align: "end", cell: ({ deliveredWh }) => energy(deliveredWh) },
          { id: "coverage", header: t.coverage, align: "end", cell: ({ coverage }) => formatShare(language, coverage) },
          {
            id: "why",
            header: t.why,
            cell: ({ reason }) => (reason === undefined ? <span className="muted">–</span> : t.missing[reason])
          }
        ]}
      />
      <Pager page={page} totalItems={totalItems} totalPages={totalPages} onPage={onPage} />
    </Card>
  )
}

interface ReportProps {
  readonly dispatch: Dispatch
  readonly timeZone: string
}

/** The delivery of a dispatch against its baseline. */
export const Report = ({ dispatch, timeZone }: ReportProps) => {
  const t = useMessages("dispatch")
  const results = route.useSearch().results ?? 1
  const change = route.useChange()
  return (
    <Loaded query={dispatchReportQuery(dispatch.id, results)}>
      {(report, { waiting }) =>
        typeof report === "string" || report.reason === "not_begun" ? (
          <Empty icon="chart" title={t.noReport}>
            {t.noReportHint}
          </Empty>
        ) : (
          <>
            <Card title={t.report} actions={<Download dispatch={dispatch} />}>
              <div className="stack">
                <Figures report={report} timeZone={timeZone} />
                <h3>{t.chart}</h3>
                <Chart dispatch={dispatch} report={report} timeZone={timeZone} />
              </div>
            </Card>
            <Sites report={report} waiting={waiting} onPage={(page) => change({ results: page })} />
          </>
        )
      }
    </Loaded>
  )
}
