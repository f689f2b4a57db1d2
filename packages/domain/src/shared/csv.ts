export type CsvCell = string | number | null | undefined

/**
 * A text that a spreadsheet would interpret as a formula. Spreadsheets skip spaces, control characters and invisible characters in front
 * of it, and some accept the signs in their full-width and small forms.
 */
const formula = /^(?:[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u

/** Puts an apostrophe before a text that a spreadsheet would interpret as a formula. */
export const guardFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** A cell by RFC 4180. A text is guarded against formulas, a number is unchanged. */
export const csvCell = (cell: CsvCell): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell === "number") return String(cell)
  const text = guardFormula(cell)
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table by RFC 4180, its header first. */
export const csvTable = (header: ReadonlyArray<string>, rows: Iterable<ReadonlyArray<CsvCell>>): string => {
  let text = `${header.map(csvCell).join(",")}\r\n`
  for (const row of rows) text += `${row.map(csvCell).join(",")}\r\n`
  return text
}
