import { randomUUID } from "node:crypto"
import { Effect, FileSystem, Schema, Stream } from "effect"
import { CliFailure } from "../kernel/CliFailure.ts"
import { type Line, readAllLines } from "../kernel/csv.ts"
import { fileFailure } from "../kernel/files.ts"

/** The first line of a journal, which identifies the import. */
const JournalHeader = Schema.Struct({
  import: Schema.Literals(["sites", "customers", "enrollments"]),
  version: Schema.Literal(1),
  workspaceId: Schema.String,
  programInstanceId: Schema.optionalKey(Schema.String),
  /** Part of the idempotency keys of this import. */
  importId: Schema.String
})
type JournalHeader = typeof JournalHeader.Type

/** A line of a journal: the result of a row, for the next run. */
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
    message: `${path} line ${line} is not a line of a journal`,
    details: ["Pass --restart to begin anew: what exists is recognised by the service."]
  })

/** Streams the rows of a journal. An incomplete last line is ignored. */
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

/** The header of a journal; undefined without a journal, and when its first line is incomplete. */
const headerIn = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(path), () => false))) return undefined
  const [line, another] = yield* Stream.runCollect(Stream.take(readAllLines(path), 2))
  const header = decodeHeader(line?.text)
  if (header._tag === "Some") return header.value
  return another === undefined ? undefined : yield* damaged(path, 1)
})

interface JournalPaths {
  /** The journal of the current run, or of one that was interrupted. */
  readonly current: string
  /** The journal of earlier runs, until the current run completes. */
  readonly before: string
}

export const journalPaths = (report: string): JournalPaths => ({
  current: `${report}.journal`,
  before: `${report}.journal.before`
})

/** The earlier results: those of an interrupted run as far as it came, then those of the run before. */
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

/** Creates a file; returns functions that append to it and that sync it to disk. */
const createFile = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" }).pipe(unwritable(path))
  return {
    write: (values: ReadonlyArray<object>) => unwritable(path)(file.writeAll(lines(values))),
    sync: unwritable(path)(file.sync)
  }
})

/** The kind of records, and the place of an import. */
type Target = Pick<JournalHeader, "import" | "workspaceId" | "programInstanceId">

const place = ({ programInstanceId, workspaceId }: Target) =>
  programInstanceId === undefined
    ? `in the workspace ${workspaceId}`
    : `in the program instance ${programInstanceId} of the workspace ${workspaceId}`

const requireSame = (header: JournalHeader, wanted: Target, report: string) =>
  header.import === wanted.import && place(header) === place(wanted)
    ? Effect.void
    : new CliFailure({
        code: "REPORT_OF_ANOTHER_IMPORT",
        message: `${report} is the report of ${header.import} ${place(header)}`,
        details: ["Name another with --report, or pass --restart to forget it."]
      })

/** Another program's file is not overwritten. */
const requireNone = Effect.fnUntraced(function* (report: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(report).pipe(unwritable(report)))) return
  return yield* new CliFailure({
    code: "REPORT_EXISTS",
    message: `${report} already exists, without the journal of an import`,
    details: ["Name another with --report, or pass --restart to overwrite it."]
  })
})

/**
 * Merges the journals of earlier runs into `before`. Files are complete before they are renamed, so an interruption is safe.
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

/** Opens the journal beside the report. It records the results of all runs and survives a killed run. */
export const openJournal = Effect.fn("import.openJournal")(function* (options: {
  readonly report: string
  readonly target: Target
}) {
  const { report, target } = options
  const fs = yield* FileSystem.FileSystem
  const paths = journalPaths(report)
  const earlier = yield* earlierRows(paths)
  if (earlier.header === undefined) yield* requireNone(report)
  else yield* requireSame(earlier.header, target, report)
  const importId = earlier.header?.importId ?? randomUUID()
  const header: JournalHeader = { ...target, version: 1, importId }
  yield* gather(paths, header)
  const file = yield* createFile(paths.current)
  yield* file.write([header])
  return {
    importId,
    /** The rows of earlier runs, in order. */
    earlier: rowsIn(paths.before),
    append: file.write,
    /** Makes appended rows survive a power cut. */
    sync: file.sync,
    /** Completes the run: its own journal replaces the earlier ones. */
    finish: Effect.andThen(file.sync, fs.remove(paths.before, { force: true }).pipe(unwritable(paths.before)))
  }
})

/** Deletes the report and the journals. */
export const forgetJournal = Effect.fnUntraced(function* (report: string) {
  const fs = yield* FileSystem.FileSystem
  const { before, current } = journalPaths(report)
  yield* Effect.forEach([report, before, current], (path) => fs.remove(path, { force: true }).pipe(unwritable(path)))
})
