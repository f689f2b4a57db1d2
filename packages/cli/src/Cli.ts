import { Cause, Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { CliFailure } from "./CliFailure.ts"
import type { CliServices } from "./CliServices.ts"
import { describeFailure, failureLines, type FailureText } from "./describeFailure.ts"
import { commandFor } from "./rootCommand.ts"
import { VERSION } from "./version.ts"

/** Whether errors are to be JSON, however wrong the rest of the command line is. */
const wantsJson = (args: ReadonlyArray<string>) => {
  const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  return flags.some(
    (flag, at) => flag === "--json" || flag === "--output=json" || (flag === "--output" && flags[at + 1] === "json")
  )
}

/** A failure on standard error: lines for people, or one line of JSON. */
const tell = (json: boolean, failure: FailureText) =>
  json
    ? Console.error(JSON.stringify(failure))
    : Effect.forEach(failureLines(failure), (line) => Console.error(line), { discard: true })

/** Help is for standard output when it was asked for; what is wrong with a command goes to standard error, in short. */
const presenter = (json: boolean): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      const help = `See: ${event.commandPath.join(" ")} --help`
      const problems = event.errors.map(({ message }) => message.trimEnd())
      if (json) return tell(json, { code: "USAGE", message: problems.join("; "), details: [help] })
      return Effect.forEach(
        [...problems.map((problem) => `USAGE: ${problem}`), `  ${help}`],
        (line) => Console.error(line),
        { discard: true }
      )
    }
    if (event._tag === "Version" || event.reason === "Requested") return CliOutput.defaultPresenter.present(event)
    if (json) return tell(json, { code: "USAGE", message: "A command is missing", details: [] })
    return Effect.flatMap(CliOutput.Formatter, (formatter) => Console.error(formatter.formatHelpDoc(event.helpDoc)))
  }
})

const report = Effect.fnUntraced(function* (json: boolean, error: unknown) {
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return 2
  yield* tell(json, describeFailure(error))
  return error instanceof CliFailure ? (error.exitCode ?? 1) : 1
})

/**
 * Runs a command line and answers its exit code: 0 done, 1 the request or the input was refused, 2 the command line is
 * wrong. Interruption stays interruption.
 */
export const runCli = (args: ReadonlyArray<string>): Effect.Effect<number, never, CliServices> => {
  const json = wantsJson(args)
  return commandFor(args).pipe(
    Effect.flatMap((command) => Command.runWith(command, { version: VERSION })(args)),
    Effect.as(0),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : report(json, Cause.squash(cause))
    ),
    Effect.provideService(CliOutput.Presenter, presenter(json)),
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }))
  )
}
