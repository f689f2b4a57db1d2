import { compareEnergy, energyNames, type EnergyName } from "../../api/energy.ts"
import { type EnergyAnswer, energyQuery } from "../../api/energyQueries.ts"
import { formatQuantity, formatShare } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { useEnergyReason } from "../../kit/EnergyFigures.tsx"
import { energyTexts } from "../../kit/energyTexts.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card } from "../../kit/Parts.tsx"
import { periodName } from "../../kit/PeriodPicker.tsx"
import { useProblemText } from "../../kit/Problem.tsx"
import type { Period } from "../../kit/period.ts"
import { Table } from "../../kit/Table.tsx"
import { useAtomValue } from "../../state/atoms.ts"
import { formerPeriods, placeIn } from "./periods.ts"
import { periodQuestion } from "./queries.ts"
import { texts } from "./texts.ts"

interface Former {
  readonly period: Period
  readonly answer: EnergyAnswer
}

interface ComparisonProps {
  readonly answer: EnergyAnswer
  readonly siteId: string | undefined
  readonly period: Period
  readonly timeZone: string
  readonly now: number
}

interface DifferenceProps extends Omit<ComparisonProps, "siteId"> {
  readonly former: EnergyAnswer
  readonly name: EnergyName
  readonly place: (from: number) => string
}

/** The difference of an energy to that of a former period, or why there is none. */
const Difference = ({ answer, former, name, period, now, place }: DifferenceProps) => {
  const t = useTexts(texts)
  const language = useLanguage()
  const because = useEnergyReason()
  const explain = useProblemText()
  const refused = answer.refused[name] ?? former.refused[name]
  if (refused !== undefined) return <span className="muted">– {explain(refused)}</span>
  const { difference, share, compared, begun, reason } = compareEnergy(
    answer.series[name],
    former.series[name],
    place,
    now
  )
  if (difference === null) return <span className="muted">– {because(reason, name)}</span>
  const sign = difference > 0 ? "+" : ""
  return (
    <span>
      {sign}
      {formatQuantity(language, difference, "Wh")}
      {share !== null && ` (${sign}${formatShare(language, share)})`}
      {compared < begun && (
        <span className="muted energy-note">{t.compared(compared, begun, t.buckets[period.unit])}</span>
      )}
    </span>
  )
}

const ComparisonTable = ({ formers, ...rest }: ComparisonProps & { readonly formers: ReadonlyArray<Former> }) => {
  const { answer, period, timeZone } = rest
  const t = useTexts(texts)
  const words = useTexts(energyTexts)
  const language = useLanguage()
  const place = placeIn(period.unit, timeZone)
  const isKnown = (name: EnergyName) =>
    [answer, ...formers.map((former) => former.answer)].some((each) =>
      each.series[name].some(({ value }) => value !== null)
    )
  return (
    <Table
      caption={t.comparison}
      rows={energyNames.filter(isKnown)}
      id={(name) => name}
      columns={[
        { id: "name", header: t.energy, cell: (name) => words.names[name], isName: true },
        ...formers.map((former) => ({
          id: String(former.period.from),
          header: periodName(language, former.period, timeZone),
          align: "end" as const,
          cell: (name: EnergyName) => <Difference {...rest} former={former.answer} name={name} place={place} />
        }))
      ]}
    />
  )
}

/** The differences of the energies of a period from those of the period before and of the year before. */
export const Comparison = (props: ComparisonProps) => {
  const { period, siteId, timeZone } = props
  const t = useTexts(texts)
  const [before, yearAgo] = formerPeriods(period, timeZone)
  const ask = (former: Period) => energyQuery(periodQuestion(siteId, former, timeZone))
  // Both are asked for at once, although one is shown within the other.
  useAtomValue(ask(yearAgo ?? before!))
  return (
    <Card title={t.comparison} flush>
      <Loaded query={ask(before!)}>
        {(answer) => {
          const first = { period: before!, answer }
          if (yearAgo === undefined) return <ComparisonTable {...props} formers={[first]} />
          return (
            <Loaded query={ask(yearAgo)}>
              {(other) => <ComparisonTable {...props} formers={[first, { period: yearAgo, answer: other }]} />}
            </Loaded>
          )
        }}
      </Loaded>
      <p className="muted energy-hint">{t.comparisonHint}</p>
    </Card>
  )
}
