import type { CsvProblem, Cell } from "../../../csv/cells.ts"

/** A reading as a file tells it: of which device, when, and on which line. */
export interface FileReading {
  readonly device: string
  readonly timestamp: string
  readonly state: Readonly<Record<string, unknown>>
  readonly line: number
}

/** Reads the lines below the header, one after another. It remembers those before, so each pass needs a new one. */
export type LineReader = (cells: ReadonlyArray<Cell>, line: number) => ReadonlyArray<FileReading> | CsvProblem
