import type { Delimiter } from "../csv/cells.ts"
import type { FieldNames } from "./fieldNames.ts"
import type { ReportFormat } from "./report.ts"

/** What the command line asks of an import. */
export interface ImportOptions {
  readonly path: string
  readonly format: "csv" | "jsonl"
  readonly delimiter: Delimiter
  readonly ignoreUnknown: boolean
  readonly nameOf: FieldNames
  readonly report: string
  readonly reportFormat: ReportFormat
  /** Whether the report was named: a dry run writes none otherwise. */
  readonly reportNamed: boolean
  readonly lookUp: boolean
  readonly restart: boolean
}
