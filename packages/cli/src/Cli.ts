import { Cause, Console, Effect, Layer, Option } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import { commandTable, commandsFor } from "./commands/commandTable.ts"
import { CliFailure, type FailureText, describeFailure, failureLines, usage } from "./kernel/CliFailure.ts"
import { Output, outputFormats } from "./kernel/Output.ts"
import { type CliServices, Provision, VERSION, WholeCommand } from "./kernel/environment.ts"

const sharedFlags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Address of the service; default: EDP_URL, else the credentials file's"),
    Flag.optional
  ),
  profile: Flag.File("profile").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("Credentials file; default: credentials.json of the data folder"),
    Flag.optional
  ),
  dataDir: Flag.Directory("data-dir").pipe(
    Flag.withMetavar("folder"),
    Flag.withDescription("The service's data folder; default: EDP_DATA_DIR, else .edp here or in a folder above"),
    Flag.optional
  ),
  output: Flag.Literals("output", outputFormats).pipe(
    Flag.withDescription("table, csv with all columns, or json; default: table"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Same as --output json"), Flag.withDefault(false)),
  wide: Flag.Boolean("wide").pipe(Flag.withDescription("Show all columns in tables"), Flag.withDefault(false)),
  provision: Flag.Boolean("provision").pipe(
    Flag.withDescription("Create missing keys with the management key; for an import also sites and devices"),
    Flag.withDefault(false)
  )
}

const root = Command.make("edp").pipe(
  Command.withSharedFlags(sharedFlags),
  Command.withDescription("Command-line tool for operators of the Energy Device Platform")
)

/** The root command. Only commands that the command line names are loaded; the others have a name and a description. */
const commandFor = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const commands = yield* Effect.promise(() => commandsFor(words))
  return root.pipe(
    Command.withSubcommands(commands),
    Command.provide(({ json, output, provision, wide, ...profile }) => {
      const format = json ? "json" : Option.getOrElse(output, () => "table" as const)
      const contradicts = json && Option.isSome(output) && output.value !== "json"
      // Loaded on demand: it imports the contract, which is large, and help does not need it.
      const connection = Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./kernel/Connection.ts")),
          ({ Connection }) => Connection.layer({ ...profile, provision })
        )
      )
      const whole = Layer.succeed(WholeCommand, wholeCommand)
      return Layer.mergeAll(connection, whole, Layer.succeed(Provision, provision)).pipe(
        Layer.provideMerge(
          contradicts
            ? Layer.effect(Output, Effect.fail(usage(`--json and --output ${output.value} can't be given together`)))
            : Output.layer({ format, wide })
        )
      )
    })
  )
})

const wholeCommand: Effect.Effect<Command.Command.Any> = Effect.suspend(() =>
  commandFor(commandTable.map(({ name }) => name))
)

/** Whether errors are printed as JSON. Reads the raw arguments, which may not parse. */
const wantsJson = (args: ReadonlyArray<string>) => {
  const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  return flags.some(
    (flag, at) => flag === "--json" || flag === "--output=json" || (flag === "--output" && flags[at + 1] === "json")
  )
}

/** Prints a failure on standard error: text, or one line of JSON. */
const printFailure = (json: boolean, failure: FailureText) =>
  json
    ? Console.error(JSON.stringify(failure))
    : Effect.forEach(failureLines(failure), (line) => Console.error(line), { discard: true })

/** Requested help goes to standard output, a short usage error to standard error. */
const presenter = (json: boolean): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      const help = `See: ${event.commandPath.join(" ")} --help`
      const problems = event.errors.map(({ message }) => message.trimEnd())
      if (json) return printFailure(json, { code: "USAGE", message: problems.join("; "), details: [help] })
      return Effect.forEach(
        [...problems.map((problem) => `USAGE: ${problem}`), `  ${help}`],
        (line) => Console.error(line),
        { discard: true }
      )
    }
    if (event._tag === "Version" || event.reason === "Requested") return CliOutput.defaultPresenter.present(event)
    if (json) return printFailure(json, { code: "USAGE", message: "A command is missing", details: [] })
    return Effect.flatMap(CliOutput.Formatter, (formatter) => Console.error(formatter.formatHelpDoc(event.helpDoc)))
  }
})

const report = Effect.fnUntraced(function* (json: boolean, error: unknown) {
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return 2
  yield* printFailure(json, describeFailure(error))
  return error instanceof CliFailure ? (error.exitCode ?? 1) : 1
})

/**
 * Runs a command line and returns its exit code: 0 success, 1 the request or the input was refused, 2 the command line is
 * wrong. Interruption stays an interruption.
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
