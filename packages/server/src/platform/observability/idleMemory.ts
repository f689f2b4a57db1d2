import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"

const LOOK_MS = 1000
/** Of one processor: what is left to do when nobody asks for anything. */
const LITTLE = 0.1
const QUIET_LOOKS = 15
const WORTHWHILE = 16 * 1024 * 1024

/** What is looked at, and what is done about it. */
export interface Process {
  /** Milliseconds of processor time so far. */
  readonly busyMs: () => number
  /** Bytes that the heap holds of the system, used or not, and those outside of it that its buffers hold. */
  readonly heapBytes: () => number
  readonly collect: () => void
}

/**
 * A burst of work leaves a large heap, and an engine that is not asked for anything does not clean up. Once the process
 * has been quiet for 15 seconds and the heap has grown, everything is collected, which takes about a tenth of a second. The
 * engine forgets with it much of what it has learnt about the program: who asks every few seconds must not pay for that.
 */
export const tidyWhenIdle = ({ busyMs, heapBytes, collect }: Process): Effect.Effect<never> => {
  let busyUntil = busyMs()
  let quietLooks = 0
  let left = 0
  const look = Effect.sync(() => {
    const busy = busyMs()
    quietLooks = busy - busyUntil < LITTLE * LOOK_MS ? quietLooks + 1 : 0
    busyUntil = busy
    if (quietLooks < QUIET_LOOKS || heapBytes() - left < WORTHWHILE) return
    collect()
    left = heapBytes()
    quietLooks = 0
    busyUntil = busyMs()
  })
  return Effect.forever(Effect.andThen(Effect.sleep(LOOK_MS), look))
}

const makeCollect = () => {
  setFlagsFromString("--expose-gc")
  const collect: NodeJS.GCFunction = runInNewContext("gc")
  return () => void collect({ type: "major", execution: "sync", flavor: "last-resort" })
}

/** This process. */
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
