import type { CsvColumn } from "./ImportKind.ts"

type Path = CsvColumn["path"]

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)$/u

export const textCell = (...path: Path): CsvColumn => ({ path, read: (text) => text })

/** What is no decimal number stays text, which the schema refuses. */
export const numberCell = (...path: Path): CsvColumn => ({
  path,
  read: (text) => (decimal.test(text) ? Number(text) : text)
})

/** Several values, separated by commas. */
export const listCell = (...path: Path): CsvColumn => ({
  path,
  read: (text) =>
    text
      .split(",")
      .map((value) => value.trim())
      .filter((value) => value !== "")
})
