import { describe, expect, it } from "@effect/vitest"
import { type Process, thisProcess, tidyWhenIdle } from "@edp/server/platform/observability/idleMemory"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const MEGABYTE = 1024 * 1024

/** A process whose heap falls to 40 MB when everything is collected. */
const makeProcess = () => {
  const seen = { busyMs: 0, heap: 150 * MEGABYTE, collected: 0 }
  const process: Process = {
    busyMs: () => seen.busyMs,
    heapBytes: () => seen.heap,
    collect: () => {
      seen.heap = 40 * MEGABYTE
      seen.collected += 1
    }
  }
  return { seen, process }
}

const second = TestClock.adjust("1 second")

describe("memory of an idle process", () => {
  it.effect("is given back 15 seconds after the work ended, once", () =>
    Effect.gen(function* () {
      const { process, seen } = makeProcess()
      yield* Effect.forkChild(tidyWhenIdle(process))
      yield* TestClock.adjust("14 seconds")
      expect(seen.collected).toBe(0)
      yield* second
      expect(seen.collected).toBe(1)
      yield* TestClock.adjust("1 hour")
      expect(seen.collected).toBe(1)
    })
  )

  it.effect("is left alone while there is work", () =>
    Effect.gen(function* () {
      const { process, seen } = makeProcess()
      yield* Effect.forkChild(tidyWhenIdle(process))
      for (let passed = 0; passed < 60; passed++) {
        seen.busyMs += 150
        yield* second
      }
      expect(seen.collected).toBe(0)
    })
  )

  it.effect("is given back again when it has grown, and not for a little", () =>
    Effect.gen(function* () {
      const { process, seen } = makeProcess()
      yield* Effect.forkChild(tidyWhenIdle(process))
      yield* TestClock.adjust("1 minute")
      seen.heap += 10 * MEGABYTE
      yield* TestClock.adjust("1 minute")
      expect(seen.collected).toBe(1)
      seen.heap += 10 * MEGABYTE
      yield* TestClock.adjust("1 minute")
      expect(seen.collected).toBe(2)
    })
  )

  it("really falls: what nobody holds any more leaves the heap", () => {
    const { collect, heapBytes } = thisProcess()
    let garbage: ReadonlyArray<unknown> | undefined = Array.from({ length: 2_000_000 }, (_, at) => ({ at }))
    const full = heapBytes()
    expect(garbage.length).toBe(2_000_000)
    garbage = undefined
    collect()
    expect(heapBytes()).toBeLessThan(full - 50 * MEGABYTE)
  })

  it("falls by what buffers held outside of the heap, too", () => {
    const { collect, heapBytes } = thisProcess()
    let garbage: ReadonlyArray<Buffer> | undefined = Array.from({ length: 100 }, () => Buffer.alloc(MEGABYTE, 1))
    const full = heapBytes()
    expect(garbage.length).toBe(100)
    garbage = undefined
    collect()
    expect(heapBytes()).toBeLessThan(full - 90 * MEGABYTE)
  })
})
