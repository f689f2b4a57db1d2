import { Effect, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { withProgress } from "../ProgressBar.ts"
import type { RowResult } from "./FileRow.ts"
import type { ImportKind } from "./ImportKind.ts"
import type { ImportOptions } from "./ImportOptions.ts"
import { forgetJournal, openJournal } from "./journal.ts"
import type { JournalRow } from "./journalRows.ts"
import { countRows } from "./readRows.ts"
import { openReport } from "./report.ts"
import { type Entry, knownResult, windowSettler } from "./settleWindow.ts"
import { addResults, nothingTallied, settledIn, type Tally } from "./tally.ts"
import { windowsOf } from "./windows.ts"

/** Requests on their way at a time. */
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
      `${settledIn(tally)} rows are settled. Run the same command again to go on: nothing is created twice.`
    ]
  })

/** Sends what is to be sent, and writes down what became of each row before the next are told. */
export const runImport = Effect.fn("import.run")(function* <Input>(kind: ImportKind<Input>, options: ImportOptions) {
  const rows = yield* countRows(kind, options)
  const recipient = yield* kind.connect(options)
  if (options.restart) yield* forgetJournal(options.report)
  const { workspaceId } = recipient
  const journal = yield* openJournal({ report: options.report, noun: kind.noun, workspaceId })
  const report = yield* openReport(options.report, options.reportFormat)
  const settle = windowSettler(recipient, { importId: journal.importId, nameOf: options.nameOf })
  let tally = nothingTallied

  const job = (progress: (done: number) => Effect.Effect<void>) =>
    windowsOf(kind, options, journal.earlier).pipe(
      Stream.mapEffect((entries) => Effect.map(settle(entries), (results) => ({ entries, results })), {
        concurrency: IN_FLIGHT
      }),
      Stream.runForEach(
        Effect.fnUntraced(function* ({ entries, results }) {
          const known = entries.filter((entry) => knownResult(entry) !== undefined).length
          yield* journal.append(results.map((result, at) => journalRow(entries[at]!, result)))
          // What is known is on the disk already, in the journal of the run before.
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
