import { compareEnergy, energyNames, type EnergyName, type EnergySeries } from "../../api/energy.ts"
import { formatQuantity, formatShare } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { energyBucket, type EnergyResponse, periodEnergyQuery } from "../../resources/metrics.ts"
import { useEnergyReason } from "../../kit/EnergyFigures.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card } from "../../kit/components.tsx"
import { periodName } from "../../kit/TimeRange.tsx"
import { useProblemText } from "../../kit/Problem.tsx"
import type { Period } from "../../i18n/period.ts"
import { Table } from "../../kit/Table.tsx"
import { type Earlier, formerPeriods, placeIn } from "./periods.ts"

interface Former extends Earlier {
  readonly response: EnergyResponse
}

interface ComparisonProps {
  readonly response: EnergyResponse
  readonly siteId: string | undefined
  readonly period: Period
  readonly timeZone: string
  readonly now: number
  /** The period that is laid over the chart. */
  readonly over: string | undefined
}

interface Difference {
  readonly text: string
  /** How much of the period was compared, or why nothing was. */
  readonly note: string | undefined
}

/** The difference of each energy from that of a former period. */
const useDifferences = ({ response, period, siteId, now, timeZone }: ComparisonProps) => {
  const t = useMessages("energy")
  const language = useLanguage()
  const because = useEnergyReason()
  const explain = useProblemText()
  const place = placeIn(period.unit, timeZone)
  const aligned = (series: EnergySeries, align: Former["align"]) =>
    align === undefined ? series : series.map((bucket) => ({ ...bucket, from: align(bucket.from) }))
  return ({ align, response: former }: Former, name: EnergyName): Difference => {
    const refused = response.refused[name] ?? former.refused[name]
    if (refused !== undefined) return { text: "–", note: explain(refused) }
    const { difference, share, compared, begun, reason } = compareEnergy(
      response.series[name],
      aligned(former.series[name], align),
      align === undefined ? place : String,
      now
    )
    if (difference === null) return { text: "–", note: because(reason, name) }
    const sign = difference > 0 ? "+" : ""
    const text = `${sign}${formatQuantity(language, difference, "Wh")}`
    return {
      text: share === null ? text : `${text} (${sign}${formatShare(language, share)})`,
      note:
        compared < begun ? t.compared({ compared, begun, unit: t.buckets[energyBucket(siteId, period)] }) : undefined
    }
  }
}

const ComparisonTable = ({ formers, ...rest }: ComparisonProps & { readonly formers: ReadonlyArray<Former> }) => {
  const { response, timeZone } = rest
  const t = useMessages("energy")
  const words = useMessages("energies")
  const language = useLanguage()
  const differenceFrom = useDifferences(rest)
  const isKnown = (name: EnergyName) =>
    [response, ...formers.map((former) => former.response)].some((each) =>
      each.series[name].some(({ value }) => value !== null)
    )
  const names = energyNames.filter(isKnown)
  const columns = formers.map((former) => {
    const differences = new Map(names.map((name) => [name, differenceFrom(former, name)]))
    const notes = new Set([...differences.values()].map(({ note }) => note))
    return {
      title: periodName(language, former.period, timeZone),
      differences,
      /** A note of every row is said once. */
      note: names.length > 1 && notes.size === 1 ? [...notes][0] : undefined
    }
  })
  return (
    <>
      <Table
        caption={t.comparison}
        rows={names}
        id={(name) => name}
        columns={[
          { id: "name", header: t.energy, cell: (name) => words.names[name], isName: true },
          ...columns.map(({ differences, note, title }) => ({
            id: title,
            header: title,
            align: "end" as const,
            cell: (name: EnergyName) => {
              const { note: own, text } = differences.get(name)!
              return (
                <span>
                  {text}
                  {note === undefined && own !== undefined && <span className="muted energy-note">{own}</span>}
                </span>
              )
            }
          }))
        ]}
      />
      {columns.map(
        ({ note, title }) =>
          note !== undefined && (
            <p key={title} className="muted energy-hint">
              {title}: {note}
            </p>
          )
      )}
    </>
  )
}

interface LoadedFormersProps extends ComparisonProps {
  readonly earlier: ReadonlyArray<Earlier>
  readonly loaded: ReadonlyArray<Former>
}

/** Reads the earlier periods, which were started together, one after the other. */
const LoadedFormers = ({ earlier: [next, ...rest], loaded, ...props }: LoadedFormersProps) => {
  if (next === undefined) return <ComparisonTable {...props} formers={loaded} />
  return (
    <Loaded key={next.period.from} query={periodEnergyQuery(props.siteId, next.period, props.timeZone)}>
      {(response) => <LoadedFormers {...props} earlier={rest} loaded={[...loaded, { ...next, response }]} />}
    </Loaded>
  )
}

/** The differences of the energies of a period from those of the one laid over, the period before and the year before. */
export const Comparison = (props: ComparisonProps) => {
  const t = useMessages("energy")
  return (
    <Card title={t.comparison} flush>
      <LoadedFormers {...props} earlier={formerPeriods(props.period, props.timeZone, props.over)} loaded={[]} />
      <p className="muted energy-hint">{t.comparisonHint}</p>
    </Card>
  )
}
