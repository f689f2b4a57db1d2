import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { RollupWorker } from "@edp/server/metrics/RollupWorker"
import { RequestsInFlight } from "@edp/server/platform/observability/RequestsInFlight"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** How many passes of 100 ms a worker that always finds something to do makes in 1,990 ms, with so many requests waiting. */
const passesWith = (count: number) =>
  Effect.gen(function* () {
    let passes = 0
    const rollSome = Effect.sync(() => ++passes).pipe(Effect.delay("100 millis"))
    yield* Layer.build(
      RollupWorker.pipe(
        Layer.provide(Layer.succeed(EnergyRollups, { rollSome })),
        Layer.provide(Layer.succeed(RequestsInFlight, { count }))
      )
    )
    yield* TestClock.adjust("1990 millis")
    return passes
  })

describe("the roller", () => {
  it.effect("works without a pause while few requests wait", () =>
    Effect.gen(function* () {
      expect(yield* passesWith(7)).toBe(19)
    })
  )

  it.effect("leaves three quarters of the time to the requests while many of them wait", () =>
    Effect.gen(function* () {
      expect(yield* passesWith(8)).toBe(5)
    })
  )
})
