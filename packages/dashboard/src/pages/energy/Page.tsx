import type { Site } from "@edp/domain/sites/Site"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { energyNames, joinBuckets, totalEnergy } from "../../api/energy.ts"
import { workspaceAtom } from "../../api/session.ts"
import type { Band } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { useMessages } from "../../i18n/useMessages.ts"
import { annotationsQuery } from "../../resources/annotations.ts"
import { lastReportQuery } from "../../resources/fleet.ts"
import { type EnergyResponse, periodEnergyQuery } from "../../resources/metrics.ts"
import { siteChoicesQuery, siteQuery } from "../../resources/sites.ts"
import { Age } from "../../kit/Figure.tsx"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { saveText } from "../../kit/download.ts"
import { EnergyFigures } from "../../kit/EnergyFigures.tsx"
import { energyMessages } from "../../kit/energyMessages.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { addressLine, siteName } from "../../kit/names.ts"
import { NoReadings } from "../../kit/NoReadings.tsx"
import { Card, PageHeader } from "../../kit/components.tsx"
import { chosenPeriod, type Period } from "../../i18n/period.ts"
import { PeriodPicker } from "../../kit/PeriodPicker.tsx"
import { RecordPicker } from "../../kit/RecordPicker.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue, currentValue, useRefreshEvery, useStarted } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { bandsFrom } from "./bands.ts"
import { Comparison } from "./Comparison.tsx"
import { energyCsv } from "./csv.ts"
import "./energy.css"
import { formerPeriods, monthNames } from "./periods.ts"
import { barSeries, flowSeries } from "./series.ts"
import { messages } from "./messages.ts"

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
  readonly bands: ReadonlyArray<Band>
  /** The problem of the bands. */
  readonly remark?: string | undefined
}

const EnergyChart = ({ response, period, timeZone, now, bands, remark }: ChartProps) => {
  const t = useMessages(messages)
  const words = useMessages(energyMessages)
  const shown = useMemo(() => {
    if (period.unit === "day") return flowSeries(response.series, t.flows)
    if (period.unit !== "year") return barSeries(response.series, words.names)
    const month = monthNames(timeZone)
    const joined = energyNames.map((name) => [name, joinBuckets(response.series[name], month, now)] as const)
    return barSeries(Object.fromEntries(joined) as EnergyResponse["series"], words.names)
  }, [response, period.unit, timeZone, now, t, words])
  const isDay = period.unit === "day"
  const title = isDay ? t.flow : period.unit === "year" ? t.byMonth : t.byDay
  return (
    <Card title={title}>
      <TimeChart
        title={title}
        series={shown}
        bands={bands}
        from={period.from}
        to={period.to}
        timeZone={timeZone}
        {...(!isDay && { timeFormat: period.unit === "year" ? monthFormat : dayFormat })}
      />
      <p className="muted">
        {isDay ? t.flowHint : t.barHint} {remark}
      </p>
    </Card>
  )
}

/** The chart of a site, with what explains it. */
const SiteChart = ({ siteId, ...view }: ViewProps & { readonly siteId: string }) => {
  const t = useMessages(messages)
  const result = useAtomValue(annotationsQuery({ siteId }, view.period))
  const found = currentValue(result)
  const bands = useMemo(() => bandsFrom(found?.annotations ?? [], view.period, t.bands), [found, view.period, t])
  const remark = result._tag === "Failure" ? t.noBands : found?.isTruncated ? t.bandsTruncated : undefined
  return <EnergyChart {...view} bands={bands} remark={remark} />
}

interface NothingMeasuredProps extends Pick<ViewProps, "period" | "timeZone"> {
  readonly siteId: string | undefined
}

const NO_BANDS: ReadonlyArray<Band> = []

/** Stands for the chart of a time in which nothing was measured. */
const NothingMeasured = ({ siteId, period, timeZone }: NothingMeasuredProps) => {
  const words = useMessages(energyMessages)
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
  const t = useMessages(messages)
  const period = chosenPeriod(route.useSearch(), timeZone)
  const change = route.useChange()
  const now = useAtomValue(minuteAtom)
  const isRunning = period.from <= now && now < period.to
  const query = periodEnergyQuery(site?.id, period, timeZone)
  useRefreshEvery(query, MINUTE, isRunning)
  useStarted([
    ...formerPeriods(period, timeZone).map((former) => periodEnergyQuery(site?.id, former, timeZone)),
    ...(site === undefined ? [] : [annotationsQuery({ siteId: site.id }, period)])
  ])
  return (
    <>
      <PeriodPicker period={period} timeZone={timeZone} units={["day", "month", "year"]} onChange={change} />
      {/* The figures of one period never stand under the name of another. */}
      <Loaded key={`${site?.id} ${period.unit} ${period.from}`} query={query}>
        {(response) => {
          const view = { response, period, timeZone, now }
          const isEmpty = energyNames.every(
            (name) => totalEnergy(response.series[name], now).value === null && response.refused[name] === undefined
          )
          const file = `energy-${site === undefined ? "workspace" : siteName(site)}-${period.unit}-${period.day}.csv`
          return (
            <>
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
              {isEmpty ? (
                <NothingMeasured siteId={site?.id} period={period} timeZone={timeZone} />
              ) : site === undefined ? (
                <EnergyChart {...view} bands={NO_BANDS} />
              ) : (
                <SiteChart {...view} siteId={site.id} />
              )}
              <Comparison {...view} siteId={site?.id} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

const View = ({ site }: { readonly site: Site | undefined }) => {
  const t = useMessages(messages)
  const workspace = useAtomValue(workspaceAtom)
  const change = route.useChange()
  const timeZone = site?.timezone ?? workspace?.timezone ?? "UTC"
  const whole = { id: "", label: t.whole }
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.zone(timeZone)}
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
  const t = useMessages(messages)
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
