import { Console, Effect } from "effect"
import { Argument, Command, Completions } from "effect/cli"

/** The command that prints a completion script of the whole tree, which is complete only once this one is in it. */
export const completions = (root: () => Command.Command.Any) =>
  Command.make(
    "completions",
    { shell: Argument.Literals("shell", ["bash", "zsh", "fish"]) },
    Effect.fn("completions")(function* ({ shell }) {
      const script = Completions.generate("edp", shell, Completions.fromCommand(root()))
      yield* Console.log(script.replaceAll("edp --completions", "edp completions"))
    })
  ).pipe(
    Command.withDescription("Print a script that completes edp's commands and flags in a shell"),
    Command.withExamples([
      { command: "source <(edp completions bash)" },
      { command: "edp completions fish > ~/.config/fish/completions/edp.fish" }
    ])
  )
