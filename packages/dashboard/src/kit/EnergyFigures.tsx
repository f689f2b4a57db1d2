import {
  type EnergyFigure,
  type EnergyName,
  type NoEnergy,
  selfConsumption,
  selfSufficiency,
  totalEnergy
} from "../api/energy.ts"
import type { EnergyResponse } from "../resources/metrics.ts"
import { formatShare } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { Age, Figure } from "./Figure.tsx"
import { useProblemText } from "./Problem.tsx"

/** The type of the device that measures an energy. */
const measuredBy: Readonly<Partial<Record<EnergyName, "meter" | "battery" | "inverter">>> = {
  imported: "meter",
  exported: "meter",
  charged: "battery",
  discharged: "battery",
  generation: "inverter"
}

/** Explains in a sentence why an energy figure is missing. */
export const useEnergyReason = () => {
  const t = useMessages("energies")
  return (reason: NoEnergy | undefined, name?: EnergyName): string | undefined => {
    if (reason === undefined) return undefined
    const device = name === undefined ? undefined : measuredBy[name]
    return reason === "no_devices" && device !== undefined ? t.noDevice[device] : t.reasons[reason]
  }
}

interface EnergyFiguresProps {
  readonly response: EnergyResponse
  readonly now: number
  readonly names: ReadonlyArray<EnergyName>
  /** The period has not ended: each figure shows the time up to which it is measured. */
  readonly isRunning: boolean
}

/** Figures whose coverages and ages differ by at most this much share one note. */
const ALIKE = 0.2
const ALIKE_MS = 5 * 60_000

/** A coverage from here on is not worth a note. */
const WHOLE = 0.995

/** The least and the most of values that are alike; undefined if they are not, or if one is missing. */
const shared = (values: ReadonlyArray<number | null>, alike = ALIKE) => {
  if (values.length < 2 || values.includes(null)) return undefined
  const [least, most] = [Math.min(...(values as Array<number>)), Math.max(...(values as Array<number>))]
  return most - least > alike ? undefined : { least, most }
}

/** Energy totals with their coverage and age, and the two shares that are computed from them. */
export const EnergyFigures = ({ response: { series, refused }, now, names, isRunning }: EnergyFiguresProps) => {
  const t = useMessages("energies")
  const language = useLanguage()
  const explain = useProblemText()
  const rangeText = ({ least, most }: { readonly least: number; readonly most: number }) => {
    const [from, to] = [formatShare(language, least), formatShare(language, most)]
    return from === to ? from : `${from} – ${to}`
  }
  const explainMissing = useEnergyReason()
  const refusal = (...needed: ReadonlyArray<EnergyName>) => {
    const problem = needed.map((name) => refused[name]).find((each) => each !== undefined)
    return problem && explain(problem)
  }
  const shares: ReadonlyArray<
    readonly [label: string, meaning: string, figure: EnergyFigure, refused: string | undefined]
  > = [
    [
      t.selfConsumption,
      t.selfConsumptionMeaning,
      selfConsumption(series.generation, series.exported, now),
      refusal("generation", "exported")
    ],
    [
      t.selfSufficiency,
      t.selfSufficiencyMeaning,
      selfSufficiency(series.load, series.imported, now),
      refusal("load", "imported")
    ]
  ]
  const totals = names.map((name) => [name, totalEnergy(series[name], now)] as const)
  const measured = [...totals.map(([, figure]) => figure), ...shares.map(([, , figure]) => figure)].filter(
    ({ value }) => value !== null
  )
  const coverage = shared(measured.map((figure) => figure.coverage))
  const until = shared(
    measured.map((figure) => (isRunning ? figure.until : null)),
    ALIKE_MS
  )
  const own = (figure: EnergyFigure) => ({
    ...(coverage === undefined && { coverage: figure.coverage }),
    ...(until === undefined && isRunning && figure.until !== null && { time: figure.until })
  })
  return (
    <>
      <div className="figures">
        {totals.map(([name, figure]) => (
          <Figure
            key={name}
            label={t.names[name]}
            note={t.meanings[name]}
            value={figure.value}
            unit="Wh"
            reason={refusal(name) ?? explainMissing(figure.reason, name)}
            {...own(figure)}
          />
        ))}
        {shares.map(([label, meaning, figure, refusedReason]) => (
          <Figure
            key={label}
            label={label}
            note={meaning}
            value={figure.value === null ? null : figure.value * 100}
            unit="%"
            reason={refusedReason ?? explainMissing(figure.reason)}
            {...own(figure)}
          />
        ))}
      </div>
      {(until !== undefined || (coverage !== undefined && coverage.least < WHOLE)) && (
        <p className="figure-note">
          {coverage !== undefined && coverage.least < WHOLE && (
            <span>{t.measured({ share: rangeText(coverage) })}</span>
          )}
          {until !== undefined && (
            <span>
              {t.until} <Age time={until.least} live />
            </span>
          )}
        </p>
      )}
    </>
  )
}
