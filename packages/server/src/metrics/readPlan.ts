import { DAY, dayOf } from "./storedDays.ts"
import { QUARTER, quarterOf, type Span } from "../energy/quarterCells.ts"

const intersect = (one: Span, other: Span): Span => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to)
})

const isEmpty = ({ from, to }: Span) => from >= to

/** The same times without overlaps, ascending. */
export const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  spans
    .filter((span) => !isEmpty(span))
    .toSorted((one, other) => one.from - other.from)
    .reduce<ReadonlyArray<Span>>((done, span) => {
      const last = done.at(-1)
      if (last === undefined || span.from > last.to) return [...done, span]
      return [...done.slice(0, -1), { from: last.from, to: Math.max(last.to, span.to) }]
    }, [])

/** The times of a span that ascending others leave. */
const without = (span: Span, others: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const starts = [span.from, ...others.map(({ to }) => to)]
  const ends = [...others.map(({ from }) => from), span.to]
  return starts.map((from, place) => intersect({ from, to: ends[place]! }, span)).filter((part) => !isEmpty(part))
}

export interface Rolled {
  /** The rollups hold the whole quarters before; -Infinity when they hold none. */
  readonly quartersUntil: number
  readonly frozenUntil: number | null
  /** The device's newest reading: after it there is nothing. */
  readonly newest: number
  /** The quarters that readings alter which the rollups do not hold. */
  readonly altered: ReadonlyArray<Span>
}

/** The parts of a span that are to be computed from readings. */
export const rawSpans = (asked: Span, { quartersUntil, frozenUntil, newest, altered }: Rolled): ReadonlyArray<Span> => {
  const firstQuarter = Math.ceil(asked.from / QUARTER) * QUARTER
  const lastQuarter = quarterOf(asked.to) * QUARTER
  const spans = [
    ...altered,
    { from: quartersUntil, to: Number.POSITIVE_INFINITY },
    { from: asked.from, to: firstQuarter },
    { from: lastQuarter, to: asked.to }
  ]
  const told = { from: Math.max(asked.from, frozenUntil ?? asked.from), to: Math.min(asked.to, newest + 1) }
  return merged(spans.map((span) => intersect(span, told)))
}

/** The parts of a span that the rollups answer, given those that are computed. */
export const rolledSpans = (
  asked: Span,
  { quartersUntil, frozenUntil }: Rolled,
  raw: ReadonlyArray<Span>
): ReadonlyArray<Span> => {
  const held = { from: Number.NEGATIVE_INFINITY, to: Math.max(quartersUntil, frozenUntil ?? quartersUntil) }
  return without(intersect(asked, held), raw)
}

/** The bounds that lie within a day, by their days; undefined when a day has several. */
export const cutsOf = (bounds: ReadonlyArray<number>): ReadonlyMap<number, number> | undefined => {
  const cuts = new Map<number, number>()
  for (const at of bounds.slice(1, -1)) {
    if (at % DAY === 0) continue
    if (cuts.has(dayOf(at))) return undefined
    cuts.set(dayOf(at), (at % DAY) / QUARTER)
  }
  return cuts
}
