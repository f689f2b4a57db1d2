import { layerNodeHttp } from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Layer } from "effect"
import { runCli } from "./Cli.ts"

// Whoever reads the output may have seen enough: `edp devices list --all | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

const INTERRUPTED = 130

// Not `fetch`, whose first call takes Node.js a tenth of a second. Neither follows redirects, which would carry the key along.
const platform = Layer.merge(NodeServices.layer, layerNodeHttp)

NodeRuntime.runMain(runCli(process.argv.slice(2)).pipe(Effect.provide(platform)), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? (exit.value as number) : INTERRUPTED)
})
