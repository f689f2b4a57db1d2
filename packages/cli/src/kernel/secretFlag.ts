import { Config, Effect, Option, Redacted } from "effect"
import { Flag, Prompt } from "effect/cli"
import { canAsk } from "./ask.ts"
import { usage } from "./CliFailure.ts"
import { bodyText } from "./files.ts"

/** The sources of a secret. No flag takes it itself, because every user of the machine sees the command lines of processes. */
export interface SecretSource {
  /** The flag that names its file. */
  readonly flag: string
  readonly variable: string
  readonly noun: string
  /** The question on a terminal. */
  readonly question: string
}

/** A flag for the file of a secret. `Flag.File` would make a path of `-`. */
export const secretFileFlag = ({ flag, noun, variable }: SecretSource) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("file"),
    Flag.withDescription(
      `File whose first line is the ${noun}, or - for standard input; default: ${variable}, else it is asked for`
    ),
    Flag.optional
  )

/** The secret from the file, the environment or the terminal. */
export const readSecret = Effect.fnUntraced(function* (source: SecretSource, file: Option.Option<string>) {
  const { flag, noun, question, variable } = source
  if (Option.isSome(file)) {
    const text = yield* bodyText(file.value === "-" ? "-" : `@${file.value}`)
    return Redacted.make(text.split(/\r?\n/u)[0]!)
  }
  const given = yield* Effect.orDie(Config.option(Config.NonEmptyString(variable)))
  if (Option.isSome(given)) return Redacted.make(given.value)
  if (!(yield* canAsk)) return yield* usage(`A ${noun} is needed: pass --${flag} or set ${variable}.`)
  return yield* Prompt.run(Prompt.Password({ message: question }))
})
