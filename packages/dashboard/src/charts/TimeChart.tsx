import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react"
import { useDisplayUnits } from "../api/displayUnits.ts"
import { formatNumber, formatQuantity, formatTime, formatTimes } from "../i18n/format.ts"
import { shownUnit, shownValue } from "../i18n/units.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { Button } from "../kit/Button.tsx"
import { Loading } from "../kit/Loaded.tsx"
import { Empty } from "../kit/components.tsx"
import { TargetLink, useOpenTarget } from "../kit/recordLinks.tsx"
import { Table } from "../kit/Table.tsx"
import { fileName, saveFile, saveText } from "../kit/download.ts"
import type { ChartHandle } from "./ChartCanvas.tsx"
import { chartCsv } from "./csv.ts"
import { type Band, type Series, seriesPatterns, type TimeChartProps } from "./series.ts"
import "./TimeChart.css"

const ChartCanvas = lazy(() => import("./ChartCanvas.tsx"))

const ROWS = 500

interface BandListProps {
  readonly bands: ReadonlyArray<Band>
  readonly timeZone: string | undefined
}

/** The bands of a chart, each with its time and the way to what it is about. */
const BandList = ({ bands, timeZone = "UTC" }: BandListProps) => {
  const language = useLanguage()
  return (
    <ul className="chart-bands">
      {bands.map((band, index) => (
        <li key={index}>
          <span className={`legend-mark chart-band-${band.state}`} />
          {band.link === undefined ? band.label : <TargetLink target={band.link}>{band.label}</TargetLink>}{" "}
          <span className="muted">
            {band.to === null
              ? `${formatTime(language, band.from, { dateStyle: "medium", timeStyle: "short", timeZone })} –`
              : formatTimes(language, band.from, band.to, timeZone)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Bands that are listed beneath a chart; the table has all of them. */
const LISTED_BANDS = 6

const ChartTable = ({ title, series, bands = [], timeZone, timeFormat }: TimeChartProps) => {
  const t = useMessages("charts")
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
      {times.length > ROWS && <p className="muted">{t.firstRows({ shown: ROWS, all: times.length })}</p>}
      {bands.length > 0 && (
        <>
          <h3>{t.annotations}</h3>
          <BandList bands={bands} timeZone={timeZone} />
        </>
      )}
    </>
  )
}

const Chart = (props: TimeChartProps) => {
  const t = useMessages("charts")
  const language = useLanguage()
  const open = useOpenTarget()
  const [asTable, setAsTable] = useState(false)
  const handle = useRef<ChartHandle>(null)
  const { title, series, bands = [], height = 320, empty = t.empty, timeZone } = props
  const openBand = useCallback(
    (index: number) => {
      const link = bands[index]?.link
      if (link !== undefined) open(link)
    },
    [bands, open]
  )
  const hasValues = series.some(({ points }) => points.some(([, value]) => value !== null))
  if (!hasValues) return <Empty icon="chart" title={empty} />
  const patterns = seriesPatterns(series)
  const file = `${title} ${formatTimes("en", props.from, props.to, timeZone)}`
  return (
    <div>
      <div className="chart-bar">
        <ul className="legend">
          {series.map((each) => (
            <li key={each.id}>
              <span
                className={`legend-mark ${each.kind === "bar" ? "bar" : "line"}${each.isOverlay ? " overlay" : ""} chart-color-${each.color} pattern-${patterns.get(each.id)}`}
              />
              {each.name}
            </li>
          ))}
        </ul>
        <span className="actions">
          <Button small tone="quiet" onClick={() => setAsTable(!asTable)}>
            {asTable ? t.showChart : t.showTable}
          </Button>
          {!asTable && (
            <Button
              small
              tone="quiet"
              icon="download"
              aria-label={t.picture}
              title={t.picture}
              onClick={async () => saveFile(`${fileName(file)}.png`, await handle.current!.picture())}
            >
              PNG
            </Button>
          )}
          <Button
            small
            tone="quiet"
            icon="download"
            aria-label={t.csv}
            title={t.csv}
            onClick={() => saveText(`${fileName(file)}.csv`, "text/csv", chartCsv(props))}
          >
            CSV
          </Button>
        </span>
      </div>
      {asTable ? (
        <ChartTable {...props} />
      ) : (
        <>
          <Suspense
            fallback={
              <div className="chart" style={{ height }}>
                <Loading />
              </div>
            }
          >
            <ChartCanvas {...props} label={t.chartOf({ title })} handle={handle} onBand={openBand} />
          </Suspense>
          {bands.length > 0 && <BandList bands={bands.slice(-LISTED_BANDS)} timeZone={timeZone} />}
          {bands.length > LISTED_BANDS && (
            <p className="muted">{t.moreBands({ count: formatNumber(language, bands.length - LISTED_BANDS) })}</p>
          )}
        </>
      )}
    </div>
  )
}

/**
 * A chart over time with its legend. Where nothing was measured nothing is drawn. Its code is loaded when the first chart is shown.
 * The same figures can be shown as a table.
 */
export const TimeChart = ({ series, ...props }: TimeChartProps) => {
  const units = useDisplayUnits()
  const shown = useMemo(
    () =>
      series.map((each): Series => {
        const { points, unit } = each
        if (shownUnit(unit, units) === unit) return each
        const convert = (value: number | null) => (value === null ? null : shownValue(value, unit, units))
        return { ...each, unit: shownUnit(unit, units), points: points.map(([time, value]) => [time, convert(value)]) }
      }),
    [series, units]
  )
  return <Chart {...props} series={shown} />
}
