import { every, whenDue } from "@edp/server/platform/jobs/every"
import { logFailure } from "@edp/server/platform/logs/repeatedFailures"
import { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

/** Runs an effect and keeps the messages that it logs. */
const logging = <A, E, R>(run: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const kept = Logger.make(({ message }) => {
    lines.push(String(Array.isArray(message) ? message[0] : message))
  })
  return Effect.provide(run(lines), Logger.layer([kept]))
}

describe("a failure that repeats", () => {
  it.effect("is logged at once, and then once a minute with the number of the others, while it repeats", () =>
    logging((lines) =>
      Effect.gen(function* () {
        for (let n = 0; n < 300; n++) yield* logFailure("some work", "Some work failed")
        yield* logFailure("other work", "Other work failed")
        expect(lines).toEqual(["Some work failed", "Other work failed"])
        yield* TestClock.adjust("1 minute")
        yield* logFailure("some work", "Some work failed")
        yield* TestClock.adjust("1 minute")
        expect(lines.slice(2)).toEqual([
          "Some work failed (299 more in the last minute)",
          "Some work failed (1 more in the last minute)"
        ])
        yield* TestClock.adjust("10 minutes")
        yield* logFailure("some work", "Some work failed")
        expect(lines.slice(4)).toEqual(["Some work failed"])
      })
    )
  )
})

describe.each([
  ["periodic work", every],
  [
    "announced work",
    (name: string, pause: Duration.Input, work: Effect.Effect<unknown, unknown>) =>
      whenDue(name, { topics: ["tested"], pause }, work)
  ]
] as const)("%s", (_, repeat) => {
  it.effect("that always fails is repeated after pauses that grow to a minute", () =>
    logging((lines) =>
      Effect.gen(function* () {
        let runs = 0
        const work = Effect.suspend(() => Effect.die(new Error(`failure ${++runs}`)))
        yield* repeat("Work of a test", "1 second", work)
        yield* TestClock.adjust("1 hour")
        expect(runs).toBeLessThan(75)
        expect(runs).toBeGreaterThan(60)
        expect(lines.length).toBeLessThan(65)
      }).pipe(Effect.scoped)
    )
  )

  it.effect("resumes within 5 seconds once the database responds again, without a line of its own", () =>
    logging((lines) =>
      Effect.gen(function* () {
        let isAway = true
        let done = 0
        const work = Effect.suspend(() => (isAway ? Effect.fail(new DatabaseUnavailable()) : Effect.sync(() => done++)))
        yield* repeat("Seldom work of a test", "1 hour", work)
        yield* TestClock.adjust("10 minutes")
        isAway = false
        yield* TestClock.adjust("5 seconds")
        expect([done, lines]).toEqual([1, []])
      }).pipe(Effect.scoped)
    )
  )
})
