import { describe, expect, it } from "@effect/vitest"
import { collectWhenIdle, type Process, thisProcess } from "@edp/server/platform/observability/idleMemory"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const MEGABYTE = 1024 * 1024

/** A process whose heap falls to 40 MB after a collection. */
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
  it.effect("is returned 15 seconds after the load ended, once", () =>
    Effect.gen(function* () {
      const { process, seen } = makeProcess()
      yield* Effect.forkChild(collectWhenIdle(process))
      yield* TestClock.adjust("14 seconds")
      expect(seen.collected).toBe(0)
      yield* second
      expect(seen.collected).toBe(1)
      yield* TestClock.adjust("1 hour")
      expect(seen.collected).toBe(1)
    })
  )

  it.effect("is not collected under load", () =>
    Effect.gen(function* () {
      const { process, seen } = makeProcess()
      yield* Effect.forkChild(collectWhenIdle(process))
      for (let passed = 0; passed < 60; passed++) {
        seen.busyMs += 150
        yield* second
      }
      expect(seen.collected).toBe(0)
    })
  )

  it.effect("is returned again after the heap has grown by 16 MB", () =>
    Effect.gen(function* () {
      const { process, seen } = makeProcess()
      yield* Effect.forkChild(collectWhenIdle(process))
      yield* TestClock.adjust("1 minute")
      seen.heap += 10 * MEGABYTE
      yield* TestClock.adjust("1 minute")
      expect(seen.collected).toBe(1)
      seen.heap += 10 * MEGABYTE
      yield* TestClock.adjust("1 minute")
      expect(seen.collected).toBe(2)
    })
  )

  it("decreases when unreachable objects leave the heap", () => {
    const { collect, heapBytes } = thisProcess()
    let garbage: ReadonlyArray<unknown> | undefined = Array.from({ length: 2_000_000 }, (_, at) => ({ at }))
    const full = heapBytes()
    expect(garbage.length).toBe(2_000_000)
    garbage = undefined
    collect()
    expect(heapBytes()).toBeLessThan(full - 50 * MEGABYTE)
  })

  it("decreases by the size of buffers outside the heap", () => {
    const { collect, heapBytes } = thisProcess()
    let garbage: ReadonlyArray<Buffer> | undefined = Array.from({ length: 100 }, () => Buffer.alloc(MEGABYTE, 1))
    const full = heapBytes()
    expect(garbage.length).toBe(100)
    garbage = undefined
    collect()
    expect(heapBytes()).toBeLessThan(full - 90 * MEGABYTE)
  })
})
