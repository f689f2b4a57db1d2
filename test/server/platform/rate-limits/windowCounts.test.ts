import { WINDOW_MS, windowCounts } from "@edp/server/platform/rate-limits/windowCounts"
import { describe, expect, test } from "vitest"

describe("the counts of a window", () => {
  const start = 100 * WINDOW_MS

  test("start at zero in each window", () => {
    const countIn = windowCounts()
    expect(countIn("a", start)).toEqual({ window: 100, count: 1 })
    expect(countIn("a", start + WINDOW_MS - 1)).toEqual({ window: 100, count: 2 })
    expect(countIn("b", start + 1)).toEqual({ window: 100, count: 1 })
    expect(countIn("a", start + WINDOW_MS)).toEqual({ window: 101, count: 1 })
  })

  test("survive a clock that is set back across the start of the window", () => {
    const countIn = windowCounts()
    countIn("a", start)
    expect(countIn("a", start - 5)).toEqual({ window: 100, count: 2 })
    expect(countIn("a", start + 5)).toEqual({ window: 100, count: 3 })
  })

  test("follow a clock that is set back permanently", () => {
    const countIn = windowCounts()
    countIn("a", start)
    expect(countIn("a", start - 60 * WINDOW_MS)).toEqual({ window: 40, count: 1 })
  })
})
