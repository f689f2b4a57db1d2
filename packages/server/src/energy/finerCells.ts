import { QUARTER } from "./quarterCells.ts"

const DAY = 86_400_000

/** A run of neighbouring cells, cut finer. */
export interface FinerCells {
  readonly bounds: ReadonlyArray<number>
  /** The cell that each of the finer ones is a part of. */
  readonly parents: ReadonlyArray<number>
}

/** Cells longer than a day are cut by days, others by quarters of an hour. */
const partsOf = (from: number, to: number) => {
  const step = to - from > DAY ? DAY : QUARTER
  const parts = [from]
  for (let at = (Math.floor(from / step) + 1) * step; at < to; at += step) parts.push(at)
  return parts
}

/** Cuts the cells, each run of neighbours by itself. */
export const finerCells = (bounds: ReadonlyArray<number>, cells: ReadonlyArray<number>): ReadonlyArray<FinerCells> => {
  const runs: Array<{ readonly bounds: Array<number>; readonly parents: Array<number> }> = []
  let end: number | undefined
  for (const cell of cells.toSorted((one, other) => one - other)) {
    if (end !== bounds[cell]) runs.push({ bounds: [], parents: [] })
    const run = runs.at(-1)!
    if (end === bounds[cell]) run.bounds.pop()
    end = bounds[cell + 1]!
    const parts = partsOf(bounds[cell]!, end)
    run.bounds.push(...parts, end)
    run.parents.push(...parts.map(() => cell))
  }
  return runs
}
