import { replacementPause } from "@edp/server/platform/supervisor/supervise"
import { expect, test } from "vitest"

/** The pauses after ends in a row, each after the process has lived for so many milliseconds. */
const pausesAfter = (...lives: ReadonlyArray<number>) => {
  let earlyEnds = 0
  return lives.map((life) => {
    const next = replacementPause(earlyEnds, life)
    earlyEnds = next.earlyEnds
    return next.milliseconds
  })
}

test("a process that ends is replaced at once, also soon after its start", () => {
  expect(pausesAfter(3_600_000, 60_000, 100)).toEqual([0, 0, 0])
})

test("one that ends at each start is replaced ever more seldom, and every half a minute at least", () => {
  expect(pausesAfter(100, 100, 100, 100)).toEqual([0, 500, 1000, 2000])
  expect(pausesAfter(...Array.from({ length: 20 }, () => 100)).at(-1)).toBe(30_000)
})

test("a stable time ends the pauses", () => {
  expect(pausesAfter(100, 100, 100, 11_000, 100, 100)).toEqual([0, 500, 1000, 0, 0, 500])
})
