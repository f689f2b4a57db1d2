export type CsvCell = string | number | null | undefined

/** A text that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/u

/** A cell by RFC 4180. Numbers stand as they are; a text that begins like a formula is led by an apostrophe. */
export const csvCell = (cell: CsvCell): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell === "number") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table by RFC 4180, its header first. */
export const csvTable = (header: ReadonlyArray<string>, rows: Iterable<ReadonlyArray<CsvCell>>): string => {
  let text = `${header.map(csvCell).join(",")}\r\n`
  for (const row of rows) text += `${row.map(csvCell).join(",")}\r\n`
  return text
}
