import { CliOutput } from "effect/cli"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => unknown
  /** Never shortened: ids, which are there to be copied. */
  readonly whole?: boolean
  readonly right?: boolean
  /** Left out first where the table is too wide. */
  readonly spare?: boolean
}

const GAP = "  "
const NARROWEST = 8
const { displayWidth } = CliOutput

/** Text of one line. Names come from elsewhere: a control character must not steer the terminal. */
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

/** Takes from the widest columns first, so that short ones stay readable. */
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

/** Names and values below each other. */
export const renderRecord = (fields: ReadonlyArray<readonly [name: string, value: unknown]>): string => {
  const width = Math.max(...fields.map(([name]) => displayWidth(name)))
  return fields.map(([name, value]) => `${pad(name, width, false)}${GAP}${cell(value)}`).join("\n")
}

/** The columns that are shown: spare ones go, the last first, until the rest fits. */
const chosen = <Row>(columns: ReadonlyArray<Column<Row>>, widths: ReadonlyMap<Column<Row>, number>, room: number) => {
  let kept = columns
  const width = () => kept.reduce((sum, column) => sum + (widths.get(column) ?? 0), GAP.length * (kept.length - 1))
  for (const column of columns.toReversed()) {
    if (width() <= room) break
    if (column.spare === true) kept = kept.filter((other) => other !== column)
  }
  return kept
}

/**
 * A table that is at most `room` columns wide: spare columns are left out, long cells shortened, and where that does not
 * do, the rows are shown as records below each other.
 */
export const renderTable = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  room = Number.POSITIVE_INFINITY
): string => {
  const natural = new Map(
    columns.map((column) => {
      const widths = rows.map((row) => displayWidth(cell(column.value(row))))
      return [column, widths.reduce((widest, width) => Math.max(widest, width), displayWidth(column.title))]
    })
  )
  const shown = chosen(columns, natural, room)
  const cells = rows.map((row) => shown.map(({ value }) => cell(value(row))))
  const widths = fit(
    shown.map((column) => natural.get(column) ?? 0),
    shown.map(({ whole }) => whole === true),
    room
  )
  if (widths === undefined) {
    return rows.map((row) => renderRecord(columns.map(({ title, value }) => [title, value(row)]))).join("\n\n")
  }
  return [shown.map(({ title }) => title), ...cells]
    .map((line) =>
      line
        .map((text, at) => pad(shorten(text, widths[at] ?? 0), widths[at] ?? 0, shown[at]?.right === true))
        .join(GAP)
        .trimEnd()
    )
    .join("\n")
}
