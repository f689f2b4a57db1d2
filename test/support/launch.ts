import { spawn, type SpawnOptions } from "node:child_process"

export interface Exit {
  /** null when a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A child process whose output is kept and whose end can be awaited. */
export interface Launched {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly running: () => boolean
  readonly exited: Promise<Exit>
  readonly kill: (signal: NodeJS.Signals) => void
  /** Resolves when the output of either stream matches; fails with the whole output when the process ends before. */
  readonly printed: (pattern: RegExp) => Promise<void>
}

export const launch = (command: string, args: ReadonlyArray<string>, options: SpawnOptions = {}): Promise<Launched> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    const listeners = new Set<() => void>()
    for (const name of ["stdout", "stderr"] as const) {
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        output[name] += text
        for (const listener of listeners) listener()
      })
    }
    let running = true
    const exited = new Promise<Exit>((ended) => {
      // "close" comes after the last output, "exit" may come before it.
      child.once("close", (code, signal) => {
        running = false
        ended({ code, signal })
      })
    })
    const printed = (pattern: RegExp) =>
      new Promise<void>((found, failed) => {
        const look = () => {
          if (!pattern.test(output.stdout) && !pattern.test(output.stderr)) return false
          listeners.delete(look)
          found()
          return true
        }
        if (look()) return
        listeners.add(look)
        void exited.then(({ code, signal }) =>
          failed(
            new Error(`${command} ended (${signal ?? code}) before it was ready:\n${output.stdout}${output.stderr}`)
          )
        )
      })
    child.once("error", reject)
    child.once("spawn", () =>
      resolve({
        pid: child.pid!,
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        running: () => running,
        exited,
        kill: (signal) => void child.kill(signal),
        printed
      })
    )
  })
