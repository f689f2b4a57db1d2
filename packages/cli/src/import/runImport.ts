import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "../kernel/CliFailure.ts"
import { withProgress } from "../kernel/ProgressBar.ts"
import type { ImportKind, ImportOptions, RowResult } from "./ImportKind.ts"
import { type JournalRow, earlierRows, forgetJournal, journalPaths, openJournal } from "./journal.ts"
import { countRows } from "./rows.ts"
import { type Tally, addResults, nothingTallied, openReport, settledIn } from "./report.ts"
import { type Entry, knownResult, settledRow, windowSettler, toWindows } from "./sendRows.ts"

/** Concurrent requests. */
const IN_FLIGHT = 4

const journalRow = ({ checked }: Entry<unknown>, { id, row, status }: RowResult): JournalRow => ({
  row,
  digest: "good" in checked ? checked.good.digest : null,
  status: status === "valid" ? "failed" : status,
  id
})

const brokenOff = ({ code, details = [], message }: CliFailure, tally: Tally) =>
  new CliFailure({
    code,
    message,
    details: [
      ...details,
      `${settledIn(tally)} rows are completed. Run the same command again to continue: nothing is created twice.`
    ]
  })

/** Sends the rows, and records the results of a window in the journal before it is reported. */
export const runImport = Effect.fn("import.run")(function* <Input>(kind: ImportKind<Input>, options: ImportOptions) {
  const rows = yield* countRows(kind, options)
  const recipient = yield* kind.connect(options)
  if (options.restart) yield* forgetJournal(options.report)
  const { programInstanceId, workspaceId } = recipient
  const target = { import: kind.noun, workspaceId, ...(programInstanceId !== undefined && { programInstanceId }) }
  const journal = yield* openJournal({ report: options.report, target })
  const report = yield* openReport(options.report, options.reportFormat)
  const settle = windowSettler(recipient, { importId: journal.importId, fieldName: options.fieldName })
  let tally = nothingTallied

  const job = (progress: (done: number) => Effect.Effect<void>) =>
    toWindows(kind, options, journal.earlier).pipe(
      Stream.mapEffect((entries) => Effect.map(settle(entries), (results) => ({ entries, results })), {
        concurrency: IN_FLIGHT
      }),
      Stream.runForEach(
        Effect.fnUntraced(function* ({ entries, results }) {
          const known = entries.filter((entry) => knownResult(entry) !== undefined).length
          yield* journal.append(results.map((result, at) => journalRow(entries[at]!, result)))
          // Known results are on disk already, in the previous run's journal.
          if (known < entries.length) yield* journal.sync
          yield* report(results)
          tally = addResults(tally, results, known)
          yield* progress(settledIn(tally))
        })
      ),
      Effect.mapError((failure) => brokenOff(failure, tally))
    )
  yield* withProgress(options.path, rows, job, "rows")
  yield* journal.finish
  return { rows, tally }
}, Effect.scoped)

const verdict = (entry: Entry<unknown>): RowResult =>
  "failed" in entry.checked
    ? entry.checked.failed
    : (knownResult(entry) ?? settledRow(entry.checked.good, "valid", null))

/** A dry run must not overwrite the report of an import. */
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

/** Checks the rows locally and sends nothing. Results of earlier runs come from the journal. */
export const dryRun = Effect.fn("import.dryRun")(function* (kind: ImportKind<any>, options: ImportOptions) {
  const rows = yield* countRows(kind, options)
  if (options.reportNamed) yield* requireNoJournal(options.report)
  const earlier = options.restart ? Stream.empty : (yield* earlierRows(journalPaths(options.report))).rows
  const report = options.reportNamed ? yield* openReport(options.report, options.reportFormat) : () => Effect.void
  let tally = nothingTallied
  let requests = 0
  yield* Stream.runForEach(
    toWindows(kind, options, earlier),
    Effect.fnUntraced(function* (entries) {
      const results = entries.map(verdict)
      if (results.some(({ status }) => status === "valid")) requests++
      yield* report(results)
      tally = addResults(tally, results, entries.filter((entry) => knownResult(entry) !== undefined).length)
    })
  )
  return { rows, tally, requests }
}, Effect.scoped)
