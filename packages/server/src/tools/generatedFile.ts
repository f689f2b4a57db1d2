import { readFile, writeFile } from "node:fs/promises"
import { Console, Effect } from "effect"

/** A committed file that a program generates. */
export interface GeneratedFile {
  /** From the top of the repository. */
  readonly path: string
  /** The source of the text, for the message of a check that fails. */
  readonly source: string
  /** The command that writes it. */
  readonly command: string
}

/** The first line in which two texts differ. */
const firstDifference = (found: string, expected: string) => {
  const [before, after] = [found.split("\n"), expected.split("\n")]
  const index = after.findIndex((line, at) => line !== before[at])
  const at = index === -1 ? after.length : index
  return [`line ${at + 1}:`, `- ${before[at] ?? "(the file ends)"}`, `+ ${after[at] ?? "(the file ends)"}`].join("\n")
}

/** Writes the file with `--write`; with `--check` it fails and shows the first difference if the committed file is another one. */
export const writeOrCheck = Effect.fnUntraced(function* (
  { command, path, source }: GeneratedFile,
  generate: Effect.Effect<string>
) {
  const file = new URL(`../../../../${path}`, import.meta.url)
  const mode = process.argv[2]
  if (mode !== "--write" && mode !== "--check") {
    process.exitCode = 1
    return yield* Console.error("The argument is missing: --write or --check")
  }
  const text = yield* generate
  if (mode === "--write") {
    yield* Effect.promise(() => writeFile(file, text))
    return yield* Console.log(`Wrote ${path}`)
  }
  const found = yield* Effect.tryPromise(() => readFile(file, "utf8")).pipe(Effect.orElseSucceed(() => ""))
  if (found === text) return
  process.exitCode = 1
  yield* Console.error(`${path} differs from ${source}: run \`${command}\` and commit it.`)
  yield* Console.error(firstDifference(found, text))
})
