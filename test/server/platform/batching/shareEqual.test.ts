import { assert, describe, it } from "@effect/vitest"
import { shareEqual } from "@edp/server/platform/batching/shareEqual"
import { InTransaction } from "@edp/server/platform/sql/transaction"
import { Deferred, Effect, Fiber, Queue } from "effect"

/** Questions that are seen when they begin, and are answered by the test. */
const watched = Effect.gen(function* () {
  const begun = yield* Queue.unbounded<Deferred.Deferred<string>>()
  const share = shareEqual<string>()
  const question = Effect.gen(function* () {
    const answer = yield* Deferred.make<string>()
    yield* Queue.offer(begun, answer)
    return yield* Deferred.await(answer)
  })
  const ask = (name: string) => Effect.forkChild(share(name, question), { startImmediately: true })
  return { begun: Queue.take(begun), more: Queue.size(begun), ask, share, question }
})

describe("a question that many ask at once", () => {
  it.live("is answered once for all who asked while it was answered before", () =>
    Effect.gen(function* () {
      const { begun, more, ask } = yield* watched
      const first = yield* ask("count")
      const one = yield* begun
      const others = yield* Effect.forEach([1, 2, 3], () => ask("count"))
      yield* Deferred.succeed(one, "early")
      assert.strictEqual(yield* Fiber.join(first), "early")
      const two = yield* begun
      yield* Deferred.succeed(two, "late")
      assert.deepStrictEqual(yield* Effect.forEach(others, Fiber.join), ["late", "late", "late"])
      assert.strictEqual(yield* more, 0)
    })
  )

  it.live("holds up no other question, and none in a transaction", () =>
    Effect.gen(function* () {
      const { begun, ask, share, question } = yield* watched
      const slow = yield* ask("slow")
      const never = yield* begun
      const other = yield* ask("other")
      yield* Deferred.succeed(yield* begun, "at once")
      assert.strictEqual(yield* Fiber.join(other), "at once")
      const own = yield* Effect.forkChild(Effect.provideService(share("slow", question), InTransaction, true), {
        startImmediately: true
      })
      yield* Deferred.succeed(yield* begun, "its own")
      assert.strictEqual(yield* Fiber.join(own), "its own")
      yield* Deferred.succeed(never, "in the end")
      assert.strictEqual(yield* Fiber.join(slow), "in the end")
    })
  )

  it.live("is not asked again for those who have gone, and its failure is told to all", () =>
    Effect.gen(function* () {
      const { begun, more, ask } = yield* watched
      const first = yield* ask("count")
      const one = yield* begun
      yield* Fiber.interrupt(yield* ask("count"))
      const waiting = yield* ask("count")
      yield* Deferred.die(one, "no database")
      assert.strictEqual((yield* Fiber.await(first))._tag, "Failure")
      const two = yield* begun
      yield* Deferred.die(two, "no database")
      assert.strictEqual((yield* Fiber.await(waiting))._tag, "Failure")
      assert.strictEqual(yield* more, 0)
    })
  )
})
