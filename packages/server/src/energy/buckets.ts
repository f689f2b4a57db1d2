import { type EnergyQuantity, energyQuantities, type Quantity } from "./quantities.ts"
import { toAmount, type Intervals, QUARTER, quarterIndex, type Span } from "./intervals.ts"

/** A series over buckets. */
export interface Amounts {
  /** µWh. */
  readonly amounts: ReadonlyArray<bigint>
  /** Milliseconds of each bucket that readings cover. */
  readonly covered: ReadonlyArray<number>
}

export interface Charges {
  /** The latest in each bucket, µWh; null without one. */
  readonly latest: ReadonlyArray<bigint | null>
  readonly covered: ReadonlyArray<number>
}

/** A device's energies in each bucket; quantities without any data are omitted. */
export interface Figures {
  readonly energy: ReadonlyMap<EnergyQuantity, Amounts>
  readonly charge: Charges | undefined
}

interface Growing {
  readonly amounts: Array<bigint>
  readonly covered: Array<number>
}

interface GrowingCharge {
  readonly latest: Array<bigint | null>
  /** The quarter of each bucket's latest charge so far. */
  readonly quarters: Array<number>
  readonly covered: Array<number>
}

/** The contents of a part of a bucket. */
export interface Portion {
  /** µWh. */
  readonly amount: bigint | null
  readonly covered: number
  /** The quarter of an hour since 1970 in which a charge was reported. */
  readonly quarter: number
}

const times = <A>(size: number, value: A) => Array.from({ length: size }, () => value)

const isKnown = (
  amounts: ReadonlyArray<bigint | null>,
  covered: ReadonlyArray<number>,
  nothing: bigint | null
): boolean => amounts.some((amount) => amount !== nothing) || covered.some((time) => time > 0)

/** Buckets that accumulate portions, which must not overlap. */
export const makeBuckets = (bounds: ReadonlyArray<number>) => {
  const size = bounds.length - 1
  const energy = new Map<EnergyQuantity, Growing>()
  let charge: GrowingCharge | undefined

  const getEnergy = (quantity: EnergyQuantity): Growing => {
    const made = energy.get(quantity) ?? { amounts: times(size, 0n), covered: times(size, 0) }
    energy.set(quantity, made)
    return made
  }

  const addEnergy =
    ({ amounts, covered }: Growing) =>
    (bucket: number, portion: Portion) => {
      if (portion.amount !== null) amounts[bucket]! += portion.amount
      covered[bucket]! += portion.covered
    }

  const addCharge =
    ({ latest, quarters, covered }: GrowingCharge) =>
    (bucket: number, { amount, covered: time, quarter }: Portion) => {
      covered[bucket]! += time
      if (amount === null || quarter < quarters[bucket]!) return
      latest[bucket] = amount
      quarters[bucket] = quarter
    }

  const makeAdder = (quantity: Quantity) => {
    if (quantity !== "charge") return addEnergy(getEnergy(quantity))
    charge ??= { latest: times(size, null), quarters: times(size, -Infinity), covered: times(size, 0) }
    return addCharge(charge)
  }

  return {
    /** Adds portions of a quantity, each to a bucket. */
    makeAdder,
    /** Adds the intervals of a span. */
    addIntervals: (quantity: Quantity, { amounts, covered }: Intervals, span: Span) => {
      const add = makeAdder(quantity)
      let bucket = 0
      for (let interval = 0; interval < amounts.length; interval++) {
        const quarter = quarterIndex(span.from) + interval
        const at = Math.max(span.from, quarter * QUARTER)
        while (bucket < size - 1 && bounds[bucket + 1]! <= at) bucket++
        add(bucket, { amount: toAmount(amounts[interval]!), covered: covered[interval]!, quarter })
      }
    },
    figures: (): Figures => ({
      energy: new Map(
        energyQuantities.flatMap((each) => {
          const series = energy.get(each)
          return series !== undefined && isKnown(series.amounts, series.covered, 0n) ? [[each, series] as const] : []
        })
      ),
      charge: charge !== undefined && isKnown(charge.latest, charge.covered, null) ? charge : undefined
    })
  }
}

export type Buckets = ReturnType<typeof makeBuckets>
