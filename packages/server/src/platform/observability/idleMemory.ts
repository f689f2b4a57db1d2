import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"

const CHECK_MS = 1000
/** The share of a processor below which the process counts as idle. */
const IDLE_LOAD = 0.1
const IDLE_CHECKS = 15
/** Bytes by which the heap must have grown since the last collection. */
const MIN_GROWTH = 16 * 1024 * 1024

export interface Process {
  /** Milliseconds of processor time so far. */
  readonly busyMs: () => number
  /** Bytes of the heap, used or not, and of buffers outside it. */
  readonly heapBytes: () => number
  readonly collect: () => void
}

/**
 * Collects garbage when the process has been idle for 15 seconds: V8 collects only when it allocates, so an idle process would keep
 * the heap of its last load. The collection takes about a tenth of a second and discards optimized code, so it must not run between requests.
 * docs/performance.md has the measurement.
 */
export const collectWhenIdle = ({ busyMs, heapBytes, collect }: Process): Effect.Effect<never> => {
  let lastBusy = busyMs()
  let idleChecks = 0
  let afterCollection = 0
  const check = Effect.sync(() => {
    const busy = busyMs()
    idleChecks = busy - lastBusy < IDLE_LOAD * CHECK_MS ? idleChecks + 1 : 0
    lastBusy = busy
    if (idleChecks < IDLE_CHECKS || heapBytes() - afterCollection < MIN_GROWTH) return
    collect()
    afterCollection = heapBytes()
    idleChecks = 0
    lastBusy = busyMs()
  })
  return Effect.forever(Effect.andThen(Effect.sleep(CHECK_MS), check))
}

const makeCollect = () => {
  setFlagsFromString("--expose-gc")
  const collect: NodeJS.GCFunction = runInNewContext("gc")
  return () => void collect({ type: "major", execution: "sync", flavor: "last-resort" })
}

export const thisProcess = (): Process => ({
  busyMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  heapBytes: () => {
    const { total_heap_size: heap, external_memory: outside } = getHeapStatistics()
    return heap + outside
  },
  collect: makeCollect()
})
