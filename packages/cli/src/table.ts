import { CliOutput } from "effect/cli"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => unknown
  /** Never shortened: ids, which are there to be copied. */
  readonly whole?: boolean
  readonly right?: boolean
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

/**
 * A table that is at most `room` columns wide: long cells are shortened, and where that does not do, the rows are shown
 * as records below each other.
 */
export const renderTable = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  room = Number.POSITIVE_INFINITY
): string => {
  const cells = rows.map((row) => columns.map(({ value }) => cell(value(row))))
  const lines = [columns.map(({ title }) => title), ...cells]
  const natural = columns.map((_, at) => Math.max(...lines.map((line) => displayWidth(line[at] ?? ""))))
  const widths = fit(
    natural,
    columns.map(({ whole }) => whole === true),
    room
  )
  if (widths === undefined) {
    return cells.map((line) => renderRecord(columns.map(({ title }, at) => [title, line[at]]))).join("\n\n")
  }
  return lines
    .map((line) =>
      line
        .map((text, at) => pad(shorten(text, widths[at] ?? 0), widths[at] ?? 0, columns[at]?.right === true))
        .join(GAP)
        .trimEnd()
    )
    .join("\n")
}
