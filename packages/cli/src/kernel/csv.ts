import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "./CliFailure.ts"

/** A cell of a record. A quoted cell is always a string. */
export interface Cell {
  readonly text: string
  readonly quoted: boolean
}

/** An error in a line: the column, and what it expects. */
export class CsvProblem {
  readonly column: string
  readonly takes: string
  /** A quote was not closed, so the cell may continue on the next line. */
  readonly open: boolean
  constructor(column: string, takes: string, open = false) {
    this.column = column
    this.takes = takes
    this.open = open
  }
}

/** The delimiters. Spaces around cells and quotes are ignored; a tab is a delimiter, not a space. */
export const delimiters = { comma: ",", semicolon: ";", tab: "\t" } as const
export type Delimiter = keyof typeof delimiters

const quotedCell = /^ *"([^"]*(?:""[^"]*)*)"(?!") */u

/**
 * Splits a record into cells. A cell in double quotes may contain delimiters and line breaks, and `""` is a quote.
 */
export const splitCells = (record: string, delimiter: Delimiter = "comma"): ReadonlyArray<Cell> | CsvProblem => {
  const separator = delimiters[delimiter]
  const cells: Array<Cell> = []
  let rest = record
  for (;;) {
    const match = quotedCell.exec(rest)
    if (match === null && /^ *"/u.test(rest)) {
      return new CsvProblem(`${cells.length + 1}`, `a closing quote before the next ${delimiter}`, true)
    }
    const end = match === null ? rest.indexOf(separator) : match[0].length
    if (match === null) cells.push({ text: (end === -1 ? rest : rest.slice(0, end)).trim(), quoted: false })
    else cells.push({ text: (match[1] ?? "").replaceAll('""', '"'), quoted: true })
    if (end === -1 || end === rest.length) return cells
    if (rest[end] !== separator) {
      return new CsvProblem(`${cells.length}`, `a closing quote before the next ${delimiter}`)
    }
    rest = rest.slice(end + 1)
  }
}

export interface Line {
  /** From 1. */
  readonly number: number
  /** Without its line break. */
  readonly text: string
  /** The line is over the limit; `text` is its beginning. */
  readonly tooLong?: true
}

export const MAX_LINE = 100_000

interface Pending {
  readonly number: number
  readonly text: string
}

const unreadable = (path: string, why: string) =>
  new CliFailure({ code: "FILE_UNREADABLE", message: `${path} can't be read: ${why}` })

const makeLine = (number: number, text: string): Line =>
  text.length > MAX_LINE
    ? { number, text: text.slice(0, MAX_LINE), tooLong: true }
    : { number, text: text.replace(/\r$/u, "") }

const cut = (pending: Pending, chunks: ReadonlyArray<string>) => {
  const texts = (pending.text + chunks.join("")).split("\n")
  const rest = texts.pop() ?? ""
  const lines = texts.map((text, at) => makeLine(pending.number + at, text))
  // One character over the limit marks the line as too long.
  return [{ number: pending.number + lines.length, text: rest.slice(0, MAX_LINE + 1) }, lines] as const
}

/** Streams the lines of a file, which may be larger than memory. */
export const readAllLines = (path: string): Stream.Stream<Line, CliFailure, FileSystem.FileSystem> =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path))).pipe(
    Stream.mapError((error) => unreadable(path, error.reason.description ?? error.reason._tag)),
    Stream.decodeText(),
    Stream.mapAccumArray((): Pending => ({ number: 1, text: "" }), cut, {
      onHalt: ({ number, text }) => (text === "" ? [] : [makeLine(number, text)])
    })
  )

/** Streams the lines that are not empty; fails on one that is too long. */
export const readLines = (path: string): Stream.Stream<Line, CliFailure, FileSystem.FileSystem> =>
  readAllLines(path).pipe(
    Stream.filter(({ text }) => text.trim() !== ""),
    Stream.tap(({ number, tooLong }) =>
      tooLong === true
        ? Effect.fail(unreadable(path, `line ${number} is longer than ${MAX_LINE} characters`))
        : Effect.void
    )
  )

/** A record, which may span several lines, or its error. */
export interface CsvRecord {
  /** Its first line. */
  readonly line: number
  readonly cells: ReadonlyArray<Cell> | CsvProblem
}

interface Cut {
  readonly record: CsvRecord
  /** The line after the record. */
  readonly next: number
}

const tooLong = new CsvProblem("every column", `a record of at most ${MAX_LINE} characters`)
const notUtf8 = new CsvProblem("every column", "text in UTF-8")

const parseCells = (text: string, delimiter: Delimiter) =>
  text.includes("\uFFFD") ? notUtf8 : splitCells(text, delimiter)

/**
 * Reads the record that begins at a line; undefined where more lines are needed. A quote that is never closed invalidates
 * only its own line.
 */
const cutRecord = (lines: ReadonlyArray<Line>, at: number, delimiter: Delimiter, ended: boolean): Cut | undefined => {
  const first = lines[at]!
  const bad = (cells: CsvProblem): Cut => ({ record: { line: first.number, cells }, next: at + 1 })
  if (first.tooLong === true) return bad(tooLong)
  let text = first.text
  for (let next = at + 1; ; next++) {
    const cells = parseCells(text, delimiter)
    if (!(cells instanceof CsvProblem)) return { record: { line: first.number, cells }, next }
    if (!cells.open) return bad(cells)
    // Only a line with a quote can close the cell.
    while (lines[next]?.text.includes('"') === false && text.length <= MAX_LINE) text += `\n${lines[next++]!.text}`
    const closing = lines[next]
    if (text.length + (closing?.text.length ?? 0) > MAX_LINE || (closing === undefined && ended)) return bad(cells)
    if (closing === undefined) return undefined
    text += `\n${closing.text}`
  }
}

const cutRecords = (lines: ReadonlyArray<Line>, delimiter: Delimiter, ended: boolean) => {
  const records: Array<CsvRecord> = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]!.text.trim() === "") at++
    else {
      const cut = cutRecord(lines, at, delimiter, ended)
      if (cut === undefined) break
      records.push(cut.record)
      at = cut.next
    }
  }
  return { records, rest: lines.slice(at) }
}

/** Streams the records of a file, without empty lines. */
export const readRecords = (
  path: string,
  delimiter: Delimiter
): Stream.Stream<CsvRecord, CliFailure, FileSystem.FileSystem> =>
  readAllLines(path).pipe(
    Stream.mapAccumArray(
      (): ReadonlyArray<Line> => [],
      (pending, lines) => {
        const { records, rest } = cutRecords([...pending, ...lines], delimiter, false)
        return [rest, records] as const
      },
      { onHalt: (pending) => cutRecords(pending, delimiter, true).records }
    )
  )
