import { assert, describe, it } from "@effect/vitest"
import { batched } from "@edp/server/platform/batching/batched"
import { Context, Deferred, Effect, Exit, Fiber, Queue } from "effect"

interface Batch {
  readonly keys: ReadonlyArray<number>
  readonly end: Effect.Effect<unknown>
}

/** Batches that the test sees when they begin, and ends. */
const watched = (respond: (key: number) => Exit.Exit<string, string> = (key) => Exit.succeed(`response ${key}`)) =>
  Effect.gen(function* () {
    const batches = yield* Queue.unbounded<Batch>()
    const ask = yield* batched(
      (keys: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const gate = yield* Deferred.make<void>()
          yield* Queue.offer(batches, { keys, end: Deferred.succeed(gate, undefined) })
          yield* Deferred.await(gate)
          return respond
        }),
      { maxBatch: 3 }
    )
    const call = (key: number) => Effect.forkChild(ask(key), { startImmediately: true })
    return { begun: Queue.take(batches), call }
  })

describe("batched calls", () => {
  it.live("form the next batch while one runs, in the order of the calls and up to the batch size", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* watched()
      const first = yield* call(0)
      const alone = yield* begun
      const others = yield* Effect.forEach([1, 2, 3, 4], call)
      yield* alone.end
      assert.strictEqual(yield* Fiber.join(first), "response 0")
      const shared = yield* begun
      yield* shared.end
      const rest = yield* begun
      yield* rest.end
      assert.deepStrictEqual([alone.keys, shared.keys, rest.keys], [[0], [1, 2, 3], [4]])
      const responses = yield* Effect.forEach(others, Fiber.join)
      assert.deepStrictEqual(responses, ["response 1", "response 2", "response 3", "response 4"])
    })
  )

  it.live("run the next batch before the callers of the last one continue", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const ask = yield* batched(
        (keys: ReadonlyArray<number>) =>
          Effect.suspend(() => {
            order.push(`runs ${keys.join(" and ")}`)
            return Effect.as(keys.includes(0) ? Deferred.await(gate) : Effect.void, () => Exit.void)
          }),
        { maxBatch: 3 }
      )
      const call = (key: number) =>
        Effect.forkChild(Effect.tap(ask(key), () => Effect.sync(() => order.push(`${key} continues`))))
      const first = yield* call(0)
      while (order.length === 0) yield* Effect.yieldNow
      const second = yield* call(1)
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(order.slice(0, 2), ["runs 0", "runs 1"])
    })
  )

  it.live("never run in the context of a caller", () =>
    Effect.gen(function* () {
      const Mine = Context.Reference<string>("test/Mine", { defaultValue: () => "nobody's" })
      const ask = yield* batched<number, string, never, never>(
        () => Effect.map(Mine, (mine) => () => Exit.succeed(mine)),
        {
          maxBatch: 3
        }
      )
      assert.strictEqual(yield* Effect.provideService(ask(0), Mine, "a caller's"), "nobody's")
    })
  )

  it.live("are split by weight, and a call above the limit runs alone", () =>
    Effect.gen(function* () {
      const sizes: Array<ReadonlyArray<number>> = []
      const ask = yield* batched(
        (keys: ReadonlyArray<number>) =>
          Effect.sync(() => {
            sizes.push(keys)
            return (key: number) => Exit.succeed(key)
          }),
        { maxBatch: 3, weight: (key) => key }
      )
      assert.deepStrictEqual(yield* Effect.all([2, 1, 1, 5, 3].map(ask), { concurrency: "unbounded" }), [2, 1, 1, 5, 3])
      assert.deepStrictEqual(sizes, [[2, 1], [1], [5], [3]])
    })
  )

  it.live("omit a caller that was interrupted while waiting", () =>
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

  it.live("fail only for the caller of the failed key, also by a defect", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* watched((key) => {
        if (key === 2) throw new Error("can not be read")
        return key === 1 ? Exit.fail("not this one") : Exit.succeed("well")
      })
      yield* call(9)
      const { end } = yield* begun
      const callers = yield* Effect.forEach([1, 2, 3], call)
      yield* end
      yield* (yield* begun).end
      const [failed, faulty, well] = yield* Effect.forEach(callers, Fiber.await)
      assert.deepStrictEqual(failed, Exit.fail("not this one"))
      assert.deepStrictEqual(faulty, Exit.die(new Error("can not be read")))
      assert.deepStrictEqual(well, Exit.succeed("well"))
    })
  )
})
