import { type SpawnOptions, spawn } from "node:child_process"
import { existsSync, readFileSync, readdirSync } from "node:fs"

export interface Exit {
  /** null when a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A child process with its output so far and its end. */
export interface Launched {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly running: () => boolean
  readonly exited: Promise<Exit>
  readonly kill: (signal: NodeJS.Signals) => void
  /** Resolves when the output of either stream matches; fails with the whole output when the process ends before. */
  readonly printed: (pattern: RegExp) => Promise<void>
  /** Calls back with each part of the standard output from now on. */
  readonly onOutput: (listen: (text: string) => void) => void
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
        printed,
        onOutput: (listen) => void child.stdout!.on("data", listen)
      })
    )
  })

/** Runs a program to its end and returns its output; fails with all output if the exit code is not 0. */
export const runProgram = async (
  command: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions = {}
): Promise<string> => {
  const program = await launch(command, args, options)
  const { code, signal } = await program.exited
  if (code === 0) return program.stdout()
  throw new Error(`${command} ${args.join(" ")} ended with ${signal ?? code}:\n${program.stdout()}${program.stderr()}`)
}

/**
 * Kills a process and its children at once. The children are found by their parent, because they may lead sessions
 * of their own, which a signal to the process group misses. Without /proc, only the parent is killed.
 */
export const killFamily = (parent: number): void => {
  kill(parent, "SIGSTOP")
  for (const child of findChildren(parent)) kill(child, "SIGKILL")
  kill(parent, "SIGKILL")
}

/** The ids of a process and its children. */
export const listFamily = (parent: number): ReadonlyArray<number> => [parent, ...findChildren(parent)]

const findChildren = (parent: number) =>
  (existsSync("/proc/self/stat") ? readdirSync("/proc") : [])
    .filter((entry) => /^\d+$/.test(entry) && findParent(entry) === parent)
    .map(Number)

/** The fourth field; the second, the program's name in parentheses, may itself hold spaces and parentheses. */
const findParent = (pid: string) => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1])
  } catch {
    return undefined
  }
}

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
