import { Cause, Console, Effect, type FileSystem, Layer, type Path, type Stdio, type Terminal } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import type { HttpClient } from "effect/http"
import type { ChildProcessSpawner } from "effect/process"
import { CliFailure } from "./CliFailure.ts"
import { alerts } from "./commands/alerts.ts"
import { audit } from "./commands/audit.ts"
import { collections } from "./commands/collections.ts"
import { completions } from "./commands/completions.ts"
import { customers } from "./commands/customers.ts"
import { deliveries } from "./commands/deliveries.ts"
import { destinations } from "./commands/destinations.ts"
import { devices } from "./commands/devices.ts"
import { doctor } from "./commands/doctor.ts"
import { events } from "./commands/events.ts"
import { keys } from "./commands/keys.ts"
import { listen } from "./commands/listen.ts"
import { metrics } from "./commands/metrics.ts"
import { sites } from "./commands/sites.ts"
import { tags } from "./commands/tags.ts"
import { telemetry } from "./commands/telemetry.ts"
import { workspaces } from "./commands/workspaces.ts"
import { Connection } from "./Connection.ts"
import { describeFailure, failureLines } from "./describeFailure.ts"
import { Output } from "./Output.ts"
import { Provision } from "./Provision.ts"

export const VERSION = "1.0.0"

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
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON document"), Flag.withDefault(false)),
  provision: Flag.Boolean("provision").pipe(
    Flag.withDescription("Make what is missing: keys, by the management key; for an import also sites and devices"),
    Flag.withDefault(false)
  )
}

const root = Command.make("edp").pipe(
  Command.withSharedFlags(sharedFlags),
  Command.withDescription("The operator's tool of the Energy Device Platform")
)

const whole: () => Command.Command.Any = () => cli

export const cli = root.pipe(
  Command.withSubcommands([
    keys,
    workspaces,
    sites,
    customers,
    devices,
    alerts,
    collections,
    tags,
    audit,
    metrics,
    events,
    destinations,
    deliveries,
    listen,
    telemetry,
    doctor(VERSION),
    completions(() => whole())
  ]),
  Command.provide(({ json, provision, ...profile }) =>
    Layer.merge(Connection.layer({ ...profile, provision }), Layer.succeed(Provision, provision)).pipe(
      Layer.provideMerge(Output.layer(json))
    )
  )
)

/** Help is for standard output when it was asked for; what is wrong with a command goes to standard error, in short. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      const help = `See: ${event.commandPath.join(" ")} --help`
      return Effect.forEach(
        [...event.errors.map(({ message }) => `USAGE: ${message.trimEnd()}`), `  ${help}`],
        (line) => Console.error(line),
        { discard: true }
      )
    }
    if (event._tag === "Version" || event.reason === "Requested") return CliOutput.defaultPresenter.present(event)
    return Effect.flatMap(CliOutput.Formatter, (formatter) => Console.error(formatter.formatHelpDoc(event.helpDoc)))
  }
}

const report = Effect.fnUntraced(function* (error: unknown) {
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return 2
  for (const line of failureLines(describeFailure(error))) yield* Console.error(line)
  return error instanceof CliFailure ? (error.exitCode ?? 1) : 1
})

export type CliServices =
  | FileSystem.FileSystem
  | Path.Path
  | Terminal.Terminal
  | Stdio.Stdio
  | ChildProcessSpawner.ChildProcessSpawner
  | HttpClient.HttpClient

/**
 * Runs a command line and answers its exit code: 0 done, 1 the request or the input was refused, 2 the command line is
 * wrong. Interruption stays interruption.
 */
export const runCli = (args: ReadonlyArray<string>): Effect.Effect<number, never, CliServices> =>
  Command.runWith(cli, { version: VERSION })(args).pipe(
    Effect.as(0),
    Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : report(Cause.squash(cause)))),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }))
  )
