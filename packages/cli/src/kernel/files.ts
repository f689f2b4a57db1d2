import { Effect, FileSystem, Path, Stdio, Stream } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { CliFailure } from "./CliFailure.ts"

/** The service's limit for request bodies. */
const MOST_BYTES = 16 * 1024 * 1024

const tooLarge = (from: string) =>
  new CliFailure({ code: "BODY_TOO_LARGE", message: `${from} has more than 16 MiB, the limit of the service` })

const standardInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* Stream.runForEach(stdin, (chunk) => {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) return Effect.fail(tooLarge("Standard input"))
    return Effect.sync(() => void chunks.push(chunk))
  })
  return Buffer.concat(chunks).toString("utf8")
})

/** Reads `--data`: literal text, `@FILE`, or standard input for `-` and `@-`. */
export const bodyText = Effect.fn("bodyText")(function* (data: string) {
  if (data === "-" || data === "@-") return yield* standardInput
  if (!data.startsWith("@")) return data
  const path = data.slice(1)
  const fs = yield* FileSystem.FileSystem
  const unreadable = () => new CliFailure({ code: "FILE_UNREADABLE", message: `${path} can't be read` })
  const { size } = yield* Effect.mapError(fs.stat(path), unreadable)
  if (size > MOST_BYTES) return yield* tooLarge(path)
  return yield* Effect.mapError(fs.readFileString(path), unreadable)
})

/** The path relative to the working directory, if it is below it. */
export const fromHere = Effect.fnUntraced(function* (path: string) {
  const paths = yield* Path.Path
  const relative = paths.relative(paths.resolve("."), path)
  return relative.startsWith("..") ? path : relative
})

/** Reports the file and the reason of an error. */
export const fileFailure =
  (code: string, path: string) =>
  <A, R>(effect: Effect.Effect<A, PlatformError, R>): Effect.Effect<A, CliFailure, R> =>
    Effect.mapError(
      effect,
      ({ reason }) => new CliFailure({ code, message: `${path}: ${reason.description ?? reason._tag}` })
    )

/** Runs a task that writes a file. Its failure names the file and the reason. */
export const writing = <A>(path: string, task: () => Promise<A>): Effect.Effect<A, CliFailure> =>
  Effect.tryPromise({
    try: task,
    catch: (cause) =>
      new CliFailure({
        code: "FILE_UNWRITABLE",
        message: `${path} can't be written: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })
