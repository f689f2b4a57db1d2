import { dueReports } from "@edp/server/grid/reports/reportSchedule"
import { describe, expect, test } from "vitest"

const HOUR = 3_600_000
const intervals = Array.from({ length: 6 }, (_, id) => ({ id, start: id * HOUR, end: (id + 1) * HOUR }))
const due = (descriptor: object, now = 100, times: ReadonlyArray<any> = intervals) =>
  dueReports([{ payloadType: "USAGE", ...descriptor }], times, now * HOUR).map(({ dueAt, intervals: reported }) => [
    dueAt / HOUR,
    reported.map(({ id }) => id).join("")
  ])

describe("the reports of an event", () => {
  test("are one about all intervals at its end, by default", () => {
    expect(due({})).toEqual([[6, "012345"]])
    expect(due({}, 5.9)).toEqual([])
  })

  test("begin at startInterval, are about the numIntervals before it, and repeat", () => {
    expect(due({ startInterval: 1, numIntervals: 1, repeat: -1 })).toEqual([
      [1, "0"],
      [2, "1"],
      [3, "2"],
      [4, "3"],
      [5, "4"],
      [6, "5"]
    ])
    expect(due({ startInterval: 2, numIntervals: 2, frequency: 3, repeat: 2 })).toEqual([
      [2, "01"],
      [5, "34"]
    ])
  })

  test("that are due are counted up to now alone", () => {
    expect(due({ startInterval: 1, numIntervals: 1, repeat: -1 }, 2.5)).toEqual([
      [1, "0"],
      [2, "1"]
    ])
  })

  test("are none for a forecast, for intervals without an end, and for an event without intervals", () => {
    expect(due({ historical: false })).toEqual([])
    expect(due({}, 100, [{ id: 0, start: 0, end: null }])).toEqual([])
    expect(due({}, 100, [])).toEqual([])
  })

  test("on sub-intervals are about quarters of an hour", () => {
    expect(due({ reportIntervals: "SUB_INTERVALS" }, 100, [{ id: 7, start: HOUR / 8, end: HOUR }])).toEqual([
      [1, "0123"]
    ])
  })

  test("end in bounded time, whatever the descriptor says", () => {
    expect(due({ startInterval: 0, numIntervals: 1, frequency: 1, repeat: 2_000_000_000 }).length).toBeLessThanOrEqual(
      6
    )
    expect(due({ startInterval: 1_000_000, repeat: -1 })).toEqual([])
  })
})
