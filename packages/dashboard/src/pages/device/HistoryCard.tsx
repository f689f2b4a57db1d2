import type { Device } from "@edp/domain/devices/Device"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import { useState } from "react"
import type { Band, Series } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { historyQuery } from "../../resources/devices.ts"
import { deviceMetricsQuery } from "../../resources/metrics.ts"
import { Button } from "../../kit/Button.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { NoReadings } from "../../kit/NoReadings.tsx"
import { Card } from "../../kit/components.tsx"
import { chosenPeriod, type Period, type PeriodSearch, periodAt } from "../../i18n/period.ts"
import { PeriodPicker } from "../../kit/PeriodPicker.tsx"
import type { Change } from "../../kit/useChange.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { fieldMessages } from "../../kit/commands/fieldMessages.ts"
import { chartSeries, historyCharts, historyMetrics, metricCharts, withNewer } from "./history.ts"
import { readingsCsv, saveCsv, seriesCsv } from "./csv.ts"
import { messages } from "./messages.ts"
import { useBands } from "./useBands.ts"

const route = pageRoute("/dashboard/devices/$id")

interface HistoryProps {
  readonly device: Device
  readonly timeZone: string
}

interface PeriodProps extends HistoryProps {
  readonly period: Period
  readonly onChange: Change<PeriodSearch>
}

const DAY = 86_400_000
/** Beyond this span the charts are drawn from metrics where the device has them. */
const RAW_SPAN = 2 * DAY

/** The states that the device has had since the card was opened, the newest last. */
const useNewer = (device: Device): ReadonlyArray<RecordedFields> => {
  const state = device.state as Readonly<Record<string, unknown>>
  const [seen, setSeen] = useState<ReadonlyArray<RecordedFields>>([])
  if (typeof state["createdAt"] !== "string" || seen.at(-1)?.createdAt === state["createdAt"]) return seen
  const next = [...seen, state as RecordedFields]
  setSeen(next)
  return next
}

interface ChartsProps extends Omit<PeriodProps, "onChange"> {
  readonly charts: ReadonlyArray<{ readonly id: string; readonly series: ReadonlyArray<Series> }>
  readonly bands: ReadonlyArray<Band>
}

const Charts = ({ charts, bands, period, timeZone }: ChartsProps) => {
  const t = useMessages(messages)
  const words = useMessages(fieldMessages)
  const shown = charts.filter(({ series }) => series.length > 0)
  return shown.map(({ id, series }) => (
    <section key={id} className="device-chart">
      {shown.length > 1 && <h3>{t.charts[id] ?? words.fields[id] ?? id}</h3>}
      <TimeChart
        title={t.charts[id] ?? words.fields[id] ?? id}
        series={series}
        bands={bands}
        from={period.from}
        to={period.to}
        timeZone={timeZone}
        height={shown.length > 1 ? 260 : 320}
      />
    </section>
  ))
}

/** Which powers of the charts have a sign that needs explaining: an inverter's own has none. */
const signNotes = (type: Device["type"], series: ReadonlyArray<Series>) => {
  if (type === "battery") return "battery"
  return type === "meter" || series.some(({ id }) => id === "gridPower" || id === "grid") ? "grid" : "none"
}

interface FooterProps extends HistoryProps {
  readonly series: ReadonlyArray<Series>
  readonly note: string
  readonly onSave: () => void
}

const Footer = ({ device, note, onSave, series, timeZone }: FooterProps) => {
  const t = useMessages(messages)
  return (
    <div className="device-chart-foot">
      <p className="muted">
        {[t.signs[signNotes(device.type, series)], note, t.zone(timeZone)].filter(Boolean).join(" ")}
      </p>
      <Button small tone="quiet" icon="download" onClick={onSave}>
        {t.csv}
      </Button>
    </div>
  )
}

const ReadingCharts = (props: PeriodProps) => {
  const { device, onChange, period, timeZone } = props
  const t = useMessages(messages)
  const words = useMessages(fieldMessages)
  const language = useLanguage()
  const newer = useNewer(device)
  const bands = useBands(device.id, period)
  return (
    <Loaded query={historyQuery({ id: device.id, from: period.from, to: period.to })}>
      {(history) => {
        const readings = withNewer(history.readings, newer, period)
        if (readings.length === 0)
          return <NoReadings period={period} timeZone={timeZone} newest={device.lastOnlineAt} onChange={onChange} />
        const charts = historyCharts(device.type, readings).map((chart) => ({
          id: chart.id,
          series: chartSeries(chart, readings, (field) => words.fields[field] ?? field)
        }))
        return (
          <>
            <Charts {...props} charts={charts} bands={bands} />
            <Footer
              device={device}
              timeZone={timeZone}
              series={charts.flatMap((chart) => chart.series)}
              note={history.isSampled ? t.sampled : t.readings(formatNumber(language, readings.length))}
              onSave={() => saveCsv(`${device.name} ${period.day}`, readingsCsv(device.type, readings))}
            />
          </>
        )
      }}
    </Loaded>
  )
}

const MetricCharts = (props: PeriodProps) => {
  const { device, onChange, period, timeZone } = props
  const t = useMessages(messages)
  const words = useMessages(fieldMessages)
  const bands = useBands(device.id, period)
  const now = useAtomValue(minuteAtom)
  const query = deviceMetricsQuery({
    id: device.id,
    from: period.from,
    to: period.to,
    metrics: historyMetrics(device.type),
    bucket: "hour",
    timezone: timeZone
  })
  return (
    <Loaded query={query}>
      {(metrics) => {
        const charts = metricCharts(device.type, metrics, (field) => words.fields[field] ?? field, now)
        const series = charts.flatMap((chart) => chart.series)
        if (series.length === 0)
          return <NoReadings period={period} timeZone={timeZone} newest={device.lastOnlineAt} onChange={onChange} />
        return (
          <>
            <Charts {...props} charts={charts} bands={bands} />
            <Footer
              device={device}
              timeZone={timeZone}
              series={series}
              note={t.mean}
              onSave={() => saveCsv(`${device.name} ${period.day}`, seriesCsv(series))}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** The readings of a day, or a longer time as hourly means where the device has metrics. */
export const HistoryCard = ({ device, timeZone }: HistoryProps) => {
  const t = useMessages(messages)
  const chosen = chosenPeriod(route.useSearch(), timeZone)
  const change = route.useChange()
  const period = chosen.unit === "year" ? periodAt(chosen.from, "month", timeZone) : chosen
  const isLong = period.to - period.from > RAW_SPAN && historyMetrics(device.type).length > 0
  const Shown = isLong ? MetricCharts : ReadingCharts
  return (
    <Card title={t.history}>
      <div className="stack">
        <PeriodPicker period={period} timeZone={timeZone} units={["day", "week", "month"]} onChange={change} />
        <Shown device={device} timeZone={timeZone} period={period} onChange={change} />
      </div>
    </Card>
  )
}
