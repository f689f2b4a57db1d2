import { Effect, FileSystem, Stream } from "effect"
import { Csv } from "effect/encoding"
import { fileFailure } from "./fileFailure.ts"
import type { RowResult } from "./FileRow.ts"

export type ReportFormat = "csv" | "jsonl"

const columns = ["row", "line", "status", "id", "referenceId", "code", "message", "fields"] as const

const told = (fields: RowResult["fields"]) =>
  Object.entries(fields)
    .map(([field, problem]) => `${field}: ${problem}`)
    .join("; ")

const csvRecord = ({ fields, line, row, ...rest }: RowResult): Record<string, string> => ({
  row: `${row}`,
  line: `${line}`,
  status: rest.status,
  id: rest.id ?? "",
  referenceId: rest.referenceId ?? "",
  code: rest.code ?? "",
  message: rest.message ?? "",
  fields: told(fields)
})

const textOf = (results: ReadonlyArray<RowResult>, format: ReportFormat, headers: boolean) =>
  format === "jsonl"
    ? Effect.succeed(results.map((result) => `${JSON.stringify(result)}\n`).join(""))
    : Stream.fromIterable(results).pipe(
        Stream.map(csvRecord),
        Stream.pipeThroughChannel(Csv.encodeString({ columns, headers })),
        Stream.mkString
      )

/** The report: what became of each row, in the order of the file. It is written anew by each run. */
export const openReport = Effect.fnUntraced(function* (path: string, format: ReportFormat) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" }).pipe(fileFailure("REPORT_UNWRITABLE", path))
  const write = Effect.fnUntraced(function* (text: string) {
    yield* file.writeAll(new TextEncoder().encode(text)).pipe(fileFailure("REPORT_UNWRITABLE", path))
  })
  yield* write(yield* textOf([], format, true))
  return (results: ReadonlyArray<RowResult>) => Effect.flatMap(textOf(results, format, false), write)
})
