import { together } from "@edp/server/platform/batching/together"
import { InTransaction } from "@edp/server/platform/sql/transaction"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, test } from "vitest"

/** Answers each number with its double, when it is let go on; notes which were asked together. */
const doubling = (options: { readonly most: number; readonly atOnce: number }) => {
  const gates: Array<Deferred.Deferred<void>> = []
  const asked: Array<ReadonlyArray<number>> = []
  const ask = together(
    (numbers: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const gate = Deferred.makeUnsafe<void>()
        asked.push(numbers)
        gates.push(gate)
        yield* Deferred.await(gate)
        if (numbers.includes(13)) return yield* Effect.die(new Error("Unlucky"))
        return numbers.map((number) => 2 * number)
      }),
    options
  )
  return {
    ask,
    asked,
    go: () => Effect.sync(() => gates.splice(0).forEach((gate) => Deferred.doneUnsafe(gate, Exit.void)))
  }
}

/** Until what was asked in this turn of the event loop is under way. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve))))

const run = Effect.runPromise

describe("questions that are answered together", () => {
  test("each have their own answer, whoever asked with them", () =>
    run(
      Effect.gen(function* () {
        const { ask, asked, go } = doubling({ most: 10, atOnce: 1 })
        const fibers = yield* Effect.forEach([3, 1, 2], (number) => Effect.forkChild(ask("", number)))
        yield* turn
        yield* go()
        expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual([6, 2, 4])
        expect(asked).toEqual([[3, 1, 2]])
      })
    ))

  test("join none that began before, and are so many at most", () =>
    run(
      Effect.gen(function* () {
        const { ask, asked, go } = doubling({ most: 2, atOnce: 1 })
        const first = yield* Effect.forkChild(ask("", 1))
        yield* turn
        const others = yield* Effect.forEach([2, 3, 4], (number) => Effect.forkChild(ask("", number)))
        yield* turn
        expect(asked).toEqual([[1]])
        for (let left = 0; left < 3; left++) {
          yield* go()
          yield* turn
        }
        expect(yield* Effect.forEach([first, ...others], Fiber.join)).toEqual([2, 4, 6, 8])
        expect(asked).toEqual([[1], [2, 3], [4]])
      })
    ))

  test("of another kind do not wait, nor more than so many goes of one kind", () =>
    run(
      Effect.gen(function* () {
        const { ask, asked, go } = doubling({ most: 1, atOnce: 2 })
        const kinds = ["one", "one", "one", "other"]
        const fibers = yield* Effect.forEach(kinds, (kind, number) => Effect.forkChild(ask(kind, number)))
        yield* turn
        expect(asked).toEqual([[0], [1], [3]])
        yield* go()
        yield* turn
        yield* go()
        expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual([0, 2, 4, 6])
      })
    ))

  test("fail together; later ones are asked all the same", () =>
    run(
      Effect.gen(function* () {
        const { ask, go } = doubling({ most: 10, atOnce: 1 })
        const fibers = yield* Effect.forEach([13, 1], (number) => Effect.forkChild(ask("", number)))
        yield* turn
        const later = yield* Effect.forkChild(ask("", 5))
        yield* turn
        yield* go()
        const exits = yield* Effect.forEach(fibers, Fiber.await)
        expect(exits.map(Exit.isFailure)).toEqual([true, true])
        yield* turn
        yield* go()
        expect(yield* Fiber.join(later)).toBe(10)
      })
    ))

  test("inside a transaction are asked alone, in it", () =>
    run(
      Effect.gen(function* () {
        const inside = together(
          (questions: ReadonlyArray<number>) => Effect.map(InTransaction, (is) => questions.map((n) => (is ? n : -1))),
          { most: 10, atOnce: 1 }
        )
        const asked = Effect.all([inside("", 1), inside("", 2)], { concurrency: 2 })
        expect(yield* Effect.provideService(asked, InTransaction, true)).toEqual([1, 2])
      })
    ))

  test("that nobody waits for any more are not asked", () =>
    run(
      Effect.gen(function* () {
        const { ask, asked, go } = doubling({ most: 10, atOnce: 1 })
        const first = yield* Effect.forkChild(ask("", 1))
        yield* turn
        const gone = yield* Effect.forkChild(ask("", 2))
        const other = yield* Effect.forkChild(ask("", 3))
        yield* turn
        yield* Fiber.interrupt(gone)
        yield* go()
        yield* turn
        yield* go()
        expect(yield* Effect.forEach([first, other], Fiber.join)).toEqual([2, 6])
        expect(asked).toEqual([[1], [3]])
      })
    ))
})
