import type { Device } from "@edp/domain/devices/Device"
import { metricCsv } from "@edp/domain/metrics/MetricSeries"
import type { Series } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { chosenPeriod } from "../../i18n/period.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceMetricsQuery } from "../../resources/metrics.ts"
import { Button } from "../../kit/Button.tsx"
import { Figure } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { energyMessages } from "../../kit/energyMessages.ts"
import { NoReadings } from "../../kit/NoReadings.tsx"
import { Card, Empty } from "../../kit/components.tsx"
import { PeriodPicker } from "../../kit/PeriodPicker.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { saveCsv } from "./csv.ts"
import { buckets, coveragePoints, deviceEnergies, isPartly, total, valuePoints } from "./energy.ts"
import { messages } from "./messages.ts"
import { useBands } from "./useBands.ts"

const route = pageRoute("/dashboard/devices/$id")

interface EnergyProps {
  readonly device: Device
  readonly timeZone: string
}

const colors = [1, 2, 3, 4, 5] as const

/** The energies of the device over a time, with the share of it that was measured. */
export const EnergyView = ({ device, timeZone }: EnergyProps) => {
  const t = useMessages(messages)
  const words = useMessages(energyMessages)
  const period = chosenPeriod(route.useSearch(), timeZone)
  const change = route.useChange()
  const now = useAtomValue(minuteAtom)
  const bands = useBands(device.id, period)
  const energies = deviceEnergies(device.type)
  if (energies.length === 0) {
    return (
      <Empty icon="chart" title={t.noEnergy}>
        {t.noEnergyHint}
      </Empty>
    )
  }
  const query = deviceMetricsQuery({
    id: device.id,
    from: period.from,
    to: period.to,
    metrics: energies.map(({ metric }) => metric),
    bucket: buckets[period.unit],
    timezone: timeZone
  })
  return (
    <Card>
      <div className="stack">
        <PeriodPicker period={period} timeZone={timeZone} onChange={change} />
        <Loaded query={query}>
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
              points: valuePoints(series)
            }))
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
                    series={[...bars, ...coverage]}
                    bands={bands}
                    from={period.from}
                    to={period.to}
                    timeZone={timeZone}
                  />
                )}
                <div className="device-chart-foot">
                  <p className="muted">
                    {t.energyNote} {t.zone(timeZone)}
                  </p>
                  <span className="actions">
                    {shown.map(({ meaning, series }) => (
                      <Button
                        key={meaning}
                        small
                        tone="quiet"
                        icon="download"
                        onClick={() =>
                          saveCsv(`${device.name} ${t.energyOf[meaning]} ${period.day}`, metricCsv(series))
                        }
                      >
                        {t.energyOf[meaning]}: CSV
                      </Button>
                    ))}
                  </span>
                </div>
              </>
            )
          }}
        </Loaded>
      </div>
    </Card>
  )
}
