import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { median } from "../statistics.ts"

const QUIET_TICKS = 5
/** Longer than the platform waits before it gives memory back. */
const QUIET_LOOKS = 18
const PATIENCE_LOOKS = 120
const SETTLE_MS = 3000
const LOOKS = 5
const BETWEEN_MS = 500

/** Resident memory of a process now, in MB of 1024 × 1024 bytes. */
export const residentMegabytes = (pid: number) => {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(kilobytes) / 1024
}

/** Hundredths of a second of processor time that the process has had. */
const ticks = (pid: number) => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return Number(fields[11]) + Number(fields[12])
}

/** Seconds of processor time that a process has had. */
export const cpuSeconds = (pid: number) => ticks(pid) / 100

/** Requests may leave work behind, such as rollups. */
const awaitIdle = async (pid: number) => {
  for (let [quiet, looks] = [0, 0]; quiet < QUIET_LOOKS; looks++) {
    if (looks === PATIENCE_LOOKS) throw new Error(`The process did not become idle in ${PATIENCE_LOOKS} s`)
    const before = ticks(pid)
    await setTimeout(1000)
    quiet = ticks(pid) - before <= QUIET_TICKS ? quiet + 1 : 0
  }
}

/** Resident memory of an idle process, in MB of 1024 × 1024 bytes: the median of a few looks after a pause. */
export const idleMemory = async (pid: number): Promise<number> => {
  await awaitIdle(pid)
  await setTimeout(SETTLE_MS)
  const looks: Array<number> = []
  for (let look = 0; look < LOOKS; look++) {
    looks.push(residentMegabytes(pid))
    await setTimeout(BETWEEN_MS)
  }
  return median(looks)
}
