import { Effect, type FileSystem, type Path, type Terminal } from "effect"
import { Prompt, TerminalCapabilities } from "effect/cli"
import { CliFailure, usage } from "./CliFailure.ts"
import { Output } from "./Output.ts"

/** Whether a prompt is possible. It would corrupt JSON output. */
export const canAsk = Effect.gen(function* () {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  return canPrompt && !(yield* Output).json
})

export const ask = (
  message: string
): Effect.Effect<boolean, Terminal.QuitError, FileSystem.FileSystem | Path.Path | Terminal.Terminal> =>
  Prompt.run(Prompt.Confirm({ message }))

/** Asks before an irreversible action. `unasked` decides where no prompt is possible. */
export const confirm = Effect.fnUntraced(function* (options: {
  readonly yes: boolean
  readonly message: string
  readonly unasked: "proceed" | "refuse"
}) {
  if (options.yes) return
  if (yield* canAsk) {
    if (yield* ask(options.message)) return
    return yield* new CliFailure({ code: "CANCELLED", message: "Nothing was changed" })
  }
  if (options.unasked === "refuse") return yield* usage(`${options.message} No prompt is possible here: pass --yes.`)
})
