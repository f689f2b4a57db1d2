import { makeTurns } from "@edp/server/destinations/turns"
import { Effect, Fiber } from "effect"
import { expect, test } from "vitest"

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

/** How many of ten have begun after each turn of the event loop. */
const beginTen = async (each: number, turns: number) => {
  const turn = makeTurns(each)
  const begun: Array<number> = []
  const fibers = Array.from({ length: 10 }, (_, n) =>
    Effect.runFork(
      Effect.andThen(
        turn,
        Effect.sync(() => void begun.push(n))
      )
    )
  )
  const counts: Array<number> = [begun.length]
  for (let at = 0; at < turns; at++) {
    await turnOfLoop()
    counts.push(begun.length)
  }
  return { begun, counts, fibers, turn }
}

test("so many begin in a turn of the event loop, in the order in which they asked", async () => {
  const { begun, counts, fibers } = await beginTen(4, 12)
  await Effect.runPromise(Effect.forEach(fibers, Fiber.join, { discard: true }))
  expect(begun).toEqual(Array.from({ length: 10 }, (_, n) => n))
  const steps = counts.map((count, at) => count - (counts[at - 1] ?? 0))
  expect(Math.max(...steps)).toBe(4)
})

test("who is interrupted while waiting takes nobody's place", async () => {
  const { begun, fibers } = await beginTen(1, 0)
  await Effect.runPromise(Effect.forEach(fibers.slice(1, 9), Fiber.interrupt, { discard: true }))
  await Effect.runPromise(Fiber.join(fibers[9]!))
  expect(begun).toEqual([0, 9])
})

test("it goes on after everybody has begun", async () => {
  const { fibers, turn } = await beginTen(4, 1)
  await Effect.runPromise(Effect.forEach(fibers, Fiber.join, { discard: true }))
  await turnOfLoop()
  await expect(Effect.runPromise(Effect.as(turn, "begun"))).resolves.toBe("begun")
})
