import { Context, type Effect, type FileSystem, type Path, type Stdio, type Terminal } from "effect"
import type { Command } from "effect/cli"
import type { HttpClient } from "effect/http"
import type { ChildProcessSpawner } from "effect/process"

/** That of the package; a test holds the two together. */
export const VERSION = "1.0.0"

/** What the platform gives the tool. */
export type CliServices =
  | FileSystem.FileSystem
  | Path.Path
  | Terminal.Terminal
  | Stdio.Stdio
  | ChildProcessSpawner.ChildProcessSpawner
  | HttpClient.HttpClient

/** The command line with all its commands, for what tells of them all. */
export class WholeCommand extends Context.Service<WholeCommand, Effect.Effect<Command.Command.Any>>()(
  "@edp/cli/WholeCommand"
) {}

/** Whether the operator allowed the tool to make what is missing: keys, and for an import sites and devices. */
export class Provision extends Context.Reference<boolean>("@edp/cli/Provision", { defaultValue: () => false }) {}
