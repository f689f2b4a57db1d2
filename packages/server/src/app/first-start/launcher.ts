import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

interface Process {
  readonly parent: number
  readonly command: string
}

const fromProc = (pid: number): Process => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The second field is the program's name in parentheses, which may contain spaces and parentheses.
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") }
}

const fromPs = (pid: number): Process => {
  const line = execFileSync("ps", ["-o", "ppid=,args=", "-p", `${pid}`], { encoding: "utf8", timeout: 2000 }).trim()
  return { parent: Number.parseInt(line, 10), command: line.replace(/^\d+\s+/, "") }
}

const isNpm = (command: string) => /(^|\/)(npm|npx)(-cli\.js)?( |$)/.test(command)
const isBetween = (command: string) => /^(\S*\/)?((ba|da|z)?sh|pnpm) |\/pnpm(\.[cm]?js)? /.test(command)

/** The npm that started a process, directly or through shells and pnpm. */
const findNpm = (pid: number, look: (pid: number) => Process): number | undefined => {
  const { parent } = look(pid)
  const { command } = look(parent)
  if (isNpm(command)) return parent
  return isBetween(command) ? findNpm(parent, look) : undefined
}

const exists = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** The npm that has started this process; undefined, too, without access to other processes. */
const findOwnNpm = () => {
  try {
    return findNpm(process.pid, process.platform === "linux" ? fromProc : fromPs)
  } catch {
    return undefined
  }
}

/**
 * Sends SIGTERM to this process when the npm that started it ends. npm forwards a signal only to the shell between itself and pnpm,
 * and that shell does not forward it: the server would keep running with its port and its database.
 */
export const stopWithLauncher = () => {
  const npm = findOwnNpm()
  if (npm === undefined) return
  const watch = setInterval(() => {
    if (exists(npm)) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 1000).unref()
}
