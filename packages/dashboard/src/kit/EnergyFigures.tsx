import {
  type EnergyFigure,
  type EnergyName,
  type NoEnergy,
  selfConsumption,
  selfSufficiency,
  totalEnergy
} from "../api/energy.ts"
import type { EnergyResponse } from "../resources/metrics.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Figure } from "./Figure.tsx"
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

/** Energy totals with their coverage and age, and the two shares that are computed from them. */
export const EnergyFigures = ({ response: { series, refused }, now, names, isRunning }: EnergyFiguresProps) => {
  const t = useMessages("energies")
  const explain = useProblemText()
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
  const age = ({ until }: EnergyFigure) => (isRunning && until !== null ? { time: until } : {})
  return (
    <div className="figures">
      {names.map((name) => {
        const figure = totalEnergy(series[name], now)
        return (
          <Figure
            key={name}
            label={t.names[name]}
            note={t.meanings[name]}
            value={figure.value}
            unit="Wh"
            reason={refusal(name) ?? explainMissing(figure.reason, name)}
            coverage={figure.coverage}
            {...age(figure)}
          />
        )
      })}
      {shares.map(([label, meaning, figure, refusedReason]) => (
        <Figure
          key={label}
          label={label}
          note={meaning}
          value={figure.value === null ? null : figure.value * 100}
          unit="%"
          reason={refusedReason ?? explainMissing(figure.reason)}
          coverage={figure.coverage}
          {...age(figure)}
        />
      ))}
    </div>
  )
}
