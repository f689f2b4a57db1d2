import { makeTurns } from "@edp/server/destinations/turns"
import { Effect, Fiber } from "effect"
import { expect, test } from "vitest"

/** Ten that ask for their turn in a process that is busy or not. */
const askTen = (isBusy: () => boolean) => {
  const turn = makeTurns(isBusy)
  const begun: Array<number> = []
  const fibers = Array.from({ length: 10 }, (_, n) =>
    Effect.runFork(
      Effect.andThen(
        turn,
        Effect.sync(() => void begun.push(n))
      )
    )
  )
  const joined = () => Effect.runPromise(Effect.forEach(fibers, Fiber.join, { discard: true }))
  return { begun, fibers, joined, turn }
}

const everyOne = Array.from({ length: 10 }, (_, n) => n)

test("all begin at once while the process has nothing else to do", () => {
  expect(askTen(() => false).begun).toEqual(everyOne)
})

test("a few begin at a time while it has, in the order in which they asked", async () => {
  const counts: Array<number> = []
  const seen: { begun: ReadonlyArray<number> } = { begun: [] }
  const { begun, joined } = askTen(() => {
    counts.push(seen.begun.length)
    return true
  })
  seen.begun = begun
  expect(begun).toEqual([])
  await joined()
  expect(begun).toEqual(everyOne)
  expect(counts.filter((count) => count > 0)).toEqual([2, 4, 6, 8])
})

test("those who wait begin together once it is no longer busy", async () => {
  let busy = true
  const { begun, joined } = askTen(() => busy)
  busy = false
  expect(begun).toEqual([])
  await joined()
  expect(begun).toEqual(everyOne)
})

test("who is interrupted while waiting takes nobody's place", async () => {
  const { begun, fibers } = askTen(() => true)
  await Effect.runPromise(Effect.forEach(fibers.slice(1, 9), Fiber.interrupt, { discard: true }))
  await Effect.runPromise(Fiber.join(fibers[9]!))
  expect(begun).toEqual([0, 9])
})
