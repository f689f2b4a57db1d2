import { expect } from "vitest"
import { cycleOfSuite } from "./longSuites.ts"

/** Determines every random choice of a suite. Each run draws another seed, which the tests print in their names; EDP_TEST_SEED repeats it. */
export const testSeed = Number(process.env["EDP_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

const factor = Number(process.env["EDP_TEST_ROUNDS"] ?? 1)

/** Each run makes other choices, so a few rounds a run cover many over time. EDP_TEST_ROUNDS multiplies them; `pnpm test:deep` sets it. */
export const rounds = (count: number) => Math.max(1, Math.round(count * factor))

/** The number of the run, which CI raises by one with each run. test/support/testRun.ts draws it elsewhere. */
const runNumber = Number(process.env["EDP_TEST_RUN"] ?? 0)

/** Each round is in one of so many consecutive runs. */
const cycle = 10

/**
 * The items of this run, where all of them would take too long. The next run of the suite takes the next ones, so that each item is in
 * one of ten consecutive runs. `pnpm test:deep` takes all. Users of the same items begin at different ones, by `offset`.
 */
export const pickInTurn = <Item>(count: number, items: ReadonlyArray<Item>, offset = 0): ReadonlyArray<Item> => {
  const suiteCycle = cycleOfSuite(expect.getState().testPath ?? "")
  if (suiteCycle * items.length > cycle * count) {
    throw new Error(`${cycle} runs with ${count} of ${items.length} items in one of ${suiteCycle} leave some out`)
  }
  if (factor > 1 || Number.isNaN(runNumber) || items.length <= count) return items
  const turn = Math.floor(runNumber / suiteCycle)
  return Array.from({ length: count }, (_, n) => items[(turn * count + n + offset) % items.length]!)
}

/** Defines the tests of this run, where all of them would take too long. */
export const inTurn = (count: number, ...define: ReadonlyArray<() => unknown>): void => {
  for (const each of pickInTurn(count, define)) each()
}
