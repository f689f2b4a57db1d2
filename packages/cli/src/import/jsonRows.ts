import { type FileSystem, Predicate, Stream } from "effect"
import type { CliFailure } from "../CliFailure.ts"
import { type Line, MAX_LINE, readAllLines } from "../csv/lines.ts"
import type { FileRow } from "./FileRow.ts"

const unreadable = (message: string) => ({ problem: { code: "ROW_UNREADABLE", message, fields: {} } })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const contentOf = ({ text, tooLong }: Line): FileRow["content"] => {
  if (tooLong === true) return unreadable(`Takes a line of at most ${MAX_LINE} characters`)
  if (text.includes("\uFFFD")) return unreadable("Takes text in UTF-8")
  const value = parsed(text)
  return Predicate.isObject(value) ? { value } : unreadable("Takes a JSON object on one line")
}

/** The rows of a file of JSON Lines: an object a line, as the API takes it. */
export const jsonRows = (path: string): Stream.Stream<FileRow, CliFailure, FileSystem.FileSystem> =>
  readAllLines(path).pipe(
    Stream.filter(({ text }) => text.trim() !== ""),
    Stream.map((line, at) => ({ row: at + 1, line: line.number, content: contentOf(line) }))
  )
