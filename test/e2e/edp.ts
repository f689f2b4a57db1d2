import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { buildOnce } from "../support/buildOnce.ts"
import { compileCache } from "../support/surroundings.ts"

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program of the operator's tool, to be run by Node. It is built as it is published, and starts five times as fast as from its sources. */
export const edpProgram = await buildOnce({
  target: join(inject("workersFolder"), "cli"),
  source: fileURLToPath(new URL("../../packages/cli/", import.meta.url)),
  config: "rolldown.config.ts",
  program: join("bin", "edp.js")
})

export interface Running {
  readonly ended: Promise<Ran>
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => boolean
}

/** Starts the operator's tool as a separate process, with these settings only. */
export const startEdp = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Running => {
  const { PATH = "" } = process.env
  const child = spawn(process.execPath, [edpProgram, ...args], {
    env: { PATH, ...compileCache, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, ...output }))
  })
  return { ended, stdout: () => output.stdout, stderr: () => output.stderr, signal: (signal) => child.kill(signal) }
}

export const edp = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => startEdp(args, env).ended
