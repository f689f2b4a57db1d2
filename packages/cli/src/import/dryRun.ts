import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import type { RowResult } from "./FileRow.ts"
import type { ImportKind } from "./ImportKind.ts"
import type { ImportOptions } from "./ImportOptions.ts"
import { earlierRows, journalPaths } from "./journalRows.ts"
import { countRows } from "./readRows.ts"
import { openReport } from "./report.ts"
import { settledRow } from "./sendRows.ts"
import { type Entry, knownResult } from "./settleWindow.ts"
import { addResults, nothingTallied } from "./tally.ts"
import { windowsOf } from "./windows.ts"

const verdict = (entry: Entry<unknown>): RowResult =>
  "failed" in entry.checked
    ? entry.checked.failed
    : (knownResult(entry) ?? settledRow(entry.checked.good, "valid", null))

/** The verdict's report must not take the place of one that tells what was created. */
const requireNoJournal = Effect.fnUntraced(function* (report: string) {
  const fs = yield* FileSystem.FileSystem
  const exists = (path: string) => Effect.orElseSucceed(fs.exists(path), () => false)
  const { before, current } = journalPaths(report)
  if (!(yield* exists(current)) && !(yield* exists(before))) return
  return yield* new CliFailure({
    code: "REPORT_OF_ANOTHER_IMPORT",
    message: `${report} is the report of an import: name another for the dry run`
  })
})

/** Checks all that can be checked here and sends nothing. What earlier runs have done is told by the journal. */
export const dryRun = Effect.fn("import.dryRun")(function* (kind: ImportKind<any>, options: ImportOptions) {
  const rows = yield* countRows(kind, options)
  if (options.reportNamed) yield* requireNoJournal(options.report)
  const earlier = options.restart ? Stream.empty : (yield* earlierRows(journalPaths(options.report))).rows
  const report = options.reportNamed ? yield* openReport(options.report, options.reportFormat) : () => Effect.void
  let tally = nothingTallied
  let requests = 0
  yield* Stream.runForEach(
    windowsOf(kind, options, earlier),
    Effect.fnUntraced(function* (entries) {
      const results = entries.map(verdict)
      if (results.some(({ status }) => status === "valid")) requests++
      yield* report(results)
      tally = addResults(tally, results, entries.filter((entry) => knownResult(entry) !== undefined).length)
    })
  )
  return { rows, tally, requests }
}, Effect.scoped)
