import type { Ramp } from "./ramp.ts"

/** The finest bucket, milliseconds. Every time zone's days and hours begin at such a quarter of an hour. */
export const QUARTER = 900_000

export const quarterOf = (at: number) => Math.floor(at / QUARTER)

/** Milliseconds since 1970, the first included, the last not. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The quarters of a span; the first and the last are cut where the span is. */
export interface Cells {
  /** µWh; of a charge the latest, and NaN without one. */
  readonly amounts: Float64Array
  /** Milliseconds that readings cover. */
  readonly covered: Int32Array
}

/** No quarter holds more, or a day's sum would not fit the database's integers; it is a fault of the data: 90 GWh. */
const LIMIT = 9e16

/** The amount of a cell; null where a charge was not told. */
export const amountOf = (amount: number) =>
  Number.isNaN(amount) ? null : BigInt(Math.max(-LIMIT, Math.min(amount, LIMIT)))

/** Lays amounts that belong to times or to spans of time onto the quarters of a span; what is outside of it is dropped. */
export interface CellWriter {
  readonly cells: Cells
  /** Spreads the amount evenly. The parts are whole, and sum to it. */
  readonly spread: (from: number, to: number, amount: number) => void
  /** Spreads an energy as it grows with the time since `from`. */
  readonly lay: (from: number, to: number, energy: Ramp) => void
  readonly cover: (from: number, to: number) => void
  /** Puts an energy into the moment before an instant. */
  readonly before: (at: number, amount: number) => void
  readonly set: (at: number, amount: number) => void
}

export const cellWriter = (span: Span, fill = 0): CellWriter => {
  const first = quarterOf(span.from)
  const length = Math.max(0, Math.ceil(span.to / QUARTER) - first)
  const amounts = new Float64Array(length).fill(fill)
  const covered = new Int32Array(length)
  const has = (at: number) => at >= span.from && at < span.to

  const eachQuarter = (from: number, to: number, visit: (start: number, end: number, cell: number) => void) => {
    const last = Math.min(to, span.to)
    for (let start = Math.max(from, span.from); start < last;) {
      const quarter = quarterOf(start)
      const end = Math.min((quarter + 1) * QUARTER, last)
      visit(start, end, quarter - first)
      start = end
    }
  }

  const lay = (from: number, to: number, energy: Ramp) => {
    let done: number | undefined
    eachQuarter(from, to, (start, end, cell) => {
      const reached = Math.round(energy(end - from))
      amounts[cell]! += reached - (done ?? Math.round(energy(start - from)))
      done = reached
    })
  }

  return {
    cells: { amounts, covered },
    spread: (from, to, amount) => {
      const length = to - from
      lay(from, to, (elapsed) => (elapsed === length ? amount : amount * (elapsed / length)))
    },
    lay,
    cover: (from, to) =>
      eachQuarter(from, to, (start, end, cell) => {
        covered[cell]! += end - start
      }),
    before: (at, amount) => {
      if (has(at - 1)) amounts[quarterOf(at - 1) - first]! += amount
    },
    set: (at, amount) => {
      if (has(at)) amounts[quarterOf(at) - first] = amount
    }
  }
}
