import { describe, expect, it } from "@effect/vitest"
import { type JobSource, makeJobRunner } from "@edp/server/platform/jobs/JobRunner"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

/** A table of due jobs in memory, with a limit of concurrent jobs; a test ends each job. */
const memory = (room: number) => {
  const due: Array<string> = []
  const running = new Map<string, Deferred.Deferred<void>>()
  const freed: Array<string> = []
  let lost = false
  const source: JobSource<string> = {
    name: "Memory",
    lease: "10 seconds",
    poll: "1 minute",
    patience: 0,
    claim: Effect.sync(() => due.splice(0, room - running.size)),
    prepare: () =>
      Effect.succeed(({ job }) =>
        Effect.suspend(() => {
          const end = Deferred.makeUnsafe<void>()
          running.set(job, end)
          return job === "broken" ? Effect.die(new Error("broken")) : Deferred.await(end)
        })
      ),
    renew: (jobs) => Effect.succeed(new Set(lost ? [] : jobs)),
    free: (job) => {
      running.delete(job)
      freed.push(job)
    }
  }
  return {
    source,
    due,
    freed,
    names: () => [...running.keys()],
    end: (job: string) => Effect.andThen(Deferred.succeed(running.get(job)!, undefined), Effect.yieldNow),
    lose: () => {
      lost = true
    }
  }
}

describe("a job runner", () => {
  it.effect("runs due jobs concurrently, up to its limit, and frees a slot however a job ends", () =>
    Effect.gen(function* () {
      const { due, end, freed, names, source } = memory(3)
      const runner = yield* makeJobRunner(source)
      due.push("a", "broken", "b", "c")
      expect(yield* runner.step).toBe(3)
      yield* Effect.yieldNow
      expect(names()).toEqual(["a", "b"])
      expect(freed).toEqual(["broken"])
      yield* end("a")
      expect(yield* runner.step).toBe(1)
      yield* Effect.yieldNow
      expect(names()).toEqual(["b", "c"])
    }).pipe(Effect.scoped)
  )

  it.effect("claims new work when it is announced, and otherwise when it polls", () =>
    Effect.gen(function* () {
      const { due, names, source } = memory(10)
      const runner = yield* makeJobRunner(source)
      yield* runner.work
      yield* TestClock.adjust("1 second")
      due.push("announced")
      yield* runner.wake
      yield* TestClock.adjust("1 second")
      expect(names()).toEqual(["announced"])
      due.push("unannounced")
      yield* TestClock.adjust("1 second")
      expect(names()).toEqual(["announced"])
      yield* TestClock.adjust("1 minute")
      expect(names()).toEqual(["announced", "unannounced"])
    }).pipe(Effect.scoped)
  )

  it.effect("renews the leases of running jobs, and ends those that are lost", () =>
    Effect.gen(function* () {
      const { due, lose, source } = memory(10)
      const untils: Array<() => number> = []
      const runner = yield* makeJobRunner({
        ...source,
        prepare: (leased) => {
          for (const one of leased) untils.push(() => one.until)
          return source.prepare(leased)
        }
      })
      due.push("a")
      yield* runner.step
      expect(untils[0]!()).toBe(10_000)
      yield* TestClock.adjust("4 seconds")
      yield* runner.renew
      expect(untils[0]!()).toBe(14_000)
      lose()
      yield* TestClock.adjust("4 seconds")
      yield* runner.renew
      expect(untils[0]!()).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.effect("claims nothing more once it stops, and waits for running jobs", () =>
    Effect.gen(function* () {
      const { due, end, freed, source } = memory(10)
      const scope = yield* Scope.make()
      const runner = yield* Scope.provide(makeJobRunner({ ...source, patience: "5 seconds" }), scope)
      due.push("a")
      yield* runner.step
      yield* Effect.yieldNow
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      due.push("b")
      expect([runner.isStopping(), yield* runner.step]).toEqual([true, 0])
      yield* end("a")
      yield* Fiber.join(stopping)
      expect(freed).toEqual(["a"])
    })
  )
})
