import type { FieldSet } from "../energy/energyFields.ts"
import { QUARTER, quarterOf, type Span } from "../energy/quarterCells.ts"

/** How far a device's rollups are; times in milliseconds since 1970. */
export interface RollState {
  readonly firstAt: number
  /** The newest reading that the rollups hold, null while they hold none. */
  readonly rolledUntil: number | null
  /** The readings before are gone: the rollups are all that there is. */
  readonly frozenUntil: number | null
  /** Times of readings that the rollups do not hold though they are not newer, ascending; both ends are readings. */
  readonly stale: ReadonlyArray<readonly [first: number, last: number]>
  /** Fields of the readings that the rollups hold. */
  readonly fields: FieldSet
}

/** Pieces so close to each other are rolled up together, milliseconds. */
const NEAR = 6 * 3_600_000

/** The spans of readings, through the newest, that the rollups do not hold. */
export const unrolledSpans = (state: RollState, newest: number): ReadonlyArray<Span> => {
  const from = state.rolledUntil === null ? state.firstAt : state.rolledUntil + 1
  const pieces = [...state.stale.map(([first, last]) => ({ from: first, to: last + 1 })), { from, to: newest + 1 }]
  const floor = state.frozenUntil ?? Number.NEGATIVE_INFINITY
  return pieces
    .map((piece) => ({ ...piece, from: Math.max(piece.from, floor) }))
    .filter((piece) => piece.from < piece.to)
}

/** What is rolled up next: the earliest of the spans, with those that are near to it. */
export const nextSpan = (spans: ReadonlyArray<Span>): Span | undefined =>
  spans
    .toSorted((one, other) => one.from - other.from)
    .reduce<Span | undefined>((span, piece) => {
      if (span === undefined) return piece
      return piece.from - span.to > NEAR ? span : { from: span.from, to: Math.max(span.to, piece.to) }
    }, undefined)

/** Until when the rollups hold whole quarters. */
export const rolledQuarters = (rolledUntil: number | null) =>
  rolledUntil === null ? Number.NEGATIVE_INFINITY : quarterOf(rolledUntil) * QUARTER
