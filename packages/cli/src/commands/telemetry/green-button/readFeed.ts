import { Effect, FileSystem, Stream } from "effect"
import { CliFailure } from "../../../kernel/CliFailure.ts"
import { FeedProblem } from "@edp/adapter-kit/green-button/FeedProblem"
import type { Feed } from "@edp/adapter-kit/green-button/Feed"
import { feedParser } from "@edp/adapter-kit/green-button/feedParser"

export const invalidFeed = (path: string, problems: ReadonlyArray<string>, more = 0) =>
  new CliFailure({
    code: "GREEN_BUTTON_INVALID",
    message: `${path} can't be imported`,
    details: [...problems.map((text) => `${path} ${text}`), ...(more > 0 ? [`and ${more} more`] : [])]
  })

const unreadable = (path: string, why: string) =>
  new CliFailure({ code: "FILE_UNREADABLE", message: `${path} can't be read: ${why}` })

const decoding = (path: string, decode: () => string) =>
  Effect.try({ try: decode, catch: () => invalidFeed(path, ["takes text in UTF-8"]) })

const parsing = <A>(path: string, task: () => A): Effect.Effect<A, CliFailure> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(task())
    } catch (cause) {
      return cause instanceof FeedProblem ? Effect.fail(invalidFeed(path, [cause.problem.text])) : Effect.die(cause)
    }
  })

/** Whether a file is XML: by its name, or because it begins with a tag. */
export const isXmlFile = Effect.fnUntraced(function* (path: string) {
  if (/\.xml$/iu.test(path)) return true
  const fs = yield* FileSystem.FileSystem
  const beginning = yield* fs.stream(path, { bytesToRead: 256 }).pipe(
    Stream.decodeText(),
    Stream.mkString,
    // A file that can't be read is reported by its reader.
    Effect.orElseSucceed(() => "")
  )
  return beginning.trimStart().startsWith("<")
})

/** Parses a file while it is read. */
export const readFeed = Effect.fn("telemetry.readFeed")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const parser = feedParser()
  const decoder = new TextDecoder("utf-8", { fatal: true })
  yield* fs.stream(path).pipe(
    Stream.mapError((error) => unreadable(path, error.reason.description ?? error.reason._tag)),
    Stream.mapEffect((chunk) => decoding(path, () => decoder.decode(chunk, { stream: true }))),
    Stream.runForEach((text) => parsing(path, () => parser.write(text)))
  )
  const rest = yield* decoding(path, () => decoder.decode())
  const feed: Feed = yield* parsing(path, () => {
    parser.write(rest)
    return parser.end()
  })
  if (feed.problemCount === 0) return feed
  const problems = feed.problems.map(({ text }) => text)
  return yield* invalidFeed(path, problems, feed.problemCount - problems.length)
})
