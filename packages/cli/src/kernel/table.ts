import { csvCell as toCsvCell } from "@edp/domain/shared/csv"
import { CliOutput } from "effect/cli"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => unknown
  /** Never shortened, so that ids can be copied. */
  readonly whole?: boolean
  readonly right?: boolean
  /** A date-time, which tables show to the minute. */
  readonly time?: boolean
  /** Shown with --wide and in CSV alone. */
  readonly wide?: boolean
}

const GAP = "  "
const NARROWEST = 8
const { displayWidth } = CliOutput

/** One line of text without control characters, which could control the terminal. */
export const cell = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "-"
  const text = Array.isArray(value)
    ? value.length === 0
      ? "-"
      : value.join(", ")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value)
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ")
}

/** A date-time to the minute, for lists: `2026-03-01 12:00Z`. */
export const minute = (timestamp: string | null | undefined): string =>
  cell(timestamp).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/u, "$1 $2Z")

const shorten = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text
  let kept = ""
  let used = 0
  for (const character of text) {
    used += displayWidth(character)
    if (used >= width) break
    kept += character
  }
  return `${kept}…`
}

const pad = (text: string, width: number, right: boolean) => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return right ? space + text : text + space
}

/** Shortens the widest columns first. */
const fit = (widths: ReadonlyArray<number>, whole: ReadonlyArray<boolean>, room: number) => {
  const fitted = [...widths]
  let excess = fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1)) - room
  while (excess > 0) {
    const free = fitted.map((width, at) => (whole[at] === true ? 0 : width))
    const widest = Math.max(...free)
    if (widest <= NARROWEST) return undefined
    fitted[free.indexOf(widest)] = widest - 1
    excess--
  }
  return fitted
}

/** One line per field: its name and its value. */
export const renderRecord = (fields: ReadonlyArray<readonly [name: string, value: unknown]>): string => {
  const width = Math.max(...fields.map(([name]) => displayWidth(name)))
  return fields.map(([name, value]) => `${pad(name, width, false)}${GAP}${cell(value)}`).join("\n")
}

const formatValue = <Row>({ time, value }: Column<Row>, row: Row): string => {
  const content = value(row)
  return time === true && typeof content === "string" ? minute(content) : cell(content)
}

/**
 * A table of at most `room` columns. Long cells are shortened; where that is not enough, each row is printed as a record.
 */
export const renderTable = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  room = Number.POSITIVE_INFINITY
): string => {
  const cells = rows.map((row) => columns.map((column) => formatValue(column, row)))
  const widths = fit(
    columns.map(({ title }, at) =>
      cells.reduce((widest, line) => Math.max(widest, displayWidth(line[at] ?? "")), displayWidth(title))
    ),
    columns.map(({ whole }) => whole === true),
    room
  )
  if (widths === undefined) {
    return cells.map((line) => renderRecord(columns.map(({ title }, at) => [title, line[at]]))).join("\n\n")
  }
  return [columns.map(({ title }) => title), ...cells]
    .map((line) =>
      line
        .map((text, at) => pad(shorten(text, widths[at] ?? 0), widths[at] ?? 0, columns[at]?.right === true))
        .join(GAP)
        .trimEnd()
    )
    .join("\n")
}

const csvCell = (value: unknown): string => {
  if (typeof value === "number") return toCsvCell(value)
  const isEmpty = value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  return isEmpty ? "" : toCsvCell(cell(value))
}

/** `LAST READING` becomes `last_reading`. Names of fields stay unchanged. */
const csvName = (title: string) =>
  title === title.toUpperCase()
    ? title
        .toLowerCase()
        .replaceAll("'", "")
        .replaceAll(/[^a-z0-9]+/gu, "_")
    : title.replaceAll("'", "").replaceAll(" ", "_")

const csvLines = (names: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
  [names.map(csvName), ...rows].map((line) => line.map(csvCell).join(",")).join("\n")

/** CSV by RFC 4180 with a header. Values are not shortened, and date-times are as in the API. */
export const renderCsv = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): string =>
  csvLines(
    columns.map(({ title }) => title),
    rows.map((row) => columns.map(({ value }) => value(row)))
  )

/** One record as CSV with a header. */
export const renderCsvRecord = (fields: ReadonlyArray<readonly [name: string, value: unknown]>): string =>
  csvLines(
    fields.map(([name]) => name),
    [fields.map(([, value]) => value)]
  )
