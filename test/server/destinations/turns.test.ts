import { makeTurns } from "@edp/server/destinations/delivery/pacing"
import { Effect, Fiber } from "effect"
import { expect, test } from "vitest"

/** Thirty that ask for their turn in a process that is busy or not. */
const askThirty = (isBusy: () => boolean) => {
  const turn = makeTurns(isBusy, () => performance.now())
  const begun: Array<number> = []
  const fibers = Array.from({ length: 30 }, (_, n) =>
    Effect.runFork(
      Effect.andThen(
        turn,
        Effect.sync(() => void begun.push(n))
      )
    )
  )
  const joined = () => Effect.runPromise(Effect.forEach(fibers, Fiber.join, { discard: true }))
  return { begun, fibers, joined }
}

const everyOne = Array.from({ length: 30 }, (_, n) => n)

/** How many had begun whenever it was asked whether the process is busy. */
const watched = (busy: boolean) => {
  const counts: Array<number> = []
  const seen: { begun: ReadonlyArray<number> } = { begun: [] }
  const asked = askThirty(() => {
    counts.push(seen.begun.length)
    return busy
  })
  seen.begun = asked.begun
  return { ...asked, steps: () => counts.filter((count, at) => count > (counts[at - 1] ?? 0)) }
}

test("a few begin in a turn of the event loop, in the order in which they asked", async () => {
  const { begun, joined, steps } = watched(false)
  expect(begun).toEqual(everyOne.slice(0, 12))
  await joined()
  expect(begun).toEqual(everyOne)
  expect(steps()).toEqual([12, 24])
})

test("one begins after the other while the process is busy with something else", async () => {
  const { begun, joined, steps } = watched(true)
  expect(begun).toEqual([])
  await joined()
  expect(begun).toEqual(everyOne)
  expect(steps()).toEqual(everyOne.slice(1))
})

test("those who wait are let in once it is no longer busy", async () => {
  let busy = true
  const { begun, joined } = askThirty(() => busy)
  busy = false
  expect(begun).toEqual([])
  await joined()
  expect(begun).toEqual(everyOne)
})

test("who is interrupted while waiting takes nobody's place", async () => {
  const { begun, fibers } = askThirty(() => true)
  await Effect.runPromise(Effect.forEach(fibers.slice(1, 29), Fiber.interrupt, { discard: true }))
  await Effect.runPromise(Fiber.join(fibers[29]!))
  expect(begun).toEqual([0, 29])
})
