import { existsSync, readdirSync, readFileSync } from "node:fs"

const available = existsSync("/proc/stat")

/** Ticks in which any processor was busy, and in which there were any at all. */
const machine = () => {
  const [user, nice, system, idle, wait, irq, softIrq, steal] = readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number) as [number, number, number, number, number, number, number, number]
  const busy = user + nice + system + irq + softIrq + steal
  return { busy, all: busy + idle + wait }
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
}

const readProcess = (pid: number): Process | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined
  }
}

/** Ticks of this process and all below it, the database among them. */
const family = () => {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
    .sort((one, other) => one.pid - other.pid)
  const members = new Set([process.pid])
  let ticks = 0
  for (const { pid, parent, ticks: own } of processes) {
    if (!members.has(pid) && !members.has(parent)) continue
    members.add(pid)
    ticks += own
  }
  return ticks
}

/**
 * Watches how much of the machine other programs take: returns their share since the call, from 0 to 1. Where the
 * system does not tell, it is 0.
 */
export const watchForeignLoad = (): (() => number) => {
  if (!available) return () => 0
  const [before, familyBefore] = [machine(), family()]
  return () => {
    const [after, familyAfter] = [machine(), family()]
    const foreign = after.busy - before.busy - (familyAfter - familyBefore)
    return Math.max(0, foreign / Math.max(1, after.all - before.all))
  }
}
