import { describe, expect, it } from "@effect/vitest"
import { type JobSource, type Leased, leaseName, makeJobRunner } from "@edp/server/platform/jobs/JobRunner"
import { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

interface Job {
  readonly claim: string
  readonly name: string
}

/** A table of due jobs in memory, with a limit of concurrent jobs; a test ends each job. */
const memory = (room: number) => {
  const due: Array<string> = []
  const running = new Map<string, Deferred.Deferred<void>>()
  const freed: Array<string> = []
  const ended: Array<string> = []
  const putOff: Array<string> = []
  const renewals: Array<ReadonlyArray<string>> = []
  /** The claim that holds each item. */
  const claims = new Map<string, string>()
  let count = 0
  let unavailable = false
  const unlessDown = <A>(effect: Effect.Effect<A>) =>
    Effect.suspend(() => (unavailable ? Effect.fail(new DatabaseUnavailable()) : effect))
  const source: JobSource<Job> = {
    name: "Memory",
    lease: "10 seconds",
    poll: "1 minute",
    patience: 0,
    item: ({ name }) => name,
    claim: Effect.sync(() =>
      due.splice(0, room - running.size).map((name) => {
        count += 1
        claims.set(name, `claim ${count}`)
        return { claim: `claim ${count}`, name }
      })
    ),
    prepare: (leased) =>
      leased.length > 1 && leased.some(({ job }) => job.name === "unreadable")
        ? Effect.die(new Error("unreadable"))
        : Effect.succeed(({ job }) =>
            Effect.suspend(() => {
              if (job.name === "unreadable") return Effect.die(new Error("unreadable"))
              const end = Deferred.makeUnsafe<void>()
              running.set(job.name, end)
              return job.name === "broken" ? Effect.die(new Error("broken")) : unlessDown(Deferred.await(end))
            }).pipe(Effect.onInterrupt(() => Effect.sync(() => ended.push(`${job.claim} is interrupted`))))
          ),
    renew: (jobs) =>
      Effect.sync(() => {
        renewals.push(jobs.map(({ claim }) => claim))
        return new Set(
          jobs.filter(({ claim, name }) => claims.get(name) === claim).map(({ claim, name }) => leaseName(claim, name))
        )
      }),
    putOff: ({ name }, pause) => unlessDown(Effect.sync(() => putOff.push(`${name} ${pause}`))),
    endLeases: () => Effect.void,
    isolation: {
      responds: Effect.sync(() => !unavailable),
      putOff: () => Effect.succeed(5000)
    },
    free: ({ name }) => {
      running.delete(name)
      freed.push(name)
    }
  }
  return {
    source,
    due,
    ended,
    freed,
    putOff,
    renewals,
    names: () => [...running.keys()],
    end: (job: string) => Effect.andThen(Deferred.succeed(running.get(job)!, undefined), Effect.yieldNow),
    /** Another process claims an item. */
    lose: (name: string) => claims.set(name, "another's"),
    setUnavailable: (is: boolean) => {
      unavailable = is
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

  it.effect("renews the leases of running jobs, and ends the work on those that are lost, for good", () =>
    Effect.gen(function* () {
      const { due, ended, freed, lose, renewals, source } = memory(10)
      const leases: Array<Leased<Job>> = []
      const runner = yield* makeJobRunner({
        ...source,
        prepare: (leased) => {
          leases.push(...leased)
          return source.prepare(leased)
        }
      })
      due.push("a", "b")
      yield* runner.step
      yield* Effect.yieldNow
      yield* TestClock.adjust("4 seconds")
      yield* runner.renew
      yield* TestClock.adjust("8 seconds")
      expect([yield* leases[0]!.isHeld, yield* leases[1]!.isHeld]).toEqual([true, true])
      lose("a")
      yield* runner.renew
      yield* Effect.yieldNow
      expect([yield* leases[0]!.isHeld, yield* leases[1]!.isHeld]).toEqual([false, true])
      expect([ended, freed]).toEqual([["claim 1 is interrupted"], ["a"]])
      yield* TestClock.adjust("4 seconds")
      yield* runner.renew
      expect(renewals.at(-1)).toEqual(["claim 2"])
    }).pipe(Effect.scoped)
  )

  it.effect("ends the work of a lost claim before the same is worked on under a new one", () =>
    Effect.gen(function* () {
      const { due, ended, names, renewals, source } = memory(10)
      const runner = yield* makeJobRunner(source)
      due.push("a")
      yield* runner.step
      yield* Effect.yieldNow
      // Frozen for longer than the lease, the process finds the job due again.
      yield* TestClock.adjust("1 minute")
      due.push("a")
      yield* runner.step
      yield* Effect.yieldNow
      expect([ended, names()]).toEqual([["claim 1 is interrupted"], ["a"]])
      yield* TestClock.adjust("4 seconds")
      yield* runner.renew
      expect(renewals).toEqual([["claim 2"]])
    }).pipe(Effect.scoped)
  )

  it.effect("puts off a job that fails without a record, and runs the others of its claim", () =>
    Effect.gen(function* () {
      const { due, names, putOff, source } = memory(10)
      const runner = yield* makeJobRunner(source)
      due.push("a", "unreadable", "broken", "b")
      yield* runner.step
      yield* Effect.yieldNow
      expect([names(), putOff]).toEqual([
        ["a", "b"],
        ["unreadable 5000", "broken 5000"]
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("makes jobs that failed while the database was away due as soon as it is back", () =>
    Effect.gen(function* () {
      const { due, freed, putOff, setUnavailable, source } = memory(10)
      const runner = yield* makeJobRunner({ ...source, poll: "1 second" })
      due.push("a")
      setUnavailable(true)
      yield* runner.step
      yield* TestClock.adjust("1 minute")
      expect([putOff, freed]).toEqual([[], []])
      setUnavailable(false)
      yield* TestClock.adjust("5 seconds")
      expect([putOff, freed]).toEqual([["a 0"], ["a"]])
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
