import type { Site } from "@edp/domain/sites/Site"
import { Link } from "@tanstack/react-router"
import { useCallback, useMemo } from "react"
import { bucketsFrom, energyNames, joinBuckets, totalEnergy } from "../../api/energy.ts"
import { workspaceAtom } from "../../api/session.ts"
import { type Band, laidOver } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { useBands } from "../../charts/useBands.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { annotationsQuery } from "../../resources/annotations.ts"
import { siteDevicesQuery } from "../../resources/devices.ts"
import { lastReportQuery } from "../../resources/fleet.ts"
import { energyBucket, type EnergyResponse, periodEnergyQuery, storedEnergyQuery } from "../../resources/metrics.ts"
import { siteChoicesQuery, siteQuery } from "../../resources/sites.ts"
import { Age } from "../../kit/Figure.tsx"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { saveText } from "../../kit/download.ts"
import { EnergyFigures } from "../../kit/EnergyFigures.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { addressLine, siteName } from "../../kit/names.ts"
import { NoReadings } from "../../kit/NoReadings.tsx"
import { Card, PageHeader } from "../../kit/components.tsx"
import { chosenPeriod, DAY, formerPeriod, inQuarters, isSliding, type Period } from "../../i18n/period.ts"
import { OverlayChoice, shortPeriodName, TimeRange, zoomTo } from "../../kit/TimeRange.tsx"
import { RecordPicker } from "../../kit/RecordPicker.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { currentValue, useAtomValue, useCurrent, useRefreshEvery, useStarted } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { Comparison } from "./Comparison.tsx"
import { energyCsv } from "./csv.ts"
import "./energy.css"
import { formerPeriods, monthNames } from "./periods.ts"
import { balanceSeries, batteryCapacity, chargeSeries, comparable } from "./series.ts"

const route = pageRoute("/dashboard/energy")

interface ViewProps {
  readonly response: EnergyResponse
  readonly period: Period
  readonly timeZone: string
  readonly now: number
}

const dayFormat = { dateStyle: "medium" } as const
const monthFormat = { month: "long", year: "numeric" } as const

interface ChartProps extends ViewProps {
  readonly siteId: string | undefined
  readonly bands: ReadonlyArray<Band>
  /** The problem of the bands. */
  readonly remark?: string | undefined
}

/** Beyond this length days are joined to months. */
const BY_DAY = 100 * DAY

/** The series of a period, with the buckets that its length has. */
const useBalance = (siteId: string | undefined, { period, timeZone, now }: Omit<ViewProps, "response">) => {
  const words = useMessages("energies")
  return useCallback(
    (response: EnergyResponse) => {
      if (energyBucket(siteId, period) === "15m") return balanceSeries(response.series, words.names, "W", now)
      if (period.to - period.from <= BY_DAY) return balanceSeries(response.series, words.names, "Wh", now)
      const month = monthNames(timeZone)
      const joined = energyNames.map((name) => [name, joinBuckets(response.series[name], month, now)] as const)
      return balanceSeries(Object.fromEntries(joined) as EnergyResponse["series"], words.names, "Wh", now)
    },
    [siteId, period.from, period.to, timeZone, now, words]
  )
}

/** The devices of a site whose capacities are read. */
const MOST_DEVICES = 100

const titles = { "15m": "power", hour: "byHour", day: "byDay" } as const

/** The balance of energies over time, with another period laid over, and the stored energy beneath. */
const EnergyChart = ({ siteId, response, bands, remark, ...view }: ChartProps) => {
  const { period, timeZone, now } = view
  const t = useMessages("energy")
  const language = useLanguage()
  const { over } = route.useSearch()
  const change = route.useChange()
  const toSeries = useBalance(siteId, view)
  const former = useMemo(
    () => formerPeriod(period, over, timeZone),
    [period.unit, period.from, period.to, over, timeZone]
  )
  const other = useCurrent(former === undefined ? undefined : periodEnergyQuery(siteId, former.period, timeZone))
  const stored = useCurrent(storedEnergyQuery(siteId, period, timeZone))
  const shown = useMemo(() => toSeries(response), [toSeries, response])
  const overlay = useMemo(
    () =>
      former === undefined || other === undefined
        ? []
        : laidOver(
            comparable(toSeries(other)),
            former.align,
            period,
            shortPeriodName(language, former.period, timeZone)
          ),
    [toSeries, former, other, language, timeZone, period.from, period.to]
  )
  const devices = useCurrent(siteId === undefined ? undefined : siteDevicesQuery(siteId, 1, MOST_DEVICES))
  const capacity = devices === undefined || (devices.totalPages ?? 1) > 1 ? undefined : batteryCapacity(devices.data)
  const chargeName = capacity === undefined ? t.stored : t.charge
  const charge = useMemo(
    () => (stored === undefined ? undefined : chargeSeries(bucketsFrom(stored), capacity, chargeName, now)),
    [stored, capacity, chargeName, now]
  )
  const isStored = charge?.points.some(([, value]) => value !== null)
  const bucket = energyBucket(siteId, period)
  const isByMonth = bucket === "day" && period.to - period.from > BY_DAY
  const title = t[period.unit === "day" ? "flow" : isByMonth ? "byMonth" : titles[bucket]]
  const series = useMemo(() => [...shown, ...overlay], [shown, overlay])
  const axis = { from: period.from, to: period.to, timeZone, onZoom: zoomTo(change) }
  return (
    <Card title={title}>
      <div className="stack">
        <OverlayChoice period={period} timeZone={timeZone} over={over} onChange={change} />
        <TimeChart
          {...axis}
          title={title}
          series={series}
          bands={bands}
          {...(bucket === "day" && { timeFormat: isByMonth ? monthFormat : dayFormat })}
        />
        {isStored === true && (
          <section>
            <h3>{chargeName}</h3>
            <TimeChart {...axis} title={chargeName} series={[charge!]} height={150} />
          </section>
        )}
        <p className="muted">
          {bucket === "15m" && t.flowHint} {t.barHint} {remark}
        </p>
      </div>
    </Card>
  )
}

/** The chart of a site, with what explains it. */
const SiteChart = ({ siteId, ...view }: ViewProps & { readonly siteId: string }) => {
  const devices = useCurrent(siteDevicesQuery(siteId, 1, MOST_DEVICES))
  const ids = devices?.data.map(({ id }) => id) ?? []
  return <EnergyChart {...view} {...useBands({ siteId }, inQuarters(view.period), ids)} siteId={siteId} />
}

interface NothingMeasuredProps extends Pick<ViewProps, "period" | "timeZone"> {
  readonly siteId: string | undefined
}

const NO_BANDS: ReadonlyArray<Band> = []

/** Stands for the chart of a time in which nothing was measured. */
const NothingMeasured = ({ siteId, period, timeZone }: NothingMeasuredProps) => {
  const words = useMessages("energies")
  const change = route.useChange()
  const last = currentValue(useAtomValue(lastReportQuery(siteId)))
  return (
    <Card>
      <NoReadings
        title={words.nothing}
        period={period}
        timeZone={timeZone}
        newest={last?.data[0]?.lastReportedAt}
        onChange={change}
      />
    </Card>
  )
}

const MINUTE = 60_000

const Energies = ({ site, timeZone }: { readonly site: Site | undefined; readonly timeZone: string }) => {
  const t = useMessages("energy")
  const search = route.useSearch()
  const period = chosenPeriod(search, timeZone)
  const change = route.useChange()
  const now = useAtomValue(minuteAtom)
  const isRunning = period.from <= now && now < period.to
  const query = periodEnergyQuery(site?.id, period, timeZone)
  useRefreshEvery(query, MINUTE, isRunning)
  useStarted([
    ...formerPeriods(period, timeZone, search.over).map((former) =>
      periodEnergyQuery(site?.id, former.period, timeZone)
    ),
    storedEnergyQuery(site?.id, period, timeZone),
    ...(site === undefined ? [] : [annotationsQuery({ siteId: site.id }, inQuarters(period))])
  ])
  return (
    <>
      <TimeRange period={period} timeZone={timeZone} onChange={change} />
      {/* The figures of one period never stand under the name of another. */}
      <Loaded key={`${site?.id} ${period.unit} ${isSliding(period) ? "" : period.from}`} query={query}>
        {(response) => {
          const view = { response, period, timeZone, now }
          const isEmpty = energyNames.every(
            (name) => totalEnergy(response.series[name], now).value === null && response.refused[name] === undefined
          )
          const file = `energy-${site === undefined ? "workspace" : siteName(site)}-${period.unit}-${period.day}.csv`
          return (
            <>
              {isEmpty ? (
                <NothingMeasured siteId={site?.id} period={period} timeZone={timeZone} />
              ) : site === undefined ? (
                <EnergyChart {...view} siteId={undefined} bands={NO_BANDS} />
              ) : (
                <SiteChart {...view} siteId={site.id} />
              )}
              <Card
                title={t.summary}
                actions={
                  <Button
                    small
                    icon="download"
                    onClick={() => saveText(file, "text/csv", energyCsv(response, timeZone))}
                  >
                    {t.download}
                  </Button>
                }
              >
                <EnergyFigures response={response} now={now} names={energyNames} isRunning={isRunning} />
                {response.asOf !== null && (
                  <p className="muted">
                    {t.asOf} <Age time={response.asOf} />
                  </p>
                )}
              </Card>
              <Comparison {...view} siteId={site?.id} over={search.over} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

const View = ({ site }: { readonly site: Site | undefined }) => {
  const t = useMessages("energy")
  const workspace = useAtomValue(workspaceAtom)
  const change = route.useChange()
  const timeZone = site?.timezone ?? workspace?.timezone ?? "UTC"
  const whole = { id: "", label: t.whole }
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.zone({ name: timeZone })}
        actions={
          site && (
            <ButtonLink to="/dashboard/sites/$id" params={{ id: site.id }} icon="home">
              {t.openSite}
            </ButtonLink>
          )
        }
      />
      <div className="filters">
        <RecordPicker
          label={t.site}
          chosen={site === undefined ? t.whole : siteName(site)}
          search={siteChoicesQuery}
          options={({ data, totalItems }) => ({
            options: data.map((each) => ({ id: each.id, label: siteName(each), note: addressLine(each.address) })),
            isAll: totalItems <= data.length
          })}
          first={whole}
          onChoose={({ id }) => change({ site: id === "" ? undefined : id })}
        />
      </div>
      <Energies site={site} timeZone={timeZone} />
    </>
  )
}

export const Page = () => {
  const t = useMessages("energy")
  const siteId = route.useSearch().site
  if (siteId === undefined) return <View site={undefined} />
  return (
    <LoadedRecord
      query={siteQuery(siteId)}
      title={t.title}
      above={
        <Link to="/dashboard/energy" search={{}}>
          {t.whole}
        </Link>
      }
    >
      {(site) => <View site={site} />}
    </LoadedRecord>
  )
}
