import { Effect, FileSystem, Schema, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { type Line, readAllLines } from "../csv/lines.ts"

/** The first line of a journal: of what it is, so that it is not taken for another's. */
export const JournalHeader = Schema.Struct({
  import: Schema.Literals(["sites", "customers"]),
  version: Schema.Literal(1),
  workspaceId: Schema.String,
  /** Names the requests of this import, so that the service knows one that it has answered already. */
  importId: Schema.String
})
export type JournalHeader = typeof JournalHeader.Type

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
export const rowsIn = (path: string) =>
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

export interface JournalPaths {
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
