import type { Span } from "../../energy/quarterCells.ts"

/** A device of which nothing is computed from readings before an instant any more. */
export interface Freezing {
  readonly deviceId: string
  /** What was known of it: done in vain when it has changed since. */
  readonly newest: number
  readonly frozenBefore: number | null
  /** Before this the rollups are all there is. */
  readonly frozenUntil: number | null
  /** Which of the readings before the instant stay. */
  readonly kept: ReadonlyArray<Span>
}
