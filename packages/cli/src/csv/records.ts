import { type FileSystem, Stream } from "effect"
import type { CliFailure } from "../CliFailure.ts"
import { type Cell, CsvProblem, type Delimiter, splitCells } from "./cells.ts"
import { type Line, MAX_LINE, readAllLines } from "./lines.ts"

/** A record of a file, which may stand on several lines, or what is wrong with it. */
export interface CsvRecord {
  /** Where it begins. */
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

const cellsOf = (text: string, delimiter: Delimiter) =>
  text.includes("\uFFFD") ? notUtf8 : splitCells(text, delimiter)

/**
 * The record that begins at a line; undefined where the lines end before it does. A quote that is never closed costs its
 * own line alone: reading goes on at the line after it.
 */
const cutRecord = (lines: ReadonlyArray<Line>, at: number, delimiter: Delimiter, ended: boolean): Cut | undefined => {
  const first = lines[at]!
  const bad = (cells: CsvProblem): Cut => ({ record: { line: first.number, cells }, next: at + 1 })
  if (first.tooLong === true) return bad(tooLong)
  let text = first.text
  for (let next = at + 1; ; next++) {
    const cells = cellsOf(text, delimiter)
    if (!(cells instanceof CsvProblem)) return { record: { line: first.number, cells }, next }
    if (!cells.open) return bad(cells)
    // Only a line with a quote can close one.
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

/** The records of a file that hold anything, as they are read. */
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
