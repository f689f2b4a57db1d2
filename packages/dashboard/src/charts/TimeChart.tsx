import { lazy, Suspense, useState } from "react"
import { formatQuantity, formatTime } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { Button } from "../kit/Button.tsx"
import { Loading } from "../kit/Loaded.tsx"
import { Empty } from "../kit/components.tsx"
import { Table } from "../kit/Table.tsx"
import type { TimeChartProps } from "./series.ts"
import { chartMessages } from "./messages.ts"
import "./TimeChart.css"

const ChartCanvas = lazy(() => import("./ChartCanvas.tsx"))

const ROWS = 500

const ChartTable = ({ title, series, bands = [], timeZone, timeFormat }: TimeChartProps) => {
  const t = useMessages(chartMessages)
  const language = useLanguage()
  const zone = timeZone === undefined ? {} : { timeZone }
  const show = (time: number) => formatTime(language, time, { dateStyle: "medium", timeStyle: "short", ...zone })
  const showValueTime = (time: number) =>
    timeFormat ? formatTime(language, time, { ...timeFormat, ...zone }) : show(time)
  const values = new Map<number, Map<string, number>>()
  for (const each of series) {
    for (const [time, value] of each.points) {
      if (value === null) continue
      const row = values.get(time) ?? new Map<string, number>()
      values.set(time, row.set(each.id, value))
    }
  }
  const times = [...values.keys()].sort((a, b) => a - b)
  return (
    <>
      <Table
        caption={title}
        rows={times.slice(0, ROWS)}
        id={String}
        columns={[
          { id: "time", header: t.time, cell: showValueTime, isName: true },
          ...series.map((each) => ({
            id: each.id,
            header: each.name,
            align: "end" as const,
            cell: (time: number) => {
              const value = values.get(time)?.get(each.id)
              return value === undefined ? (
                <span className="muted">{t.noData}</span>
              ) : (
                formatQuantity(language, value, each.unit)
              )
            }
          }))
        ]}
      />
      {times.length > ROWS && <p className="muted">{t.firstRows(ROWS, times.length)}</p>}
      {bands.length > 0 && (
        <>
          <h3>{t.annotations}</h3>
          <ul>
            {bands.map((band, index) => (
              <li key={index}>
                {band.label}: {show(band.from)}
                {band.to !== null && ` – ${show(band.to)}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/**
 * A chart over time with its legend. Where nothing was measured nothing is drawn. Its code is loaded when the first chart is shown.
 * The same figures can be shown as a table.
 */
export const TimeChart = (props: TimeChartProps) => {
  const t = useMessages(chartMessages)
  const [asTable, setAsTable] = useState(false)
  const { title, series, height = 320, empty = t.empty } = props
  const hasValues = series.some(({ points }) => points.some(([, value]) => value !== null))
  if (!hasValues) return <Empty icon="chart" title={empty} />
  return (
    <div>
      <div className="chart-bar">
        <ul className="legend">
          {series.map((each) => (
            <li key={each.id}>
              <span className={`legend-mark chart-color-${each.color}`} />
              {each.name}
            </li>
          ))}
        </ul>
        <Button small tone="quiet" onClick={() => setAsTable(!asTable)}>
          {asTable ? t.showChart : t.showTable}
        </Button>
      </div>
      {asTable ? (
        <ChartTable {...props} />
      ) : (
        <Suspense
          fallback={
            <div className="chart" style={{ height }}>
              <Loading />
            </div>
          }
        >
          <ChartCanvas {...props} label={t.chartOf(title)} />
        </Suspense>
      )}
    </div>
  )
}
