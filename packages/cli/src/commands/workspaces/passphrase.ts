import { Config, Effect, FileSystem, Option, Redacted } from "effect"
import { Flag, Prompt } from "effect/cli"
import { canAsk } from "../../kernel/ask.ts"
import { CliFailure, usage } from "../../kernel/CliFailure.ts"

export const passphraseFile = Flag.File("passphrase-file").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("File whose first line is the passphrase; default: EDP_PASSPHRASE, else it is asked for"),
  Flag.optional
)

/** The passphrase of an archive, from the file, the environment or the terminal. */
export const readPassphrase = Effect.fnUntraced(function* (file: Option.Option<string>) {
  if (Option.isSome(file)) {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      fs.readFileString(file.value),
      () => new CliFailure({ code: "FILE_UNREADABLE", message: `${file.value} can't be read` })
    )
    return text.split(/\r?\n/u)[0]!
  }
  const given = yield* Effect.orDie(Config.option(Config.NonEmptyString("EDP_PASSPHRASE")))
  if (Option.isSome(given)) return given.value
  if (!(yield* canAsk)) return yield* usage("A passphrase is needed: pass --passphrase-file or set EDP_PASSPHRASE.")
  return Redacted.value(yield* Prompt.run(Prompt.Password({ message: "Passphrase of the archive" })))
})
