import "./kernel/temporal.ts"
import { layerNodeHttp } from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Layer } from "effect"
import { runCli } from "./Cli.ts"

// A reader may close the pipe early: `edp devices list --all | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

const INTERRUPTED = 130

// Not `fetch`, whose first call takes 0.1 s. Like `fetch` here, it follows no redirects, which would leak the key.
const platform = Layer.merge(NodeServices.layer, layerNodeHttp)

/** Runs a command line, and ends the process with its exit code. */
export const main = (args: ReadonlyArray<string>) =>
  NodeRuntime.runMain(runCli(args).pipe(Effect.provide(platform)), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? (exit.value as number) : INTERRUPTED)
  })
