/** A cell of a line: its text, and whether it was quoted, which makes it a string whatever it looks like. */
export interface Cell {
  readonly text: string
  readonly quoted: boolean
}

/** What is wrong with a line, in which column, and what it takes instead. */
export class CsvProblem {
  readonly column: string
  readonly takes: string
  constructor(column: string, takes: string) {
    this.column = column
    this.takes = takes
  }
}

const quotedCell = /^"((?:[^"]|"")*)"\s*(?:,|$)/u

/** The cells of a line: separated by commas; in double quotes a cell may hold commas, and `""` is a quote. */
export const splitCells = (line: string): ReadonlyArray<Cell> | CsvProblem => {
  const cells: Array<Cell> = []
  let rest = line
  for (;;) {
    const trimmed = rest.trimStart()
    if (trimmed.startsWith('"')) {
      const match = quotedCell.exec(trimmed)
      if (match === null) return new CsvProblem(`${cells.length + 1}`, "a closing quote before the next comma")
      cells.push({ text: (match[1] ?? "").replaceAll('""', '"'), quoted: true })
      rest = trimmed.slice(match[0].length)
      if (!match[0].endsWith(",")) return cells
    } else {
      const end = rest.indexOf(",")
      cells.push({ text: (end === -1 ? rest : rest.slice(0, end)).trim(), quoted: false })
      if (end === -1) return cells
      rest = rest.slice(end + 1)
    }
  }
}
