import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "./CliFailure.ts"
import { commandsFor, commandTable } from "./commands/commandTable.ts"
import { Output, outputFormats } from "./Output.ts"
import { Provision } from "./Provision.ts"
import { WholeCommand } from "./WholeCommand.ts"

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
    Flag.withDescription("table for people, csv with all columns, or one json document; default: table"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("The same as --output json"), Flag.withDefault(false)),
  wide: Flag.Boolean("wide").pipe(Flag.withDescription("Tables with all columns"), Flag.withDefault(false)),
  provision: Flag.Boolean("provision").pipe(
    Flag.withDescription("Make what is missing: keys, by the management key; for an import also sites and devices"),
    Flag.withDefault(false)
  )
}

const root = Command.make("edp").pipe(
  Command.withSharedFlags(sharedFlags),
  Command.withDescription("The operator's tool of the Energy Device Platform")
)

/** The command line with the commands that are among its words; the others are known by name and description. */
export const commandFor = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const commands = yield* Effect.promise(() => commandsFor(words))
  return root.pipe(
    Command.withSubcommands(commands),
    Command.provide(({ json, output, provision, wide, ...profile }) => {
      const format = json ? "json" : Option.getOrElse(output, () => "table" as const)
      const contradicts = json && Option.isSome(output) && output.value !== "json"
      // The contract behind it is large, and the help does without.
      const connection = Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./Connection.ts")),
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
