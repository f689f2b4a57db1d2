import { Context, type Effect, type FileSystem, type Path, type Stdio, type Terminal } from "effect"
import type { Command } from "effect/cli"
import type { HttpClient } from "effect/http"
import type { ChildProcessSpawner } from "effect/process"

/** Equal to the version in package.json; a test compares them. */
export const VERSION = "2.0.0"

/** The services that the runtime provides. */
export type CliServices =
  | FileSystem.FileSystem
  | Path.Path
  | Terminal.Terminal
  | Stdio.Stdio
  | ChildProcessSpawner.ChildProcessSpawner
  | HttpClient.HttpClient

/** The root command with all commands loaded, for completions. */
export class WholeCommand extends Context.Service<WholeCommand, Effect.Effect<Command.Command.Any>>()(
  "@edp/cli/WholeCommand"
) {}

/** Whether `--provision` was given: missing keys are created, and an import creates missing sites and devices. */
export class Provision extends Context.Reference<boolean>("@edp/cli/Provision", { defaultValue: () => false }) {}
