import { assert, describe, it } from "@effect/vitest"
import { coalesce } from "@edp/server/platform/batching/coalesce"
import { Deferred, Effect, Exit, Fiber, Queue } from "effect"

interface Batch {
  readonly keys: ReadonlyArray<number>
  readonly end: Effect.Effect<unknown>
}

/** Shared work whose batches are seen when they begin, and end when the test says so. */
const watched = (answer: (key: number) => Exit.Exit<string, string> = (key) => Exit.succeed(`answer ${key}`)) =>
  Effect.gen(function* () {
    const batches = yield* Queue.unbounded<Batch>()
    const ask = yield* coalesce(
      (keys: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const gate = yield* Deferred.make<void>()
          yield* Queue.offer(batches, { keys, end: Deferred.succeed(gate, undefined) })
          yield* Deferred.await(gate)
          return answer
        }),
      { maxBatch: 3 }
    )
    const call = (key: number) => Effect.forkChild(ask(key), { startImmediately: true })
    return { begun: Queue.take(batches), call }
  })

describe("work that callers share", () => {
  it.live("takes all who came in the meantime, in the order in which they came, and no more than it may", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* watched()
      const first = yield* call(0)
      const alone = yield* begun
      const others = yield* Effect.forEach([1, 2, 3, 4], call)
      yield* alone.end
      assert.strictEqual(yield* Fiber.join(first), "answer 0")
      const shared = yield* begun
      yield* shared.end
      const rest = yield* begun
      yield* rest.end
      assert.deepStrictEqual([alone.keys, shared.keys, rest.keys], [[0], [1, 2, 3], [4]])
      const answers = yield* Effect.forEach(others, Fiber.join)
      assert.deepStrictEqual(answers, ["answer 1", "answer 2", "answer 3", "answer 4"])
    })
  )

  it.live("begins the next batch before it answers the callers of the last", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const gates = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const ask = yield* coalesce(
        ([key]: ReadonlyArray<number>) =>
          Effect.suspend(() => {
            order.push(`begins with ${key}`)
            return Effect.as(Deferred.await(gates[key!]!), (one: number) => Exit.succeed(order.push(`answers ${one}`)))
          }),
        { maxBatch: 1 }
      )
      const callers = yield* Effect.forEach([0, 1], (key) => Effect.forkChild(ask(key), { startImmediately: true }))
      for (const [key, gate] of gates.entries()) {
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(callers[key]!)
      }
      assert.deepStrictEqual(order, ["begins with 0", "begins with 1", "answers 0", "answers 1"])
    })
  )

  it.live("leaves out who gives up waiting", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* watched()
      yield* call(0)
      const { end } = yield* begun
      const leaving = yield* call(1)
      yield* call(2)
      yield* Fiber.interrupt(leaving)
      yield* end
      const { keys } = yield* begun
      assert.deepStrictEqual(keys, [2])
    })
  )

  it.live("gives a failure, and a fault in telling an answer, to nobody but the caller whose it is", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* watched((key) => {
        if (key === 2) throw new Error("cannot be told")
        return key === 1 ? Exit.fail("not this one") : Exit.succeed("well")
      })
      yield* call(9)
      const { end } = yield* begun
      const callers = yield* Effect.forEach([1, 2, 3], call)
      yield* end
      yield* (yield* begun).end
      const [failed, faulty, well] = yield* Effect.forEach(callers, Fiber.await)
      assert.deepStrictEqual(failed, Exit.fail("not this one"))
      assert.deepStrictEqual(faulty, Exit.die(new Error("cannot be told")))
      assert.deepStrictEqual(well, Exit.succeed("well"))
    })
  )
})
