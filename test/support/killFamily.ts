import { existsSync, readdirSync, readFileSync } from "node:fs"

/**
 * Ends a process and its children at once. The children are found by their parent, because a server's may lead sessions
 * of their own, which a signal to the process group misses. Where there is no /proc, the parent alone is killed.
 */
export const killFamily = (parent: number): void => {
  kill(parent, "SIGSTOP")
  for (const child of childrenOf(parent)) kill(child, "SIGKILL")
  kill(parent, "SIGKILL")
}

const childrenOf = (parent: number) =>
  (existsSync("/proc/self/stat") ? readdirSync("/proc") : [])
    .filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === parent)
    .map(Number)

/** The fourth field; the second, the program's name in parentheses, may itself hold spaces and parentheses. */
const parentOf = (pid: string) => {
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
