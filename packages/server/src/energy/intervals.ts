import type { Ramp } from "./steps.ts"

/** The finest bucket, milliseconds. In every time zone days and hours begin at a multiple of it. */
export const QUARTER = 900_000

export const quarterIndex = (at: number) => Math.floor(at / QUARTER)

/** Milliseconds since 1970; `to` is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The quarters of a span; the first and the last are clipped to the span. */
export interface Intervals {
  /** µWh; for a charge the latest one, NaN without any. */
  readonly amounts: Float64Array
  /** Milliseconds that readings cover. */
  readonly covered: Int32Array
}

/** The limit of a quarter, 90 GWh, so that a day's sum fits the database's integers. More is a fault of the data. */
const LIMIT = 9e16

/** The amount of an interval; null where no charge was reported. */
export const toAmount = (amount: number) =>
  Number.isNaN(amount) ? null : BigInt(Math.max(-LIMIT, Math.min(amount, LIMIT)))

/** Distributes amounts over the quarters of a span; parts outside the span are dropped. */
export interface IntervalWriter {
  readonly intervals: Intervals
  /** Spreads the amount evenly. The parts are integers and sum to it. */
  readonly spread: (from: number, to: number, amount: number) => void
  /** Spreads an energy that is a function of the time since `from`. */
  readonly lay: (from: number, to: number, energy: Ramp) => void
  readonly cover: (from: number, to: number) => void
  /** Puts an energy into the moment before an instant. */
  readonly before: (at: number, amount: number) => void
  readonly set: (at: number, amount: number) => void
}

export const intervalWriter = (span: Span, fill = 0): IntervalWriter => {
  const first = quarterIndex(span.from)
  const length = Math.max(0, Math.ceil(span.to / QUARTER) - first)
  const amounts = new Float64Array(length).fill(fill)
  const covered = new Int32Array(length)
  const has = (at: number) => at >= span.from && at < span.to

  const eachQuarter = (from: number, to: number, visit: (start: number, end: number, interval: number) => void) => {
    const last = Math.min(to, span.to)
    for (let start = Math.max(from, span.from); start < last;) {
      const quarter = quarterIndex(start)
      const end = Math.min((quarter + 1) * QUARTER, last)
      visit(start, end, quarter - first)
      start = end
    }
  }

  const lay = (from: number, to: number, energy: Ramp) => {
    let done: number | undefined
    eachQuarter(from, to, (start, end, interval) => {
      const reached = Math.round(energy(end - from))
      amounts[interval]! += reached - (done ?? Math.round(energy(start - from)))
      done = reached
    })
  }

  return {
    intervals: { amounts, covered },
    spread: (from, to, amount) => {
      const length = to - from
      lay(from, to, (elapsed) => (elapsed === length ? amount : amount * (elapsed / length)))
    },
    lay,
    cover: (from, to) =>
      eachQuarter(from, to, (start, end, interval) => {
        covered[interval]! += end - start
      }),
    before: (at, amount) => {
      if (has(at - 1)) amounts[quarterIndex(at - 1) - first]! += amount
    },
    set: (at, amount) => {
      if (has(at)) amounts[quarterIndex(at) - first] = amount
    }
  }
}
