import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"

export interface Line {
  /** As an editor counts them, from 1. */
  readonly number: number
  /** Without its line break. */
  readonly text: string
  /** Longer than any line may be: only its beginning is here. */
  readonly tooLong?: true
}

export const MAX_LINE = 100_000

interface Pending {
  readonly number: number
  readonly text: string
}

const unreadable = (path: string, why: string) =>
  new CliFailure({ code: "FILE_UNREADABLE", message: `${path} can't be read: ${why}` })

const lineOf = (number: number, text: string): Line =>
  text.length > MAX_LINE
    ? { number, text: text.slice(0, MAX_LINE), tooLong: true }
    : { number, text: text.replace(/\r$/u, "") }

const cut = (pending: Pending, chunks: ReadonlyArray<string>) => {
  const texts = (pending.text + chunks.join("")).split("\n")
  const rest = texts.pop() ?? ""
  const lines = texts.map((text, at) => lineOf(pending.number + at, text))
  // One character more than is taken tells that it was too long.
  return [{ number: pending.number + lines.length, text: rest.slice(0, MAX_LINE + 1) }, lines] as const
}

/** The lines of a file as they are read: a file may be larger than the memory. */
export const readAllLines = (path: string): Stream.Stream<Line, CliFailure, FileSystem.FileSystem> =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path))).pipe(
    Stream.mapError((error) => unreadable(path, error.reason.description ?? error.reason._tag)),
    Stream.decodeText(),
    Stream.mapAccumArray((): Pending => ({ number: 1, text: "" }), cut, {
      onHalt: ({ number, text }) => (text === "" ? [] : [lineOf(number, text)])
    })
  )

/** The lines that hold anything, none of them longer than a line may be. */
export const readLines = (path: string): Stream.Stream<Line, CliFailure, FileSystem.FileSystem> =>
  readAllLines(path).pipe(
    Stream.filter(({ text }) => text.trim() !== ""),
    Stream.tap(({ number, tooLong }) =>
      tooLong === true
        ? Effect.fail(unreadable(path, `line ${number} is longer than ${MAX_LINE} characters`))
        : Effect.void
    )
  )
