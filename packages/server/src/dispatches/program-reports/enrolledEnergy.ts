import { createHash } from "node:crypto"
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
  /** Rollups hold all its energies before this instant, and newer readings do not change them. */
  readonly settledUntil: number
  /**
   * Hashes of the battery and of what its energy depends on: in settled days that are long over, in other settled days, and
   * afterwards.
   */
  readonly hashes: { readonly old: bigint; readonly settled: bigint; readonly open: bigint }
}

/** The quantities that a report sums. */
export const movedEnergies = ["discharged", "charged"] as const
export type MovedEnergy = (typeof movedEnergies)[number]

/** The whole quarters of an hour of a span: rollups hold them, so that no readings need to be read for its ends. */
const wholeQuarters = ({ from, to }: Span): Span => ({
  from: Math.ceil(from / QUARTER) * QUARTER,
  to: Math.floor(to / QUARTER) * QUARTER
})

/** The bounds of the whole quarters of an hour of days. */
export const quarterBounds = (dayBounds: ReadonlyArray<number>): ReadonlyArray<number> => {
  const whole = wholeQuarters({ from: dayBounds[0]!, to: dayBounds.at(-1)! })
  return [whole.from, ...dayBounds.slice(1, -1), whole.to].slice(0, dayBounds.length)
}

/** Days from `first` until `end`, exclusive. */
export interface DayRun {
  readonly first: number
  readonly end: number
}

/** A battery's time in whole quarters of an hour: whole days, or a part of a day. */
export interface CountedSpan extends Span, DayRun {
  readonly battery: EnrolledBattery
  readonly isWhole: boolean
}

/** Divides a span into whole days and parts of days. */
const divide = (span: Span, bounds: ReadonlyArray<number>): ReadonlyArray<DayRun & Span & { isWhole: boolean }> => {
  const [first, last] = [bucketAt(bounds, span.from), bucketAt(bounds, span.to - 1)]
  const start = span.from === bounds[first] ? first : first + 1
  const end = span.to === bounds[last + 1] ? last + 1 : last
  const part = (day: number, { from, to }: Span) => ({ from, to, first: day, end: day + 1, isWhole: false })
  if (start > end) return [part(first, span)]
  const [from, to] = [bounds[start]!, bounds[end]!]
  return [
    ...(span.from < from ? [part(first, { from: span.from, to: from })] : []),
    ...(start < end ? [{ from, to, first: start, end, isWhole: true }] : []),
    ...(to < span.to ? [part(last, { from: to, to: span.to })] : [])
  ]
}

/**
 * The days in which energy of a battery may lie: until it was disconnected, and from its first reading on, whose energy may lie in the moment
 * before it.
 */
const reachedDays = ({ reporting }: EnrolledBattery, bounds: ReadonlyArray<number>): DayRun => {
  const [from, to] = [(reporting?.from ?? Infinity) - QUARTER, reporting?.to ?? -Infinity]
  if (from >= bounds.at(-1)! || to <= bounds[0]!) return { first: 0, end: 0 }
  return { first: bucketAt(bounds, from), end: bucketAt(bounds, to - 1) + 1 }
}

/** The spans in which the energies of batteries count. Days that can have none are left out. */
export const countedSpans = (
  batteries: ReadonlyArray<EnrolledBattery>,
  bounds: ReadonlyArray<number>
): ReadonlyArray<CountedSpan> =>
  batteries.flatMap((battery) => {
    const reached = reachedDays(battery, bounds)
    return battery.enrolled.flatMap((each): ReadonlyArray<CountedSpan> => {
      const span = wholeQuarters({
        from: Math.max(each.from, bounds[reached.first]!),
        to: Math.min(each.to, bounds[reached.end]!)
      })
      return span.from < span.to ? divide(span, bounds).map((part) => ({ ...part, battery })) : []
    })
  })

/** A part of every hash: a higher number makes all kept days obsolete, as a change of their computation must. */
const COMPUTATION = 1

/** A hash of everything that the energy of each day depends on; undefined for a day without any. */
export const daySignatures = (
  spans: ReadonlyArray<CountedSpan>,
  bounds: ReadonlyArray<number>,
  longOverUntil: number
): ReadonlyArray<bigint | undefined> => {
  const days = bounds.slice(1)
  /** The differences of each day to the day before, in the sum of the hashes of whole days and in their number. */
  const sums = bounds.map(() => 0n)
  const counts = bounds.map(() => 0)
  const parts = days.map((): Array<string> => [])
  const oldDays = days.filter((end) => end <= longOverUntil).length
  for (const { battery, end, first, from, isWhole, to } of spans) {
    const { hashes, settledUntil } = battery
    const isSettled = days[end - 1]! <= settledUntil
    const settled = isSettled ? end : Math.max(first, bucketAt(bounds, settledUntil))
    const old = Math.min(Math.max(first, oldDays), settled)
    for (const [hash, start, stop] of [
      [hashes.old, first, old],
      [hashes.settled, old, settled],
      [hashes.open, settled, end]
    ] as const) {
      if (start === stop) continue
      if (isWhole) {
        sums[start]! += hash
        sums[stop]! -= hash
        counts[start]!++
        counts[stop]!--
      } else parts[first]!.push(`${hash} ${from} ${to}`)
    }
  }
  let [sum, count] = [0n, 0]
  return days.map((_, day) => {
    sum += sums[day]!
    count += counts[day]!
    if (count === 0 && parts[day]!.length === 0) return undefined
    const text = [COMPUTATION, count, sum, ...parts[day]!.toSorted()].join("\n")
    return createHash("sha256").update(text).digest().readBigInt64BE()
  })
}

/** A question to `DeviceEnergy`, and the receiver of its response. */
export interface EnergyPart {
  readonly deviceIds: ReadonlyArray<string>
  readonly bounds: ReadonlyArray<number>
  readonly receive: (figures: Figures & { readonly deviceId: string }) => void
}

/** Receives the energy of a battery in a day. */
export type AddEnergy = (deviceId: string, day: number, quantity: MovedEnergy, amount: bigint, covered: number) => void

/** The questions whose responses make up the energies of spans within a run of days. */
export const energyParts = (
  spans: ReadonlyArray<CountedSpan>,
  run: DayRun,
  bounds: ReadonlyArray<number>,
  add: AddEnergy
): ReadonlyArray<EnergyPart> => {
  /** Adds the buckets of a device, from the first that begins at `from` until the one that ends at `to`, to a day. */
  const addTo = (day: number, { deviceId, energy }: Figures & { deviceId: string }, from: number, to: number) => {
    for (const quantity of movedEnergies) {
      const series = energy.get(quantity)
      if (series === undefined) continue
      for (let bucket = from; bucket < to; bucket++) {
        add(deviceId, day, quantity, series.amounts[bucket]!, series.covered[bucket]!)
      }
    }
  }
  const whole = Map.groupBy(
    spans.filter(({ isWhole }) => isWhole),
    ({ battery }) => battery.id
  )
  const wholeDays: EnergyPart = {
    deviceIds: [...whole.keys()],
    bounds: bounds.slice(run.first, run.end + 1),
    receive: (figures) => {
      for (const { end, first } of whole.get(figures.deviceId)!) {
        for (let day = Math.max(first, run.first); day < Math.min(end, run.end); day++) {
          addTo(day, figures, day - run.first, day - run.first + 1)
        }
      }
    }
  }
  const partsOfDay = Array.from(
    Map.groupBy(
      spans.filter(({ isWhole }) => !isWhole),
      ({ first }) => first
    ),
    ([day, parts]): EnergyPart => {
      const edges = [...new Set(parts.flatMap(({ from, to }) => [from, to]))].toSorted((one, other) => one - other)
      const byDevice = Map.groupBy(parts, ({ battery }) => battery.id)
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
  )
  return [wholeDays, ...partsOfDay].filter(({ deviceIds }) => deviceIds.length > 0)
}

/** The energy of a quantity, and the time that readings cover. */
export class Sum {
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

export type DaySums = Readonly<Record<MovedEnergy, Sum>>
export const makeDaySums = (): DaySums => ({ discharged: new Sum(), charged: new Sum() })

/** The energies of a time; null where no reading covers any of it. */
export interface MovedEnergies {
  readonly dischargedWh: number | null
  readonly chargedWh: number | null
  readonly coverage: number
  readonly reason?: "not_counted" | "no_readings"
}

const moved = (sums: DaySums, enrolled: number, expected: number): MovedEnergies => {
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

/** Adds up the times and the energies of days. */
export const makeEnrolledEnergy = (bounds: ReadonlyArray<number>) => {
  const days = bounds.slice(1).map(makeDaySums)
  const [enrolled, expected] = [makeTimeSums(bounds), makeTimeSums(bounds)]
  return {
    /** Adds the times in which batteries count. */
    expect: (batteries: ReadonlyArray<EnrolledBattery>) => {
      for (const battery of batteries) {
        for (const each of battery.enrolled) {
          const span = wholeQuarters(each)
          if (span.from >= span.to) continue
          enrolled.add(span)
          const { from, to } = battery.reporting ?? { from: 0, to: 0 }
          if (overlap(span, from, to) === 0) continue
          expected.add({ from: Math.max(span.from, from), to: Math.min(span.to, to) })
        }
      }
    },
    /** Adds energies to a day. */
    add: (day: number, sums: DaySums) => {
      for (const quantity of movedEnergies) days[day]![quantity].add(sums[quantity].amount, sums[quantity].covered)
    },
    /** The energies of each day and of all together. */
    results: () => {
      const [enrolledTimes, expectedTimes] = [enrolled.sums(), expected.sums()]
      const total = makeDaySums()
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
