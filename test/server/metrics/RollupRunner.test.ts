import { rollAndRest } from "@edp/server/metrics/RollupRunner"
import { RequestsInFlight } from "@edp/server/platform/observability/RequestsInFlight"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** The number of passes of 100 ms in 1,990 ms while there is always more to roll up and `count` requests wait. */
const passesWith = (count: number, isStopping = () => false) =>
  Effect.gen(function* () {
    let passes = 0
    const pass = Effect.sync(() => ++passes).pipe(Effect.delay("100 millis"))
    const work = Effect.forever(rollAndRest(pass, isStopping)).pipe(Effect.provideService(RequestsInFlight, { count }))
    yield* Effect.forkScoped(work)
    yield* TestClock.adjust("1990 millis")
    return passes
  })

describe("rolling up", () => {
  it.effect("does not pause while few requests wait", () =>
    Effect.gen(function* () {
      expect(yield* passesWith(7)).toBe(19)
    })
  )

  it.effect("leaves three quarters of the time to requests while many wait", () =>
    Effect.gen(function* () {
      expect(yield* passesWith(8)).toBe(5)
    })
  )

  it.effect("does not rest once the process stops", () =>
    Effect.gen(function* () {
      expect(yield* passesWith(8, () => true)).toBe(19)
    })
  )
})
