import type { Device } from "@edp/domain/devices/Device"
import { laidOver, type Series } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { useBands } from "../../charts/useBands.ts"
import { chosenPeriod, formerPeriod, inQuarters, type Period } from "../../i18n/period.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { deviceMetricsQuery } from "../../resources/metrics.ts"
import { Figure } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { NoReadings } from "../../kit/NoReadings.tsx"
import { Card, Empty } from "../../kit/components.tsx"
import { OverlayChoice, shortPeriodName, TimeRange, zoomTo } from "../../kit/TimeRange.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue, useCurrent } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { bucketFor, coveragePoints, deviceEnergies, isPartly, total, valuePoints } from "./energy.ts"

const route = pageRoute("/dashboard/devices/$id")

interface EnergyProps {
  readonly device: Device
  readonly timeZone: string
}

const colors = [1, 2, 3, 4, 5] as const
const patterns = [0, 1, 2, 3, 0] as const

/** The energies of the device over a time, with the share of it that was measured. */
export const EnergyView = ({ device, timeZone }: EnergyProps) => {
  const t = useMessages("device")
  const words = useMessages("energies")
  const language = useLanguage()
  const search = route.useSearch()
  const period = chosenPeriod(search, timeZone)
  const former = formerPeriod(period, search.over, timeZone)
  const change = route.useChange()
  const now = useAtomValue(minuteAtom)
  const { bands, remark } = useBands({ deviceId: device.id }, inQuarters(period), [device.id])
  const energies = deviceEnergies(device.type)
  const ask = (span: Period) =>
    deviceMetricsQuery({
      id: device.id,
      from: inQuarters(span).from,
      to: inQuarters(span).to,
      metrics: energies.map(({ metric }) => metric),
      bucket: bucketFor(period),
      timezone: timeZone
    })
  const other = useCurrent(former === undefined ? undefined : ask(former.period))
  if (energies.length === 0) {
    return (
      <Empty icon="chart" title={t.noEnergy}>
        {t.noEnergyHint}
      </Empty>
    )
  }
  return (
    <Card>
      <div className="stack">
        <TimeRange period={period} timeZone={timeZone} onChange={change} />
        <OverlayChoice period={period} timeZone={timeZone} over={search.over} onChange={change} />
        <Loaded query={ask(period)}>
          {(metrics) => {
            const found = energies.flatMap(({ metric, meaning }) => {
              const series = metrics[metric]
              return series === undefined ? [] : [{ metric, meaning, series, sum: total(series, now) }]
            })
            // A quantity that the device does not report is left out, unless it reports nothing at all.
            const measured = found.filter(({ sum }) => sum.value !== null)
            const shown = measured.length === 0 ? found.slice(0, 1) : measured
            const partly = shown.find(({ series }) => isPartly(series, now))
            const bars = shown.map(({ meaning, series }, index): Series => ({
              id: meaning,
              name: t.energyOf[meaning],
              unit: "Wh",
              kind: "bar",
              color: colors[index]!,
              pattern: patterns[index]!,
              points: valuePoints(series)
            }))
            const overlay =
              former === undefined || other === undefined
                ? []
                : laidOver(
                    shown.flatMap(({ metric }, index) => {
                      const series = other[metric]
                      return series === undefined ? [] : [{ ...bars[index]!, points: valuePoints(series) }]
                    }),
                    former.align,
                    period,
                    shortPeriodName(language, former.period, timeZone)
                  )
            const coverage: ReadonlyArray<Series> =
              partly === undefined
                ? []
                : [
                    {
                      id: "coverage",
                      name: t.coverageLine,
                      unit: "%",
                      kind: "step",
                      color: 6,
                      dashed: true,
                      points: coveragePoints(partly.series, now)
                    }
                  ]
            return (
              <>
                <div className="figures device-energies">
                  {shown.map(({ meaning, sum }) => (
                    <Figure
                      key={meaning}
                      label={t.energyOf[meaning]}
                      value={sum.value}
                      unit="Wh"
                      coverage={sum.coverage}
                      reason={sum.reason && t.missingReasons[sum.reason]}
                      size="large"
                    />
                  ))}
                </div>
                {measured.length === 0 ? (
                  <NoReadings
                    title={words.nothing}
                    period={period}
                    timeZone={timeZone}
                    newest={device.lastOnlineAt}
                    onChange={change}
                  />
                ) : (
                  <TimeChart
                    title={t.tabs.energy}
                    series={[...bars, ...overlay, ...coverage]}
                    bands={bands}
                    from={period.from}
                    to={period.to}
                    timeZone={timeZone}
                    onZoom={zoomTo(change)}
                  />
                )}
                <p className="muted">
                  {t.energyNote} {t.zone({ name: timeZone })} {remark}
                </p>
              </>
            )
          }}
        </Loaded>
      </div>
    </Card>
  )
}
