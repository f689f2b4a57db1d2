import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect, type FileSystem, Stream } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { type Cell, CsvProblem, type Line, readLines, splitCells } from "../../kernel/csv.ts"

/** A reading of a file. */
export interface FileReading {
  readonly device: string
  readonly timestamp: string
  readonly state: Readonly<Record<string, unknown>>
  readonly line: number
}

/** Parses lines in order. It is stateful: each pass needs a new one. */
type LineReader = (cells: ReadonlyArray<Cell>, line: number) => ReadonlyArray<FileReading> | CsvProblem

/** The service refuses earlier readings. */
const EARLIEST = Date.UTC(2000, 0, 1)

/** The instant of a cell in milliseconds since 1970, at most `latest`, or what the cell expects. */
const parseInstant = (text: string | undefined, latest: number): number | string => {
  const at = parseTimestamp(text ?? "")
  if (at === undefined) return "a date-time such as 2025-06-21T13:00:00-08:00"
  if (at < EARLIEST) return "a date-time of the year 2000 or later"
  return at > latest ? `a date-time up to ${new Date(latest).toISOString()}` : at
}

export const homeColumns = ["interval_start", "load_wh", "solar_wh"] as const

const isHomeHeader = (cells: ReadonlyArray<Cell>) =>
  cells.length === homeColumns.length && homeColumns.every((name, at) => cells[at]?.text === name)

export const INVERTER = "inverter"
export const METER = "meter"

const HOUR = 3_600_000
/** The most that an inverter can report: 10 MW for an hour. */
const MAX_WH = 10_000_000

const wattHours = (cell: Cell | undefined): number | undefined =>
  cell !== undefined && /^\d{1,8}$/u.test(cell.text) && Number(cell.text) <= MAX_WH ? Number(cell.text) : undefined

interface Counters {
  readonly generated: number
  readonly imported: number
  readonly exported: number
}

/** The readings of a home at an instant: the power of the last hour in W, and counters in Wh. */
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

/** Load minus solar is the meter's energy: positive is imported, negative is exported. */
export const addHour = (counters: Counters, load: number, solar: number): Counters => ({
  generated: counters.generated + solar,
  imported: counters.imported + Math.max(0, load - solar),
  exported: counters.exported + Math.max(0, solar - load)
})

/** Reads a home's inverter and meter: one reading with counters 0 at the start, then one at the end of each hour. */
export const homeReader = (latest: number): LineReader => {
  let counters: Counters = { generated: 0, imported: 0, exported: 0 }
  let expected: number | undefined
  return (cells, line) => {
    if (cells.length !== homeColumns.length) return new CsvProblem(homeColumns.join(","), "exactly these three cells")
    // The reading of an hour is at its end.
    const start = parseInstant(cells[0]?.text, latest - HOUR)
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

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u

/** The value of a cell: a number, true, false, null, else a string. Quoted cells are strings; empty ones are undefined. */
export const parseCell = ({ quoted, text }: Cell): unknown => {
  if (quoted) return text
  if (text === "") return undefined
  if (text === "true" || text === "false") return text === "true"
  if (text === "null") return null
  return number.test(text) ? Number(text) : text
}

/** The names of the state columns, or the error of the header. */
export const generalHeader = (cells: ReadonlyArray<Cell>): ReadonlyArray<string> | CsvProblem => {
  const names = cells.map(({ text }) => text)
  const [device, timestamp, ...state] = names
  if (device !== "device" || timestamp !== "timestamp" || state.length === 0) {
    return new CsvProblem(
      "header",
      "interval_start,load_wh,solar_wh (a home) or device,timestamp,<state columns> (any devices)"
    )
  }
  const bad = state.find((name, at) => name === "" || state.indexOf(name) !== at)
  return bad === undefined ? state : new CsvProblem("header", `each state column named, and once; "${bad}" is not`)
}

/** Reads lines that each name a device and a time. */
export const generalReader =
  (names: ReadonlyArray<string>, latest: number): LineReader =>
  (cells, line) => {
    if (cells.length !== names.length + 2) {
      return new CsvProblem("every column", `${names.length + 2} cells as in the header; there are ${cells.length}`)
    }
    const [device, timestamp, ...values] = cells
    if (device === undefined || device.text === "") {
      return new CsvProblem("device", "a device id or a manufacturer's id of a device")
    }
    const moment = parseInstant(timestamp?.text, latest)
    if (typeof moment === "string" || timestamp === undefined) return new CsvProblem("timestamp", `${moment}`)
    const state = names.flatMap((name, at) => {
      const value = parseCell(values[at] ?? { text: "", quoted: false })
      return value === undefined ? [] : [[name, value] as const]
    })
    return [{ device: device.text, timestamp: timestamp.text, line, state: Object.fromEntries(state) }]
  }

export type Form = "home" | "general"

/** An invalid line and what it expects. */
export interface BadLine {
  readonly line: number
  readonly text: string
}

export const badLine = (line: number, { column, takes }: CsvProblem): BadLine => ({
  line,
  text: `line ${line}, column ${column}: takes ${takes}`
})

interface Parsed {
  readonly form: Form
  readonly reader: LineReader
}

const parseHeader = (cells: ReadonlyArray<Cell>, latest: number): Parsed | CsvProblem => {
  if (isHomeHeader(cells)) return { form: "home", reader: homeReader(latest) }
  const names = generalHeader(cells)
  return names instanceof CsvProblem ? names : { form: "general", reader: generalReader(names, latest) }
}

const parseCells = ({ text }: Line) =>
  text.includes("\uFFFD") ? new CsvProblem("unknown", "text in UTF-8") : splitCells(text)

export const invalidFile = (path: string, bad: ReadonlyArray<BadLine>, more: number) =>
  new CliFailure({
    code: "CSV_INVALID",
    message: `${path} can't be imported`,
    details: [...bad.map(({ text }) => `${path} ${text}`), ...(more > 0 ? [`and ${more} more lines`] : [])]
  })

export type ParsedLine =
  | { readonly form: Form; readonly readings: ReadonlyArray<FileReading> }
  | { readonly bad: BadLine }

/** Parses the lines of a file in order, beginning with the header. Readings after `latest` are errors. */
export const lineParser = (latest: number) => {
  let parsed: Parsed | undefined
  return (line: Line): ParsedLine => {
    const cells = parseCells(line)
    if (cells instanceof CsvProblem) return { bad: badLine(line.number, cells) }
    if (parsed === undefined) {
      const header = parseHeader(cells, latest)
      if (header instanceof CsvProblem) return { bad: badLine(line.number, header) }
      parsed = header
      return { form: header.form, readings: [] }
    }
    const readings = parsed.reader(cells, line.number)
    return readings instanceof CsvProblem ? { bad: badLine(line.number, readings) } : { form: parsed.form, readings }
  }
}

const readingsIn = (path: string, parse: (line: Line) => ParsedLine, lines: ReadonlyArray<Line>) => {
  const readings: Array<FileReading> = []
  for (const line of lines) {
    const result = parse(line)
    if ("bad" in result) return Effect.fail(invalidFile(path, [result.bad], 0))
    readings.push(...result.readings)
  }
  return Effect.succeed(readings)
}

/** Streams the readings of a file that was checked; fails if it was changed since. */
export const readReadings = (path: string): Stream.Stream<FileReading, CliFailure, FileSystem.FileSystem> =>
  Stream.suspend(() => {
    const parse = lineParser(Number.POSITIVE_INFINITY)
    return readLines(path).pipe(
      Stream.mapAccumArrayEffect(
        () => undefined,
        (_, lines) => Effect.map(readingsIn(path, parse, lines), (readings) => [undefined, readings] as const)
      )
    )
  })
