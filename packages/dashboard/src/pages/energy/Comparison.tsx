import { compareEnergy, energyNames, type EnergyName } from "../../api/energy.ts"
import { formatQuantity, formatShare } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { type EnergyResponse, periodEnergyQuery } from "../../resources/metrics.ts"
import { useEnergyReason } from "../../kit/EnergyFigures.tsx"
import { energyMessages } from "../../kit/energyMessages.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card } from "../../kit/components.tsx"
import { periodName } from "../../kit/PeriodPicker.tsx"
import { useProblemText } from "../../kit/Problem.tsx"
import type { Period } from "../../i18n/period.ts"
import { Table } from "../../kit/Table.tsx"
import { formerPeriods, placeIn } from "./periods.ts"
import { messages } from "./messages.ts"

interface Former {
  readonly period: Period
  readonly response: EnergyResponse
}

interface ComparisonProps {
  readonly response: EnergyResponse
  readonly siteId: string | undefined
  readonly period: Period
  readonly timeZone: string
  readonly now: number
}

interface DifferenceProps extends Omit<ComparisonProps, "siteId"> {
  readonly former: EnergyResponse
  readonly name: EnergyName
  readonly place: (from: number) => string
}

/** The difference of an energy to that of a former period, or why there is none. */
const Difference = ({ response, former, name, period, now, place }: DifferenceProps) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const because = useEnergyReason()
  const explain = useProblemText()
  const refused = response.refused[name] ?? former.refused[name]
  if (refused !== undefined) return <span className="muted">– {explain(refused)}</span>
  const { difference, share, compared, begun, reason } = compareEnergy(
    response.series[name],
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
  const { response, period, timeZone } = rest
  const t = useMessages(messages)
  const words = useMessages(energyMessages)
  const language = useLanguage()
  const place = placeIn(period.unit, timeZone)
  const isKnown = (name: EnergyName) =>
    [response, ...formers.map((former) => former.response)].some((each) =>
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
          cell: (name: EnergyName) => <Difference {...rest} former={former.response} name={name} place={place} />
        }))
      ]}
    />
  )
}

/** The differences of the energies of a period from those of the period before and of the year before. */
export const Comparison = (props: ComparisonProps) => {
  const { period, siteId, timeZone } = props
  const t = useMessages(messages)
  const [before, yearAgo] = formerPeriods(period, timeZone)
  const ask = (former: Period) => periodEnergyQuery(siteId, former, timeZone)
  return (
    <Card title={t.comparison} flush>
      <Loaded query={ask(before!)}>
        {(response) => {
          const first = { period: before!, response }
          if (yearAgo === undefined) return <ComparisonTable {...props} formers={[first]} />
          return (
            <Loaded query={ask(yearAgo)}>
              {(other) => <ComparisonTable {...props} formers={[first, { period: yearAgo, response: other }]} />}
            </Loaded>
          )
        }}
      </Loaded>
      <p className="muted energy-hint">{t.comparisonHint}</p>
    </Card>
  )
}
