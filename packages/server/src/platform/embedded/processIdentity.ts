import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** What tells one run of a process from every other, now and after its id has been given to somebody else. */
export interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since the machine started; null where the system does not tell. */
  readonly startedAt: string | null
  /** Process ids mean something only inside one boot of one machine, and inside one container of it. */
  readonly realm: string
}

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startedAt: statusOf(process.pid)?.startedAt ?? null,
  realm: ownRealm()
})

/** Judges a process of this realm. Without start times an id in use counts as the same process. */
export const isRunning = ({ pid, startedAt }: ProcessIdentity): boolean => {
  const status = statusOf(pid)
  if (status === undefined) return hasProcess(pid)
  return status.running && (startedAt === null || status.startedAt === startedAt)
}

const ownRealm = () =>
  [hostname(), readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()), namespaceOf()]
    .filter((part) => part !== undefined)
    .join(" ")

const namespaceOf = () => readOr(() => readlinkSync("/proc/self/ns/pid"))

const statusOf = (pid: number) => {
  const text = readOr(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  if (text === undefined) return undefined
  // The second field is the program's name in parentheses and may hold anything, spaces and parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, startedAt] = [fields[0], fields[19]]
  // A zombie has ended; only its parent has not asked for the result yet.
  return startedAt === undefined ? undefined : { running: state !== "Z" && state !== "X", startedAt }
}

const hasProcess = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const readOr = (read: () => string): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
