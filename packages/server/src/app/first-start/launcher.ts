import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { Effect } from "effect"

interface Process {
  readonly parent: number
  readonly command: string
}

const fromProc = (pid: number): Process => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The second field is the program's name in parentheses and may hold anything, spaces and parentheses too.
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") }
}

const fromPs = (pid: number): Process => {
  const line = execFileSync("ps", ["-o", "ppid=,args=", "-p", `${pid}`], { encoding: "utf8", timeout: 2000 }).trim()
  return { parent: Number.parseInt(line, 10), command: line.replace(/^\d+\s+/, "") }
}

const isNpm = (command: string) => /(^|\/)(npm|npx)(-cli\.js)?( |$)/.test(command)
const isBetween = (command: string) => /^(\S*\/)?((ba|da|z)?sh|pnpm) |\/pnpm(\.[cm]?js)? /.test(command)

/** The npm that runs a process, itself or by way of shells and pnpm. */
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

/**
 * Stops this process, as SIGTERM does, when the npm that started it ends. npm passes a signal on to the shell between
 * itself and pnpm, which ends and passes it on to nobody: the server would stay behind with its port and its database.
 */
export const stopWithLauncher = Effect.gen(function* () {
  const npm = yield* Effect.try(() => findNpm(process.pid, process.platform === "linux" ? fromProc : fromPs)).pipe(
    // Where processes can't be looked at, signals reach this one by themselves or not at all.
    Effect.orElseSucceed(() => undefined)
  )
  if (npm === undefined) return
  yield* Effect.sleep("1 second").pipe(Effect.repeat({ while: () => exists(npm) }))
  process.kill(process.pid, "SIGTERM")
})
