import type { FileSystem, Path, Stdio, Terminal } from "effect"
import type { HttpClient } from "effect/http"
import type { ChildProcessSpawner } from "effect/process"

/** What the platform gives the tool. */
export type CliServices =
  | FileSystem.FileSystem
  | Path.Path
  | Terminal.Terminal
  | Stdio.Stdio
  | ChildProcessSpawner.ChildProcessSpawner
  | HttpClient.HttpClient
