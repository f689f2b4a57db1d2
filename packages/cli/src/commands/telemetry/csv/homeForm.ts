import { type Cell, CsvProblem } from "../../../csv/cells.ts"
import { momentOf } from "./moment.ts"
import type { FileReading, LineReader } from "./Reading.ts"

export const homeColumns = ["interval_start", "load_wh", "solar_wh"] as const

export const isHomeHeader = (cells: ReadonlyArray<Cell>) =>
  cells.length === homeColumns.length && homeColumns.every((name, at) => cells[at]?.text === name)

export const INVERTER = "inverter"
export const METER = "meter"

const HOUR = 3_600_000
/** What an inverter can report: 10 MW for an hour. */
const MAX_WH = 10_000_000

const wattHours = (cell: Cell | undefined): number | undefined =>
  cell !== undefined && /^\d{1,8}$/u.test(cell.text) && Number(cell.text) <= MAX_WH ? Number(cell.text) : undefined

interface Counters {
  readonly generated: number
  readonly imported: number
  readonly exported: number
}

/** The readings of a home at an instant: power in W over the hour before, and the counters in Wh. */
const readingsAt = (at: number, load: number, solar: number, counters: Counters, line: number) => {
  const timestamp = new Date(at).toISOString()
  const { exported, generated, imported } = counters
  return [
    { device: INVERTER, timestamp, line, state: { power: solar, lifetimeEnergyGenerated: generated } },
    {
      device: METER,
      timestamp,
      line,
      state: { power: load - solar, importedEnergy: imported, exportedEnergy: exported }
    }
  ] satisfies ReadonlyArray<FileReading>
}

/** An hour's load less its solar is what the meter saw: imported where positive, exported where negative. */
export const addHour = (counters: Counters, load: number, solar: number): Counters => ({
  generated: counters.generated + solar,
  imported: counters.imported + Math.max(0, load - solar),
  exported: counters.exported + Math.max(0, solar - load)
})

/** A home's inverter and meter: a reading with the counters at 0 where the file begins, then one at the end of each hour. */
export const homeReader = (latest: number): LineReader => {
  let counters: Counters = { generated: 0, imported: 0, exported: 0 }
  let expected: number | undefined
  return (cells, line) => {
    if (cells.length !== homeColumns.length) return new CsvProblem(homeColumns.join(","), "exactly these three cells")
    // The reading of an hour is taken at its end.
    const start = momentOf(cells[0]?.text, latest - HOUR)
    const due = expected
    expected = typeof start === "string" ? due && due + HOUR : start + HOUR
    if (typeof start === "string") return new CsvProblem("interval_start", start)
    if (due !== undefined && start !== due) {
      return new CsvProblem("interval_start", `the hour after the line before, ${new Date(due).toISOString()}`)
    }
    const [load, solar] = [wattHours(cells[1]), wattHours(cells[2])]
    const takes = `a whole number of Wh from 0 to ${MAX_WH}`
    if (load === undefined) return new CsvProblem("load_wh", takes)
    if (solar === undefined) return new CsvProblem("solar_wh", takes)
    const starting = due === undefined ? readingsAt(start, 0, 0, counters, line) : []
    counters = addHour(counters, load, solar)
    return [...starting, ...readingsAt(start + HOUR, load, solar, counters, line)]
  }
}
