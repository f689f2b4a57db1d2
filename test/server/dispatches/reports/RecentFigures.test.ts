import { RecentFigures } from "@edp/server/dispatches/reports/RecentFigures"
import { describe, expect, test } from "vitest"

const figures = { missing: "no_readings", baseline: undefined, use: undefined } as const
const frame = (now: number, passed = 2, dispatchId = "d") => ({ dispatchId, passed, now })

describe("recent figures of a dispatch that runs", () => {
  test("are there for half a minute after they were computed, if that took a second or longer", () => {
    const recent = new RecentFigures()
    recent.keep(frame(0), 999, [["quick", figures]])
    recent.keep(frame(0), 8000, [["slow", figures]])
    expect(recent.find(frame(1), "quick")).toBeUndefined()
    expect(recent.find(frame(37_999), "slow")).toBe(figures)
    expect(recent.find(frame(38_000), "slow")).toBeUndefined()
  })

  test("are gone when another interval has passed, and are those of their dispatch", () => {
    const recent = new RecentFigures()
    recent.keep(frame(0), 8000, [["site", figures]])
    expect(recent.find(frame(1, 3), "site")).toBeUndefined()
    expect(recent.find(frame(1, 2, "other"), "site")).toBeUndefined()
  })

  test("are as old as the first ones of a report that is computed in parts", () => {
    const recent = new RecentFigures()
    recent.keep(frame(0), 8000, [["one", figures]])
    recent.keep(frame(20_000), 8000, [["two", figures]])
    expect(recent.find(frame(37_999), "one")).toBe(figures)
    expect(recent.find(frame(37_999), "two")).toBe(figures)
    expect(recent.find(frame(38_000), "two")).toBeUndefined()
  })

  test("take a bounded part of the memory: those of the dispatch that was computed first give way", () => {
    const recent = new RecentFigures()
    const many = (prefix: string) => Array.from({ length: 15_000 }, (_, n) => [`${prefix}${n}`, figures] as const)
    recent.keep(frame(0, 2, "old"), 8000, many("old"))
    recent.keep(frame(0, 2, "new"), 8000, many("new"))
    expect(recent.find(frame(1, 2, "old"), "old1")).toBeUndefined()
    expect(recent.find(frame(1, 2, "new"), "new1")).toBe(figures)
  })
})
