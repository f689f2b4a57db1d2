import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "../../../CliFailure.ts"

export interface Line {
  /** As an editor counts them, from 1. */
  readonly number: number
  readonly text: string
}

const MAX_LINE = 100_000

interface Pending {
  readonly number: number
  readonly text: string
}

const unreadable = (path: string, why: string) =>
  new CliFailure({ code: "FILE_UNREADABLE", message: `${path} can't be read: ${why}` })

const cut = (path: string, pending: Pending, chunks: ReadonlyArray<string>) => {
  const texts = (pending.text + chunks.join("")).split("\n")
  const rest = texts.pop() ?? ""
  const lines = texts.map((text, at) => ({ number: pending.number + at, text: text.replace(/\r$/u, "") }))
  const longest = lines.find(({ text }) => text.length > MAX_LINE)
  if (longest !== undefined || rest.length > MAX_LINE) {
    const number = longest?.number ?? pending.number + lines.length
    return Effect.fail(unreadable(path, `line ${number} is longer than ${MAX_LINE} characters`))
  }
  return Effect.succeed([{ number: pending.number + lines.length, text: rest }, lines] as const)
}

/** The lines of a file that hold anything, as they are read: a file may be larger than the memory. */
export const readLines = (path: string): Stream.Stream<Line, CliFailure, FileSystem.FileSystem> =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path))).pipe(
    Stream.mapError((error) => unreadable(path, error.reason.description ?? error.reason._tag)),
    Stream.decodeText(),
    Stream.mapAccumArrayEffect(
      (): Pending => ({ number: 1, text: "" }),
      (pending, chunks) => cut(path, pending, chunks),
      { onHalt: ({ number, text }) => [{ number, text: text.replace(/\r$/u, "") }] }
    ),
    Stream.filter(({ text }) => text.trim() !== "")
  )
