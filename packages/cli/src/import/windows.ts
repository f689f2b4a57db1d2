import { BULK_LIMIT } from "@edp/domain/errors/Bulk"
import { type FileSystem, Stream } from "effect"
import type { CliFailure } from "../CliFailure.ts"
import { rowChecker } from "./checkRow.ts"
import type { ImportKind } from "./ImportKind.ts"
import type { ImportOptions } from "./ImportOptions.ts"
import type { JournalRow } from "./journalRows.ts"
import { readRows } from "./readRows.ts"
import type { Entry } from "./settleWindow.ts"

/** The rows of the file, checked, each beside what an earlier run tells of its place, in windows of what one request takes. */
export const windowsOf = <Input, R>(
  kind: ImportKind<Input>,
  options: ImportOptions,
  earlier: Stream.Stream<JournalRow, CliFailure, R>
): Stream.Stream<ReadonlyArray<Entry<Input>>, CliFailure, FileSystem.FileSystem | R> => {
  const check = rowChecker(kind, options)
  const padded = Stream.concat(earlier, Stream.forever(Stream.succeed(undefined)))
  return readRows(kind, options).pipe(
    Stream.map(check),
    Stream.zip(padded),
    Stream.map(([checked, earlier]): Entry<Input> => ({ checked, earlier })),
    Stream.grouped(BULK_LIMIT)
  )
}
