import { hourOf, monthOf, type Parts, partsOf } from "./countedHours.ts"
import { type Order, type Span, within } from "./historySpan.ts"

/** What a statement about a device's history depends on, milliseconds since 1970. */
export interface HistoryState {
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly countedUntil: number | null
}

/** Readings that are all in one month. */
export interface InMonth extends Span {
  readonly month: number
}

export interface HistoryPlan {
  /** The months that the page is looked for in, in the order of the list; there may be others, where these have too few. */
  readonly months: ReadonlyArray<number>
  /** Whether these are all. */
  readonly isWhole: boolean
  /** What the total is made of; undefined where one statement can't tell it. */
  readonly total: { readonly counted: Span; readonly rest: ReadonlyArray<InMonth> } | undefined
}

const monthBefore = (month: number) => monthOf(month - 1)

/** The part of a span that there may be readings in; nothing is said of an end beyond which there are none. */
const reachOf = ({ from, to }: Span, firstAt: number, lastAt: number): Span => ({
  from: from <= firstAt ? hourOf(firstAt) : from,
  to: Math.min(to, lastAt + 1)
})

const inMonth = (span: Span, to: number): ReadonlyArray<InMonth> | undefined => {
  if (span.from >= to) return []
  const month = monthOf(span.from)
  return monthOf(to - 1) === month ? [{ ...span, month }] : undefined
}

const totalOf = (asked: Span, { firstAt, lastAt, countedUntil }: HistoryState): HistoryPlan["total"] => {
  const reach = reachOf(asked, firstAt!, lastAt!)
  // What comes while the statement is under way belongs to the answer, as long as it is asked for.
  const { counted, rest }: Parts = partsOf({ from: reach.from, to: asked.to }, countedUntil)
  const [before, after] = rest.map((span) => inMonth(span, Math.min(span.to, reach.to)))
  return before === undefined || after === undefined ? undefined : { counted, rest: [...before, ...after] }
}

/**
 * How the newest or oldest readings of a span are read in one statement, with their total; undefined where none are. So
 * many months are looked into, 1 or 2.
 */
export const historyPlan = (asked: Span, order: Order, state: HistoryState, most: number): HistoryPlan | undefined => {
  const part = within(asked, state.firstAt, state.lastAt)
  if (part === undefined) return undefined
  const [oldest, newest] = [monthOf(part.from), monthOf(part.to - 1)]
  const beside = order === "desc" ? [newest, monthBefore(newest)] : [oldest, monthOf(oldest + 32 * 86_400_000)]
  const months = beside.slice(0, most).filter((month) => month >= oldest && month <= newest)
  return {
    months,
    isWhole: months.includes(oldest) && months.includes(newest),
    total: totalOf(asked, state)
  }
}
