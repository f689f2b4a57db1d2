import type { Device } from "@edp/domain/devices/Device"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import { useState } from "react"
import { type Band, laidOver, type Series } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { useBands } from "../../charts/useBands.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { historyQuery } from "../../resources/devices.ts"
import { type DeviceMetrics, deviceMetricsQuery } from "../../resources/metrics.ts"
import { Button } from "../../kit/Button.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { NoReadings } from "../../kit/NoReadings.tsx"
import { Card } from "../../kit/components.tsx"
import {
  chosenPeriod,
  DAY,
  type Former,
  formerPeriod,
  inQuarters,
  type Period,
  type PeriodSearch
} from "../../i18n/period.ts"
import { OverlayChoice, shortPeriodName, TimeRange, zoomTo } from "../../kit/TimeRange.tsx"
import type { Change } from "../../kit/useChange.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue, useCurrent } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { chartSeries, historyCharts, historyMetrics, metricCharts, withNewer } from "./history.ts"
import { readingsCsv, saveCsv } from "./csv.ts"

const route = pageRoute("/dashboard/devices/$id")

interface HistoryProps {
  readonly device: Device
  readonly timeZone: string
}

interface PeriodProps extends HistoryProps {
  readonly period: Period
  /** The period that is laid over. */
  readonly former: Former | undefined
  readonly onChange: Change<PeriodSearch>
}

/** Beyond this span the charts are drawn from metrics where the device has them. */
const RAW_SPAN = 32 * DAY

/** The states that the device has had since the card was opened, the newest last. */
export const useNewer = (device: Device): ReadonlyArray<RecordedFields> => {
  const state = device.state as Readonly<Record<string, unknown>>
  const [seen, setSeen] = useState<ReadonlyArray<RecordedFields>>([])
  if (typeof state["createdAt"] !== "string" || seen.at(-1)?.createdAt === state["createdAt"]) return seen
  const next = [...seen, state as RecordedFields]
  setSeen(next)
  return next
}

interface ChartSeries {
  readonly id: string
  readonly series: ReadonlyArray<Series>
}

interface ChartsProps extends PeriodProps {
  readonly charts: ReadonlyArray<ChartSeries>
  /** Those of the other period. */
  readonly others: ReadonlyArray<ChartSeries>
  readonly bands: ReadonlyArray<Band>
}

const Charts = ({ charts, others, bands, former, onChange, period, timeZone }: ChartsProps) => {
  const t = useMessages("device")
  const language = useLanguage()
  const words = useMessages("fields")
  const shown = charts.filter(({ series }) => series.length > 0)
  const overlay = (id: string) => {
    const other = others.find((chart) => chart.id === id)
    return former === undefined || other === undefined
      ? []
      : laidOver(other.series, former.align, period, shortPeriodName(language, former.period, timeZone))
  }
  return shown.map(({ id, series }, index) => (
    <section key={id} className="device-chart">
      {shown.length > 1 && <h3>{t.charts[id] ?? words.fields[id] ?? id}</h3>}
      <TimeChart
        title={t.charts[id] ?? words.fields[id] ?? id}
        series={[...series, ...overlay(id)]}
        bands={index === 0 ? bands : []}
        from={period.from}
        to={period.to}
        timeZone={timeZone}
        onZoom={zoomTo(onChange)}
        height={shown.length > 1 ? 260 : 320}
      />
    </section>
  ))
}

/** Which powers of the charts have a sign that needs explaining: an inverter's own has none. */
const signNotes = (type: Device["type"], series: ReadonlyArray<Series>) => {
  if (type === "battery") return "battery"
  return type === "meter" || series.some(({ id }) => id === "gridPower" || id === "grid") ? "grid" : undefined
}

interface FooterProps extends HistoryProps {
  readonly series: ReadonlyArray<Series>
  readonly note: string
  readonly remark: string | undefined
  readonly onSave?: () => void
}

const Footer = ({ device, note, onSave, remark, series, timeZone }: FooterProps) => {
  const t = useMessages("device")
  const sign = signNotes(device.type, series)
  return (
    <div className="device-chart-foot">
      <p className="muted">
        {[sign && t.signs[sign], note, t.zone({ name: timeZone }), remark].filter(Boolean).join(" ")}
      </p>
      {onSave && (
        <Button small tone="quiet" icon="download" onClick={onSave}>
          {t.csv}
        </Button>
      )}
    </div>
  )
}

const ReadingCharts = (props: PeriodProps) => {
  const { device, former, onChange, period, timeZone } = props
  const t = useMessages("device")
  const words = useMessages("fields")
  const newer = useNewer(device)
  const { bands, remark } = useBands({ deviceId: device.id }, inQuarters(period), [device.id])
  const ask = (span: Period) => {
    const { from, to } = inQuarters(span)
    return historyQuery({ id: device.id, from, to, mayBeSampled: historyMetrics(device.type).length === 0 })
  }
  const other = useCurrent(former === undefined ? undefined : ask(former.period))
  const toCharts = (readings: ReadonlyArray<RecordedFields>): ReadonlyArray<ChartSeries> =>
    historyCharts(device.type, readings).map((chart) => ({
      id: chart.id,
      series: chartSeries(chart, readings, (field) => words.fields[field] ?? field)
    }))
  return (
    <Loaded query={ask(period)}>
      {(history) => {
        if (history.isTooLong) return <MetricCharts {...props} />
        const readings = withNewer(history.readings, newer, inQuarters(period)).filter(({ createdAt }) => {
          const time = Date.parse(createdAt)
          return time >= period.from && time < period.to
        })
        if (readings.length === 0)
          return <NoReadings period={period} timeZone={timeZone} newest={device.lastOnlineAt} onChange={onChange} />
        const charts = toCharts(readings)
        return (
          <>
            <Charts {...props} charts={charts} others={toCharts(other?.readings ?? [])} bands={bands} />
            <Footer
              device={device}
              timeZone={timeZone}
              series={charts.flatMap((chart) => chart.series)}
              note={history.isSampled ? t.sampled : t.readings({ count: readings.length })}
              remark={remark}
              onSave={() => saveCsv(`${device.name} ${period.day}`, readingsCsv(device.type, readings))}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** The buckets in which a time of more readings than the page reads is shown. */
const bucketFor = ({ from, to }: Period) => (to - from < 9 * DAY ? "15m" : to - from < 40 * DAY ? "hour" : "day")

const MetricCharts = (props: PeriodProps) => {
  const { device, former, onChange, period, timeZone } = props
  const t = useMessages("device")
  const words = useMessages("fields")
  const { bands, remark } = useBands({ deviceId: device.id }, inQuarters(period), [device.id])
  const now = useAtomValue(minuteAtom)
  const ask = (span: Period) => {
    const { from, to } = inQuarters(span)
    const metrics = historyMetrics(device.type)
    return deviceMetricsQuery({ id: device.id, from, to, metrics, bucket: bucketFor(period), timezone: timeZone })
  }
  const other = useCurrent(former === undefined ? undefined : ask(former.period))
  const toCharts = (metrics: DeviceMetrics) =>
    metricCharts(device.type, metrics, (field) => words.fields[field] ?? field, now)
  return (
    <Loaded query={ask(period)}>
      {(metrics) => {
        const charts = toCharts(metrics)
        const series = charts.flatMap((chart) => chart.series)
        if (series.length === 0)
          return <NoReadings period={period} timeZone={timeZone} newest={device.lastOnlineAt} onChange={onChange} />
        return (
          <>
            <Charts {...props} charts={charts} others={toCharts(other ?? {})} bands={bands} />
            <Footer
              device={device}
              timeZone={timeZone}
              series={series}
              note={t.means[bucketFor(period)]}
              remark={remark}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** The readings of a time. Where they are too many, means are shown, which the device must have metrics for. */
export const HistoryCard = ({ device, timeZone }: HistoryProps) => {
  const t = useMessages("device")
  const search = route.useSearch()
  const period = chosenPeriod(search, timeZone)
  const change = route.useChange()
  const isLong = period.to - period.from > RAW_SPAN && historyMetrics(device.type).length > 0
  const Shown = isLong ? MetricCharts : ReadingCharts
  return (
    <Card title={t.history}>
      <div className="stack">
        <TimeRange period={period} timeZone={timeZone} onChange={change} />
        <OverlayChoice period={period} timeZone={timeZone} over={search.over} onChange={change} />
        <Shown
          device={device}
          timeZone={timeZone}
          period={period}
          former={formerPeriod(period, search.over, timeZone)}
          onChange={change}
        />
      </div>
    </Card>
  )
}
