import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { isInTurn, longSuites } from "./longSuites.ts"

const suitePath = (name: string) => fileURLToPath(new URL(`../${name}.test.ts`, import.meta.url))

describe("the suites that take turns", () => {
  test("exist", () => {
    expect(longSuites.map(([name]) => name).filter((name) => !existsSync(suitePath(name)))).toEqual([])
  })

  test("are in one run of each cycle, at whichever run it begins", () => {
    for (const first of [0, 7, 1234]) {
      for (const [name, cycle] of longSuites) {
        const runs = Array.from({ length: cycle }, (_, n) => isInTurn(suitePath(name), first + n))
        expect({ name, runs: runs.filter((each) => each).length }).toEqual({ name, runs: 1 })
      }
    }
  })

  test("are all in a run of everything", () => {
    expect(longSuites.filter(([name]) => !isInTurn(suitePath(name), Number("all")))).toEqual([])
  })

  test("are spread over the runs evenly", () => {
    const counts = Array.from(
      { length: 10 },
      (_, run) => longSuites.filter(([name]) => isInTurn(suitePath(name), run)).length
    )
    // Those of one cycle are in runs that differ by one at most.
    const cycles = new Set(longSuites.map(([, cycle]) => cycle).filter((cycle) => cycle > 1))
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(cycles.size)
  })
})
