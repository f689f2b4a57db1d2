import { Effect, type FileSystem, type Path, type Terminal } from "effect"
import { Prompt, TerminalCapabilities } from "effect/cli"
import { CliFailure, usage } from "./CliFailure.ts"
import { Output } from "./Output.ts"

/** Whether a person sits at the terminal who can be asked. A question would spoil a JSON document. */
export const canAsk = Effect.gen(function* () {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  return canPrompt && !(yield* Output).json
})

export const ask = (
  message: string
): Effect.Effect<boolean, Terminal.QuitError, FileSystem.FileSystem | Path.Path | Terminal.Terminal> =>
  Prompt.run(Prompt.Confirm({ message }))

/** Asks before what can't be undone. Where nobody can be asked, `unasked` tells whether the command alone is enough. */
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
  if (options.unasked === "refuse") return yield* usage(`${options.message} Nobody can be asked here: pass --yes.`)
})
