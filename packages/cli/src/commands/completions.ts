import { Effect } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { Output } from "../kernel/Output.ts"
import { WholeCommand } from "../kernel/environment.ts"

export const completions = Command.make(
  "completions",
  { shell: Argument.Literals("shell", ["bash", "zsh", "fish"]) },
  Effect.fn("completions")(function* ({ shell }) {
    const whole = yield* yield* WholeCommand
    const script = Completions.generate("edp", shell, Completions.fromCommand(whole)).replaceAll(
      "edp --completions",
      "edp completions"
    )
    yield* (yield* Output).show({ shell, script }, () => script)
  })
).pipe(
  Command.withDescription("Print a shell completion script"),
  Command.withExamples([
    { command: "source <(edp completions bash)" },
    { command: "edp completions fish > ~/.config/fish/completions/edp.fish" }
  ])
)
