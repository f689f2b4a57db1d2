import { addRanges, isFree } from "@edp/adapter-green-button/ranges"
import { afterWindow, beginHistory, DAY, nextWindow, smallerWindow } from "@edp/adapter-green-button/windows"
import { describe, expect, test } from "vitest"

const now = Date.parse("2026-11-29T13:20:00Z")
const limits = { historyDays: 396, windowDays: 31 }
const day = (at: number) => new Date(at).toISOString().slice(0, 10)

describe("windows", () => {
  test("cover the history without a hole, and then begin some days before the newest data", () => {
    let batch = beginHistory(["one"], now, limits)
    let covered = batch.cursor
    expect(day(covered)).toBe("2025-10-29")
    for (;;) {
      const window = nextWindow(batch, now)
      expect(window.from).toBeLessThan(covered)
      expect(window.to - covered).toBeLessThanOrEqual(31 * DAY)
      covered = window.to
      batch = afterWindow(batch, window, [now - 1.5 * DAY], now, limits)
      if (window.isLast) break
    }
    expect([day(covered), day(batch.cursor)]).toEqual(["2026-11-30", "2026-11-21"])
    expect(nextWindow(batch, now + 60_000)).toEqual(nextWindow(batch, now))
  })

  test("go back to the meter that is furthest behind, but not for longer than two months", () => {
    const last = { ...beginHistory(["one", "two"], now, limits), cursor: now - DAY }
    const window = nextWindow(last, now)
    const after = (...newest: ReadonlyArray<number | undefined>) =>
      day(afterWindow(last, window, newest, now, limits).cursor)
    expect(after(now - DAY, now - 20 * DAY)).toBe("2026-11-02")
    expect(after(now - DAY, now - 300 * DAY)).toBe("2026-09-28")
  })

  test("begin the history anew each day as long as a meter has no data", () => {
    const batch = { ...beginHistory(["one"], now, limits), cursor: now - DAY }
    const window = nextWindow(batch, now)
    const [soon, later] = [now + 3_600_000, now + DAY]
    expect(day(afterWindow(batch, window, [undefined], soon, limits).cursor)).toBe("2026-11-22")
    const anew = afterWindow(batch, window, [undefined], later, limits)
    expect([day(anew.cursor), anew.begunAt]).toEqual(["2025-10-30", later])
  })

  test("are halved to a day", () => {
    const sizes = []
    for (let batch = smallerWindow(beginHistory([], now, limits)); batch !== undefined; batch = smallerWindow(batch))
      sizes.push(batch.windowDays)
    expect(sizes).toEqual([15, 7, 3, 1])
  })
})

describe("ranges", () => {
  test("are joined where they touch, in their order", () => {
    const some = addRanges(
      [[10, 20]],
      [
        [40, 50],
        [20, 30],
        [0, 5]
      ]
    )
    expect(some).toEqual([
      [0, 5],
      [10, 30],
      [40, 50]
    ])
  })

  test.each([
    [5, 10, true],
    [30, 40, true],
    [50, 60, true],
    [4, 6, false],
    [12, 13, false],
    [29, 31, false],
    [35, 45, false]
  ])("leave %i to %i free: %s", (from, to, expected) => {
    expect(
      isFree(
        [
          [0, 5],
          [10, 30],
          [40, 50]
        ],
        from,
        to
      )
    ).toBe(expected)
  })

  test("stay bounded for a meter with many gaps: the oldest gaps are given up", () => {
    const gaps = addRanges(
      [],
      Array.from({ length: 1500 }, (_, at) => [at * 10, at * 10 + 5] as const)
    )
    expect([gaps.length, gaps[0]![0], gaps.at(-1)]).toEqual([1000, 0, [14_990, 14_995]])
  })
})
