import { Effect, type FileSystem, Stream } from "effect"
import { CliFailure } from "../../../CliFailure.ts"
import { type Cell, CsvProblem, splitCells } from "../../../csv/cells.ts"
import { generalHeader, generalReader } from "./generalForm.ts"
import { homeReader, isHomeHeader } from "./homeForm.ts"
import { type Line, readLines } from "../../../csv/lines.ts"
import type { FileReading, LineReader } from "./Reading.ts"

export type Form = "home" | "general"

/** A line that can't be taken: where it is, and what it takes. */
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

const cellsOf = ({ text }: Line) =>
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

/** Takes the lines of a file one after another; the first is the header. No reading may be later than `latest`. */
export const lineParser = (latest: number) => {
  let parsed: Parsed | undefined
  return (line: Line): ParsedLine => {
    const cells = cellsOf(line)
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

/** The readings of a file that was checked before; one that has changed since stops the import. */
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
