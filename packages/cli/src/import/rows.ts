import { Effect, type FileSystem, Predicate, Stream } from "effect"
import { CliFailure } from "../kernel/CliFailure.ts"
import {
  type Cell,
  CsvProblem,
  type CsvRecord,
  type Delimiter,
  type Line,
  MAX_LINE,
  readAllLines,
  readRecords
} from "../kernel/csv.ts"
import type { CsvColumn, FileRow, ImportKind, ImportOptions } from "./ImportKind.ts"

export interface CsvOptions {
  readonly path: string
  readonly delimiter: Delimiter
  readonly columns: Readonly<Record<string, CsvColumn>>
  readonly ignoreUnknown: boolean
}

type Column = CsvColumn | undefined
type Header = ReadonlyArray<Column>

const headerProblems = (names: ReadonlyArray<string>, { columns, ignoreUnknown }: CsvOptions) => {
  const known = Object.keys(columns)
  const unknown = ignoreUnknown ? [] : names.filter((name) => !known.includes(name))
  const twice = new Set(names.filter((name, at) => name !== "" && names.indexOf(name) !== at))
  const missing = known.filter((name) => columns[name]!.required === true && !names.includes(name))
  return [
    ...unknown.map((name) => `"${name}" is an unknown column; --ignore-unknown ignores it`),
    ...[...twice].map((name) => `"${name}" is repeated`),
    ...missing.map((name) => `"${name}" is missing`)
  ]
}

const delimiterHint = (names: ReadonlyArray<string>) => {
  const other = /[;\t]/u.exec(names.length === 1 ? names[0]! : "")?.[0]
  return other === undefined
    ? []
    : [`Is the delimiter not a comma? Pass --delimiter ${other === ";" ? "semicolon" : "tab"}.`]
}

const invalidHeader = (options: CsvOptions, line: number, problems: ReadonlyArray<string>) =>
  new CliFailure({
    code: "CSV_INVALID",
    message: `${options.path} line ${line}: the header can't be read`,
    details: [...problems, `Columns are ${Object.keys(options.columns).join(", ")}.`]
  })

const parseHeader = ({ cells, line }: CsvRecord, options: CsvOptions): Header | CliFailure => {
  if (cells instanceof CsvProblem) return invalidHeader(options, line, [`takes ${cells.takes}`])
  const names = cells.map(({ text }) => text)
  const problems = headerProblems(names, options)
  if (problems.length > 0) return invalidHeader(options, line, [...delimiterHint(names), ...problems])
  return names.map((name) => options.columns[name])
}

/** The object of a row. Required nested objects are present even when empty, so that each missing field is reported. */
const toObject = (header: Header, cells: ReadonlyArray<Cell>) => {
  const value: Record<string, unknown> = {}
  for (const [at, column] of header.entries()) {
    if (column === undefined) continue
    const text = cells[at]!.text.trim()
    if (text === "" && column.required !== true) continue
    const name = column.path.at(-1)!
    const inside = column.path.slice(0, -1).reduce((outer, part) => (outer[part] ??= {}) as typeof value, value)
    if (text !== "") inside[name] = column.read(text)
  }
  return value
}

const unreadable = (message: string) => ({ problem: { code: "ROW_UNREADABLE", message, fields: {} } })

const toContent = (header: Header, { cells }: CsvRecord): FileRow["content"] => {
  if (cells instanceof CsvProblem) return unreadable(`Column ${cells.column} takes ${cells.takes}`)
  if (cells.length === header.length) return { value: toObject(header, cells) }
  return unreadable(`Takes ${header.length} cells, as in the header; there are ${cells.length}`)
}

/** Streams the rows of a CSV file; fails on an invalid header. */
const csvRows = (options: CsvOptions): Stream.Stream<FileRow, CliFailure, FileSystem.FileSystem> =>
  readRecords(options.path, options.delimiter).pipe(
    Stream.mapAccumEffect(
      (): { readonly header?: Header; readonly row: number } => ({ row: 0 }),
      ({ header, row }, record) => {
        if (header !== undefined) {
          const next = { row: row + 1, line: record.line, content: toContent(header, record) }
          return Effect.succeed([{ header, row: row + 1 }, [next]] as const)
        }
        const parsed = parseHeader(record, options)
        return parsed instanceof CliFailure
          ? Effect.fail(parsed)
          : Effect.succeed([{ header: parsed, row }, []] as const)
      }
    )
  )

const unreadableLine = (message: string) => ({ problem: { code: "ROW_UNREADABLE", message, fields: {} } })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const lineContent = ({ text, tooLong }: Line): FileRow["content"] => {
  if (tooLong === true) return unreadableLine(`Takes a line of at most ${MAX_LINE} characters`)
  if (text.includes("\uFFFD")) return unreadableLine("Takes text in UTF-8")
  const value = parsed(text)
  return Predicate.isObject(value) ? { value } : unreadableLine("Takes a JSON object on one line")
}

/** Streams the rows of a JSON Lines file: one object per line, as in the API. */
const jsonRows = (path: string): Stream.Stream<FileRow, CliFailure, FileSystem.FileSystem> =>
  readAllLines(path).pipe(
    Stream.filter(({ text }) => text.trim() !== ""),
    Stream.map((line, at) => ({ row: at + 1, line: line.number, content: lineContent(line) }))
  )

/** Streams the rows of the imported file. */
export const readRows = (kind: ImportKind<any>, options: ImportOptions) =>
  options.format === "csv" ? csvRows({ ...options, columns: kind.columns }) : jsonRows(options.path)

/** Counts the rows, for the progress bar, and fails on an invalid header before anything is sent. */
export const countRows = Effect.fn("import.count")(function* (kind: ImportKind<any>, options: ImportOptions) {
  const rows = yield* Stream.runCount(readRows(kind, options))
  if (rows > 0) return rows
  return yield* new CliFailure({ code: "FILE_EMPTY", message: `${options.path} has no rows` })
})
