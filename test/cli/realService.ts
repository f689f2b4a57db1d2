import * as NodeServices from "@effect/platform-node/NodeServices"
import { runCli } from "@edp/cli/Cli"
import { layerHttp } from "@edp/domain/Client"
import { ConfigProvider, Effect, Layer } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { TestConsole } from "effect/testing"
import type { TestApp, TestWorkspace } from "../support/TestApp.ts"

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The JSON document on standard output. */
  readonly json: () => any
}

/** Runs command lines in this process against a test's server, with the SERVER and the MANUFACTURER key of a workspace or other settings. */
export const makeCli =
  (app: TestApp, { keys }: Pick<TestWorkspace, "keys">, settings?: Readonly<Record<string, string>>) =>
  (...args: ReadonlyArray<string>): Promise<CliResult> => {
    const env = settings ?? {
      EDP_DATA_DIR: "/nonexistent",
      EDP_URL: app.url,
      EDP_KEY_SERVER: keys.SERVER,
      EDP_KEY_MANUFACTURER: keys.MANUFACTURER
    }
    return Effect.gen(function* () {
      const code = yield* runCli(args)
      const stdout = (yield* TestConsole.logLines).join("\n")
      const stderr = (yield* TestConsole.errorLines).join("\n")
      return { code, stdout, stderr, json: () => JSON.parse(stdout) }
    }).pipe(
      Effect.provide(Layer.mergeAll(NodeServices.layer, layerHttp, TestConsole.layer)),
      Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
        canColor: false,
        canAnimate: false,
        canPrompt: false
      }),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
      Effect.runPromise
    )
  }
