import { DAY, dayOf, type DayRow, QUARTERS } from "./storedDays.ts"
import { type Quantity, quantities } from "../energy/quantities.ts"
import { amountOf, type Cells, quarterOf, type Span } from "../energy/quarterCells.ts"

/** The figures of a day's quarters, each by itself; of a charge null where none was told. */
interface DayCells {
  readonly amounts: Array<bigint | null>
  readonly covered: Array<number>
}

const emptyCells = (isCharge: boolean): DayCells => ({
  amounts: Array.from({ length: QUARTERS }, () => (isCharge ? null : 0n)),
  covered: Array.from({ length: QUARTERS }, () => 0)
})

const unroll = (row: DayRow | undefined, isCharge: boolean): DayCells => {
  const cells = emptyCells(isCharge)
  for (let place = 0; place < (row?.covered.length ?? 0); place++) {
    const [amount, before] = [row!.amounts[place]!, place === 0 ? 0n : row!.amounts[place - 1]!]
    cells.covered[place] = row!.covered[place]! - (place === 0 ? 0 : row!.covered[place - 1]!)
    if (!isCharge) cells.amounts[place] = amount - before
    else if (row!.latest![place] === place) cells.amounts[place] = amount
  }
  return cells
}

/** Puts the quarters of a span over those of a day. */
const overlay = (day: DayCells, dayStart: number, cells: Cells | undefined, span: Span, isCharge: boolean) => {
  const first = quarterOf(span.from)
  const start = quarterOf(dayStart)
  const [from, to] = [Math.max(first, start), Math.min(quarterOf(span.to), start + QUARTERS)]
  for (let quarter = from; quarter < to; quarter++) {
    const amount = amountOf(cells?.amounts[quarter - first] ?? Number.NaN)
    day.amounts[quarter - start] = isCharge ? amount : (amount ?? 0n)
    day.covered[quarter - start] = cells?.covered[quarter - first] ?? 0
  }
}

const rollCharge = (amounts: ReadonlyArray<bigint | null>) => {
  let place: number | null = null
  const latest = amounts.map((amount, at) => (place = amount === null ? place : at))
  return { amounts: latest.map((at) => (at === null ? null : amounts[at]!)), latest }
}

const runningSums = <A extends bigint | number>(values: ReadonlyArray<A>, add: (sum: A, value: A) => A) => {
  const sums: Array<A> = []
  for (const value of values) sums.push(sums.length === 0 ? value : add(sums.at(-1)!, value))
  return sums
}

/** How many elements say all: after them nothing is added. */
const lengthOf = (amounts: ReadonlyArray<bigint | null>, covered: ReadonlyArray<number>) => {
  let length = QUARTERS
  while (length > 1 && amounts[length - 1] === amounts[length - 2] && covered[length - 1] === covered[length - 2])
    length--
  return length === 1 && (amounts[0] === null || amounts[0] === 0n) && covered[0] === 0 ? 0 : length
}

const rollUp = ({ amounts: each, covered: times }: DayCells, isCharge: boolean) => {
  const covered = runningSums(times, (sum, value) => sum + value)
  const { amounts, latest } = isCharge
    ? rollCharge(each)
    : { amounts: runningSums(each as ReadonlyArray<bigint>, (sum, value) => sum + value), latest: null }
  const length = lengthOf(amounts, covered)
  return {
    amounts: amounts.slice(0, length),
    covered: covered.slice(0, length),
    latest: latest === null ? null : latest.slice(0, length)
  }
}

export interface ComputedCells {
  readonly deviceId: string
  /** Whole quarters. */
  readonly span: Span
  readonly cells: ReadonlyMap<Quantity, Cells>
}

/** The days of a span with its figures in them, given what is stored of the days at its ends. */
export const dayRows = (
  { deviceId, span, cells }: ComputedCells,
  told: ReadonlyArray<Quantity>,
  stored: (quantity: number, day: number) => DayRow | undefined
): ReadonlyArray<DayRow> =>
  told.flatMap((name) => {
    const quantity = quantities.indexOf(name)
    const isCharge = name === "charge"
    const rows: Array<DayRow> = []
    for (let day = dayOf(span.from); day <= dayOf(span.to - 1); day++) {
      const before = stored(quantity, day)
      if (before === undefined && !cells.has(name)) continue
      const whole = unroll(before, isCharge)
      overlay(whole, day * DAY, cells.get(name), span, isCharge)
      const row = rollUp(whole, isCharge)
      if (before !== undefined || row.covered.length > 0) rows.push({ deviceId, quantity, day, ...row })
    }
    return rows
  })
