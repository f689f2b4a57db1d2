import { randomUUID } from "node:crypto"
import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { fileFailure } from "./fileFailure.ts"
import { earlierRows, type JournalHeader, type JournalPaths, journalPaths, rowsIn } from "./journalRows.ts"

const lines = (values: ReadonlyArray<object>) =>
  new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""))

const unwritable = (path: string) => fileFailure("JOURNAL_UNWRITABLE", path)

/** Creates a file and answers what writes to its end, and what waits until that is on the disk. */
const createFile = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" }).pipe(unwritable(path))
  return {
    write: (values: ReadonlyArray<object>) => unwritable(path)(file.writeAll(lines(values))),
    sync: unwritable(path)(file.sync)
  }
})

const requireSame = (header: JournalHeader, wanted: Pick<JournalHeader, "import" | "workspaceId">, report: string) =>
  header.import === wanted.import && header.workspaceId === wanted.workspaceId
    ? Effect.void
    : new CliFailure({
        code: "REPORT_OF_ANOTHER_IMPORT",
        message: `${report} is the report of ${header.import} in the workspace ${header.workspaceId}`,
        details: ["Name another with --report, or pass --restart to forget it."]
      })

/** A file that some other program wrote is not overwritten. */
const requireNone = Effect.fnUntraced(function* (report: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(report).pipe(unwritable(report)))) return
  return yield* new CliFailure({
    code: "REPORT_EXISTS",
    message: `${report} is there already, without the journal of an import`,
    details: ["Name another with --report, or pass --restart to overwrite it."]
  })
})

/**
 * Makes one journal of those that earlier runs left, as `before`. Every file is whole before it gets its name, so that
 * this too may be broken off anywhere.
 */
const gather = Effect.fnUntraced(function* ({ before, current }: JournalPaths, header: JournalHeader) {
  const fs = yield* FileSystem.FileSystem
  const gathered = `${before}.new`
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* createFile(gathered)
      yield* file.write([header])
      const { rows } = yield* earlierRows({ before, current })
      yield* Stream.runForEachArray(rows, file.write)
      yield* file.sync
    })
  )
  yield* fs.rename(gathered, before).pipe(unwritable(before))
  yield* fs.remove(current, { force: true }).pipe(unwritable(current))
})

/** What the runs of an import have done so far, beside its report. It outlives a run that is killed. */
export const openJournal = Effect.fn("import.openJournal")(function* (options: {
  readonly report: string
  readonly noun: JournalHeader["import"]
  readonly workspaceId: string
}) {
  const { noun, report, workspaceId } = options
  const fs = yield* FileSystem.FileSystem
  const paths = journalPaths(report)
  const earlier = yield* earlierRows(paths)
  if (earlier.header === undefined) yield* requireNone(report)
  else yield* requireSame(earlier.header, { import: noun, workspaceId }, report)
  const importId = earlier.header?.importId ?? randomUUID()
  const header: JournalHeader = { import: noun, version: 1, workspaceId, importId }
  yield* gather(paths, header)
  const file = yield* createFile(paths.current)
  yield* file.write([header])
  return {
    importId,
    /** The rows of earlier runs, in order. */
    earlier: rowsIn(paths.before),
    append: file.write,
    /** What was appended outlives even a power cut. */
    sync: file.sync,
    /** The run has come to its end: what was before is in its own journal. */
    finish: Effect.andThen(file.sync, fs.remove(paths.before, { force: true }).pipe(unwritable(paths.before)))
  }
})

/** Lets the next run begin as if the import had never been run. */
export const forgetJournal = Effect.fnUntraced(function* (report: string) {
  const fs = yield* FileSystem.FileSystem
  const { before, current } = journalPaths(report)
  yield* Effect.forEach([report, before, current], (path) => fs.remove(path, { force: true }).pipe(unwritable(path)))
})
