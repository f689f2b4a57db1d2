import { Effect, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { csvRows } from "./csvRows.ts"
import type { ImportKind } from "./ImportKind.ts"
import type { ImportOptions } from "./ImportOptions.ts"
import { jsonRows } from "./jsonRows.ts"

/** The rows of the file that is imported, as they are read. */
export const readRows = (kind: ImportKind<any>, options: ImportOptions) =>
  options.format === "csv" ? csvRows({ ...options, columns: kind.columns }) : jsonRows(options.path)

/** Reads the file once, for the progress to have an end, and for a header that can't be used to be told before anything. */
export const countRows = Effect.fn("import.count")(function* (kind: ImportKind<any>, options: ImportOptions) {
  const rows = yield* Stream.runCount(readRows(kind, options))
  if (rows > 0) return rows
  return yield* new CliFailure({ code: "FILE_EMPTY", message: `${options.path} holds no rows` })
})
