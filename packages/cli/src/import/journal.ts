import { randomUUID } from "node:crypto"
import { Effect, FileSystem, Schema, Stream } from "effect"
import { CliFailure } from "../kernel/CliFailure.ts"
import { type Line, readAllLines } from "../kernel/csv.ts"
import { fileFailure } from "../kernel/files.ts"

/** The first line of a journal: of what it is, so that it is not taken for another's. */
const JournalHeader = Schema.Struct({
  import: Schema.Literals(["sites", "customers"]),
  version: Schema.Literal(1),
  workspaceId: Schema.String,
  /** Names the requests of this import, so that the service knows one that it has answered already. */
  importId: Schema.String
})
type JournalHeader = typeof JournalHeader.Type

/** A line of a journal: what became of a row, by which the next run knows it again. */
export const JournalRow = Schema.Struct({
  row: Schema.Int,
  /** Null where the row could not be read. */
  digest: Schema.NullOr(Schema.String),
  status: Schema.Literals(["created", "exists", "failed"]),
  id: Schema.NullOr(Schema.String)
})
export type JournalRow = typeof JournalRow.Type

const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(JournalHeader))
const decodeRow = Schema.decodeUnknownOption(Schema.fromJsonString(JournalRow))

const damaged = (path: string, line: number) =>
  new CliFailure({
    code: "JOURNAL_DAMAGED",
    message: `${path} line ${line} is no line of a journal`,
    details: ["Pass --restart to begin anew: what exists is recognised by the service."]
  })

/** The rows of a journal. A last line that was cut off while it was written counts as not written. */
const rowsIn = (path: string) =>
  readAllLines(path).pipe(
    Stream.drop(1),
    Stream.mapAccumEffect(
      (): { readonly row: number; readonly bad?: Line } => ({ row: 0 }),
      ({ bad, row }, line) => {
        if (bad !== undefined) return Effect.fail(damaged(path, bad.number))
        const decoded = decodeRow(line.text)
        if (decoded._tag === "None" || decoded.value.row !== row + 1) {
          return Effect.succeed([{ row, bad: line }, [] as ReadonlyArray<JournalRow>] as const)
        }
        return Effect.succeed([{ row: row + 1 }, [decoded.value]] as const)
      }
    )
  )

/** The header of a journal, where there is one. A journal that was broken off in its first line is none. */
const headerIn = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(path), () => false))) return undefined
  const [line, another] = yield* Stream.runCollect(Stream.take(readAllLines(path), 2))
  const header = decodeHeader(line?.text)
  if (header._tag === "Some") return header.value
  return another === undefined ? undefined : yield* damaged(path, 1)
})

interface JournalPaths {
  /** Of the run that is going on, or was when it ended before its time. */
  readonly current: string
  /** Of the runs before it, until it has come to its end. */
  readonly before: string
}

export const journalPaths = (report: string): JournalPaths => ({
  current: `${report}.journal`,
  before: `${report}.journal.before`
})

/** What earlier runs tell of the rows: a run that was broken off counts as far as it came, for the rest the one before. */
export const earlierRows = Effect.fnUntraced(function* ({ before, current }: JournalPaths) {
  const headers = { current: yield* headerIn(current), before: yield* headerIn(before) }
  let came = 0
  const newer =
    headers.current === undefined
      ? Stream.empty
      : Stream.tap(rowsIn(current), ({ row }) => Effect.sync(() => (came = row)))
  const older = headers.before === undefined ? Stream.empty : Stream.filter(rowsIn(before), ({ row }) => row > came)
  return { header: headers.current ?? headers.before, rows: Stream.concat(newer, older) }
})

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
