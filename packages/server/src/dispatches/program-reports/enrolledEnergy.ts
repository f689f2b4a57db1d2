import type { Figures } from "../../energy/buckets.ts"
import { QUARTER, type Span } from "../../energy/intervals.ts"
import { bucketAt, makeTimeSums, overlap } from "../../energy/spans.ts"
import { coverageShare, wattHours } from "../../energy/totals.ts"

/** A battery with the times in which its energy counts for a report. */
export interface EnrolledBattery {
  readonly id: string
  /** Ascending, apart from each other, and within the report. */
  readonly enrolled: ReadonlyArray<Span>
  /** From its first reading until it was disconnected; undefined if it has never reported. */
  readonly reporting: Span | undefined
}

/** The quantities that a report sums. */
export const movedEnergies = ["discharged", "charged"] as const
type MovedEnergy = (typeof movedEnergies)[number]

/** A question to `DeviceEnergy`, and the receiver of its response. */
export interface EnergyPart {
  readonly deviceIds: ReadonlyArray<string>
  readonly bounds: ReadonlyArray<number>
  readonly receive: (figures: Figures & { readonly deviceId: string }) => void
}

/** The whole quarters of an hour of a span: rollups hold them, so that no readings need to be read for its ends. */
const wholeQuarters = ({ from, to }: Span): Span => ({
  from: Math.ceil(from / QUARTER) * QUARTER,
  to: Math.floor(to / QUARTER) * QUARTER
})

/** Whole days from `first` until `end`, exclusive. */
interface DayRun {
  readonly first: number
  readonly end: number
}

/** A span within a day. */
interface DayPart extends Span {
  readonly day: number
}

/** Divides a span into whole days and parts of days. */
const divide = (span: Span, bounds: ReadonlyArray<number>) => {
  const [first, last] = [bucketAt(bounds, span.from), bucketAt(bounds, span.to - 1)]
  const isFirstWhole = span.from === bounds[first]
  const isLastWhole = span.to === bounds[last + 1]
  const parts: ReadonlyArray<DayPart> =
    first === last
      ? isFirstWhole && isLastWhole
        ? []
        : [{ ...span, day: first }]
      : [
          ...(isFirstWhole ? [] : [{ from: span.from, to: bounds[first + 1]!, day: first }]),
          ...(isLastWhole ? [] : [{ from: bounds[last]!, to: span.to, day: last }])
        ]
  const run: DayRun = { first: isFirstWhole ? first : first + 1, end: isLastWhole ? last + 1 : last }
  return { parts, runs: run.first < run.end ? [run] : [] }
}

class Sum {
  amount = 0n
  covered = 0
  add(amount: bigint, covered: number) {
    this.amount += amount
    this.covered += covered
  }
  get value() {
    return this.covered === 0 ? null : wattHours(this.amount)
  }
}

/** The energies of a time; null where no reading covers any of it. */
export interface MovedEnergies {
  readonly dischargedWh: number | null
  readonly chargedWh: number | null
  readonly coverage: number
  readonly reason?: "not_counted" | "no_readings"
}

const moved = (sums: Record<MovedEnergy, Sum>, enrolled: number, expected: number): MovedEnergies => {
  const { charged, discharged } = sums
  const covered = (charged.covered + discharged.covered) / 2
  return {
    dischargedWh: discharged.value,
    chargedWh: charged.value,
    coverage: coverageShare(covered, Math.max(covered, expected)),
    ...((discharged.value === null || charged.value === null) && {
      reason: enrolled === 0 ? "not_counted" : "no_readings"
    })
  }
}

const makeSums = () => ({ discharged: new Sum(), charged: new Sum() })

/** Sums the energies of enrolled batteries by day. `dayBounds` are the beginnings of the days and the end of the last one. */
export const makeEnrolledEnergy = (dayBounds: ReadonlyArray<number>) => {
  const whole = wholeQuarters({ from: dayBounds[0]!, to: dayBounds.at(-1)! })
  const bounds = [whole.from, ...dayBounds.slice(1, -1), whole.to].slice(0, dayBounds.length)
  const days = bounds.slice(1).map(makeSums)
  const [enrolled, expected] = [makeTimeSums(bounds), makeTimeSums(bounds)]

  /** Adds the buckets of a device, from the first that begins at `from` until the one that ends at `to`, to a day. */
  const addTo = (day: number, { energy }: Figures, first: number, end: number) => {
    for (const quantity of movedEnergies) {
      const series = energy.get(quantity)
      if (series === undefined) continue
      for (let bucket = first; bucket < end; bucket++) {
        days[day]![quantity].add(series.amounts[bucket]!, series.covered[bucket]!)
      }
    }
  }

  /** Whole days of all batteries together. */
  const wholeDays = (runs: ReadonlyMap<string, ReadonlyArray<DayRun>>): ReadonlyArray<EnergyPart> => {
    const all = Array.from(runs.values()).flat()
    if (all.length === 0) return []
    const first = Math.min(...all.map((run) => run.first))
    const end = Math.max(...all.map((run) => run.end))
    return [
      {
        deviceIds: [...runs.keys()],
        bounds: bounds.slice(first, end + 1),
        receive: (figures) => {
          for (const run of runs.get(figures.deviceId)!) {
            for (let day = run.first; day < run.end; day++) addTo(day, figures, day - first, day - first + 1)
          }
        }
      }
    ]
  }

  /** The batteries that are enrolled in parts of a day. */
  const partsOfDay = (day: number, parts: ReadonlyArray<DayPart & { readonly id: string }>): EnergyPart => {
    const edges = [...new Set(parts.flatMap(({ from, to }) => [from, to]))].toSorted((one, other) => one - other)
    const byDevice = Map.groupBy(parts, ({ id }) => id)
    return {
      deviceIds: [...byDevice.keys()],
      bounds: edges,
      receive: (figures) => {
        for (const { from, to } of byDevice.get(figures.deviceId)!) {
          addTo(day, figures, edges.indexOf(from), edges.indexOf(to))
        }
      }
    }
  }

  return {
    /** The questions whose responses complete the sums of these batteries. */
    include: (batteries: ReadonlyArray<EnrolledBattery>): ReadonlyArray<EnergyPart> => {
      const runs = new Map<string, Array<DayRun>>()
      const parts: Array<DayPart & { readonly id: string }> = []
      for (const battery of batteries) {
        for (const each of battery.enrolled) {
          const span = wholeQuarters(each)
          if (span.from >= span.to) continue
          enrolled.add(span)
          const { from, to } = battery.reporting ?? { from: 0, to: 0 }
          if (overlap(span, from, to) === 0) continue
          expected.add({ from: Math.max(span.from, from), to: Math.min(span.to, to) })
          const divided = divide(span, bounds)
          for (const run of divided.runs) {
            const own = runs.get(battery.id)
            if (own === undefined) runs.set(battery.id, [run])
            else own.push(run)
          }
          parts.push(...divided.parts.map((part) => ({ ...part, id: battery.id })))
        }
      }
      return [
        ...wholeDays(runs),
        ...Array.from(
          Map.groupBy(parts, ({ day }) => day),
          ([day, own]) => partsOfDay(day, own)
        )
      ]
    },
    /** The energies of each day and of all together. */
    results: () => {
      const [enrolledTimes, expectedTimes] = [enrolled.sums(), expected.sums()]
      const total = makeSums()
      for (const day of days) {
        for (const quantity of movedEnergies) total[quantity].add(day[quantity].amount, day[quantity].covered)
      }
      const sum = (times: ReadonlyArray<number>) => times.reduce((whole, time) => whole + time, 0)
      return {
        days: days.map((day, at) => moved(day, enrolledTimes[at]!, expectedTimes[at]!)),
        total: moved(total, sum(enrolledTimes), sum(expectedTimes))
      }
    }
  }
}
