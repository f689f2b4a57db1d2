import { Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Output, showTable } from "../Output.ts"
import type { Column } from "../table.ts"
import type { RowResult } from "./FileRow.ts"
import type { ImportOptions } from "./ImportOptions.ts"
import type { Tally } from "./tally.ts"

interface Done {
  readonly rows: number
  readonly tally: Tally
}

const count = (title: string, value: (document: Document) => unknown): Column<Document> => ({
  title,
  value,
  right: true,
  whole: true
})
type Document = Readonly<Record<string, unknown>>

const counts = (names: ReadonlyArray<string>): ReadonlyArray<Column<Document>> => [
  { title: "FILE", value: ({ file }) => file },
  ...names.map((name) => count(name.toUpperCase(), (document) => document[name]))
]

const failureLine = ({ code, fields, line, message, row }: RowResult) => {
  const told = Object.entries(fields).map(([field, problem]) => `${field}: ${problem}`)
  return `row ${row} (line ${line}): ${code}: ${told.length > 0 ? told.join("; ") : message}`
}

const rowsFailed = ({ failed, failures }: Tally, message: string) =>
  new CliFailure({
    code: "ROWS_FAILED",
    message,
    details: [
      ...failures.map(failureLine),
      ...(failed > failures.length ? [`and ${failed - failures.length} more`] : [])
    ]
  })

/** Shows what became of the rows; those that failed are told by row and field. */
export const showImport = Effect.fnUntraced(function* ({ rows, tally }: Done, { path, report }: ImportOptions) {
  const { created, earlier, exists, failed } = tally
  const document = { file: path, rows, created, exists, failed, earlier, report }
  yield* showTable(document, counts(["rows", "created", "exists", "failed"]), [document])
  const output = yield* Output
  if (earlier > 0) yield* output.note(`${earlier} of them were settled by an earlier run`)
  yield* output.note(`what became of each row: ${report}`)
  if (failed > 0) return yield* rowsFailed(tally, `${failed} of ${rows} rows failed; the others exist`)
})

/** Shows what an import would send. */
export const showDryRun = Effect.fnUntraced(function* (
  { requests, rows, tally }: Done & { readonly requests: number },
  { path, report, reportNamed }: ImportOptions
) {
  const { earlier, failed, valid } = tally
  const document = { file: path, rows, valid, failed, earlier, requests, ...(reportNamed && { report }), dryRun: true }
  yield* showTable(document, counts(["rows", "valid", "failed", "earlier", "requests"]), [document])
  const output = yield* Output
  yield* output.note(
    `nothing was sent; an import would send ${valid} ${valid === 1 ? "row" : "rows"} in ${requests} ${requests === 1 ? "request" : "requests"}`
  )
  if (failed > 0) return yield* rowsFailed(tally, `${failed} of ${rows} rows would fail`)
})
