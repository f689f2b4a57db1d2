import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { median } from "../statistics.ts"

const SETTLE_MS = 3000
const LOOKS = 5
const BETWEEN_MS = 500

const residentMegabytes = (pid: number) => {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(kilobytes) / 1024
}

/** Resident memory of an idle process, in MB of 1024 × 1024 bytes: the median of a few looks after a pause. */
export const idleMemory = async (pid: number): Promise<number> => {
  await setTimeout(SETTLE_MS)
  const looks: Array<number> = []
  for (let look = 0; look < LOOKS; look++) {
    looks.push(residentMegabytes(pid))
    await setTimeout(BETWEEN_MS)
  }
  return median(looks)
}
