import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { compileCache } from "../support/surroundings.ts"

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url))

export interface Running {
  readonly ended: Promise<Ran>
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => boolean
}

/** Starts the operator's tool as a process of its own, with no settings but these. */
export const startEdp = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Running => {
  const { PATH = "" } = process.env
  const child = spawn(process.execPath, ["--conditions=@edp/source", main, ...args], {
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
