import {
  type EnergyFigure,
  type EnergyName,
  type NoEnergy,
  selfConsumption,
  selfSufficiency,
  totalEnergy
} from "../api/energy.ts"
import type { EnergyAnswer } from "../api/energyQueries.ts"
import { useTexts } from "../i18n/useTexts.ts"
import { energyTexts } from "./energyTexts.ts"
import { Figure } from "./Figure.tsx"
import { useProblemText } from "./Problem.tsx"

/** The device without which there is no such energy. */
const measuredBy: Readonly<Partial<Record<EnergyName, "meter" | "battery" | "inverter">>> = {
  imported: "meter",
  exported: "meter",
  charged: "battery",
  discharged: "battery",
  generation: "inverter"
}

/** The sentence that says why an energy is not known. */
export const useEnergyReason = () => {
  const t = useTexts(energyTexts)
  return (reason: NoEnergy | undefined, name?: EnergyName): string | undefined => {
    if (reason === undefined) return undefined
    const device = name === undefined ? undefined : measuredBy[name]
    return reason === "no_devices" && device !== undefined ? t.noDevice[device] : t.reasons[reason]
  }
}

interface EnergyFiguresProps {
  readonly answer: EnergyAnswer
  readonly now: number
  readonly names: ReadonlyArray<EnergyName>
  /** The time goes on: each figure says until when it is measured. */
  readonly isRunning: boolean
}

/** The sums of energies with their coverage and age, and the shares that follow from them. */
export const EnergyFigures = ({ answer: { series, refused }, now, names, isRunning }: EnergyFiguresProps) => {
  const t = useTexts(energyTexts)
  const explain = useProblemText()
  const because = useEnergyReason()
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
            reason={refusal(name) ?? because(figure.reason, name)}
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
          reason={refusedReason ?? because(figure.reason)}
          coverage={figure.coverage}
          {...age(figure)}
        />
      ))}
    </div>
  )
}
