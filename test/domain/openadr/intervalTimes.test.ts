import { describe, expect, test } from "vitest"
import { eventSpan, timedIntervals } from "@edp/domain/openadr/intervalTimes"

const now = Date.parse("2026-07-01T12:34:56Z")
const payloads = [{ type: "SIMPLE", values: [1] }]
const interval = (id: number, intervalPeriod?: object) => ({ id, payloads, ...(intervalPeriod && { intervalPeriod }) })
const times = (event: Parameters<typeof timedIntervals>[0]) =>
  timedIntervals(event, now).map(({ end, id, start }) => [
    id,
    new Date(start).toISOString().slice(5, 19),
    end === null ? null : new Date(end).toISOString().slice(5, 19)
  ])

describe("the times of an event's intervals", () => {
  test("intervals without periods follow each other with the duration of the event's period", () => {
    expect(
      times({
        intervalPeriod: { start: "2026-07-02T00:00:00Z", duration: "PT1H" },
        intervals: [interval(0), interval(1), interval(2)]
      })
    ).toEqual([
      [0, "07-02T00:00:00", "07-02T01:00:00"],
      [1, "07-02T01:00:00", "07-02T02:00:00"],
      [2, "07-02T02:00:00", "07-02T03:00:00"]
    ])
  })

  test("an interval's own period overrides its start, its duration or both, and the next one follows it", () => {
    expect(
      times({
        intervalPeriod: { start: "2026-07-02T00:00:00Z", duration: "PT1H" },
        intervals: [
          interval(0, { duration: "PT30M" }),
          interval(1),
          interval(2, { start: "2026-07-02T05:00:00-07:00" }),
          interval(3)
        ]
      })
    ).toEqual([
      [0, "07-02T00:00:00", "07-02T00:30:00"],
      [1, "07-02T00:30:00", "07-02T01:30:00"],
      [2, "07-02T12:00:00", "07-02T13:00:00"],
      [3, "07-02T13:00:00", "07-02T14:00:00"]
    ])
  })

  test.each(["0001-01-01", "0001-01-01T00:00:00", "0001-01-01T00:00:00Z", undefined])(
    "a start of %s means now",
    (start) => {
      expect(
        times({ intervalPeriod: { duration: "PT1H", ...(start && { start }) }, intervals: [interval(0)] })
      ).toEqual([[0, "07-01T12:34:56", "07-01T13:34:56"]])
    }
  )

  test("P9999Y has no end, and an event's duration ends it", () => {
    const open = { intervalPeriod: { start: "2026-07-02T00:00:00Z", duration: "P9999Y" }, intervals: [interval(0)] }
    expect(times(open)).toEqual([[0, "07-02T00:00:00", null]])
    expect(eventSpan(open, now)!.end).toBeNull()
    expect(times({ ...open, duration: "PT2H" })).toEqual([[0, "07-02T00:00:00", "07-02T02:00:00"]])
  })

  test("an event's duration repeats its intervals and cuts the last one", () => {
    expect(
      times({
        duration: "PT2H30M",
        intervalPeriod: { start: "2026-07-02T00:00:00Z", duration: "PT30M" },
        intervals: [interval(0), interval(1)]
      })
    ).toEqual([
      [0, "07-02T00:00:00", "07-02T00:30:00"],
      [1, "07-02T00:30:00", "07-02T01:00:00"],
      [0, "07-02T01:00:00", "07-02T01:30:00"],
      [1, "07-02T01:30:00", "07-02T02:00:00"],
      [0, "07-02T02:00:00", "07-02T02:30:00"]
    ])
  })

  test("an event without durations has intervals of no length, and one without intervals has no span", () => {
    expect(times({ intervalPeriod: { start: "2026-07-02T00:00:00Z" }, intervals: [interval(0)] })).toEqual([
      [0, "07-02T00:00:00", "07-02T00:00:00"]
    ])
    expect(eventSpan({ intervalPeriod: { start: "2026-07-02T00:00:00Z" } }, now)).toBeUndefined()
  })

  test("an event that repeats a second for a thousand days is computed up to a limit", () => {
    const event = {
      duration: "P900D",
      intervalPeriod: { start: "2026-07-02T00:00:00Z", duration: "PT1S" },
      intervals: [interval(0)]
    }
    expect(timedIntervals(event, now)).toHaveLength(20_000)
  })
})
