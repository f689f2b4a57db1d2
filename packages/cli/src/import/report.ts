import { guardFormula } from "@edp/domain/shared/csv"
import { Effect, FileSystem, Stream } from "effect"
import { Csv } from "effect/encoding"
import { fileFailure } from "../kernel/files.ts"
import type { ReportFormat, RowResult } from "./ImportKind.ts"

const columns = ["row", "line", "status", "id", "referenceId", "code", "message", "fields"] as const

const formatFields = (fields: RowResult["fields"]) =>
  Object.entries(fields)
    .map(([field, problem]) => `${field}: ${problem}`)
    .join("; ")

const csvRecord = ({ fields, line, row, ...rest }: RowResult): Record<string, string> => ({
  row: `${row}`,
  line: `${line}`,
  status: rest.status,
  id: rest.id ?? "",
  referenceId: guardFormula(rest.referenceId ?? ""),
  code: rest.code ?? "",
  message: guardFormula(rest.message ?? ""),
  fields: guardFormula(formatFields(fields))
})

const formatResults = (results: ReadonlyArray<RowResult>, format: ReportFormat, headers: boolean) =>
  format === "jsonl"
    ? Effect.succeed(results.map((result) => `${JSON.stringify(result)}\n`).join(""))
    : Stream.fromIterable(results).pipe(
        Stream.map(csvRecord),
        Stream.pipeThroughChannel(Csv.encodeString({ columns, headers })),
        Stream.mkString
      )

/** Opens the report, which lists the result of each row in file order. Each run rewrites it. */
export const openReport = Effect.fnUntraced(function* (path: string, format: ReportFormat) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" }).pipe(fileFailure("REPORT_UNWRITABLE", path))
  const write = Effect.fnUntraced(function* (text: string) {
    yield* file.writeAll(new TextEncoder().encode(text)).pipe(fileFailure("REPORT_UNWRITABLE", path))
  })
  yield* write(yield* formatResults([], format, true))
  return (results: ReadonlyArray<RowResult>) => Effect.flatMap(formatResults(results, format, false), write)
})

const KEPT_FAILURES = 20

/** Counts by result, and the first failures. */
export interface Tally {
  readonly created: number
  readonly exists: number
  readonly valid: number
  readonly failed: number
  /** How many of the created and existing rows were settled by an earlier run. */
  readonly earlier: number
  readonly failures: ReadonlyArray<RowResult>
}

export const nothingTallied: Tally = { created: 0, exists: 0, valid: 0, failed: 0, earlier: 0, failures: [] }

export const addResults = (tally: Tally, results: ReadonlyArray<RowResult>, earlier: number): Tally => {
  const count = (status: RowResult["status"]) => results.filter((result) => result.status === status).length
  const failed = results.filter(({ status }) => status === "failed")
  return {
    created: tally.created + count("created"),
    exists: tally.exists + count("exists"),
    valid: tally.valid + count("valid"),
    failed: tally.failed + failed.length,
    earlier: tally.earlier + earlier,
    failures:
      tally.failures.length < KEPT_FAILURES ? [...tally.failures, ...failed].slice(0, KEPT_FAILURES) : tally.failures
  }
}

export const settledIn = ({ created, exists, failed, valid }: Tally) => created + exists + failed + valid
