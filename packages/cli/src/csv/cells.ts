/** A cell of a record: its text, and whether it was quoted, which makes it a string whatever it looks like. */
export interface Cell {
  readonly text: string
  readonly quoted: boolean
}

/** What is wrong with a line, in which column, and what it takes instead. */
export class CsvProblem {
  readonly column: string
  readonly takes: string
  /** A quote was opened and not closed: the cell may go on in the next line. */
  readonly open: boolean
  constructor(column: string, takes: string, open = false) {
    this.column = column
    this.takes = takes
    this.open = open
  }
}

/** What may separate cells. Spaces around cells and quotes are passed over; a tab is no space here, for it separates. */
export const delimiters = { comma: ",", semicolon: ";", tab: "\t" } as const
export type Delimiter = keyof typeof delimiters

const quotedCell = /^ *"([^"]*(?:""[^"]*)*)"(?!") */u

/**
 * The cells of a record: separated by commas; in double quotes a cell may hold the separator and line breaks, and `""` is
 * a quote.
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
