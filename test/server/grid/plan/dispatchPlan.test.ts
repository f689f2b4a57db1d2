import { type PlannedInterval, reconcile, remaining, toDispatches } from "@edp/server/grid/plan/dispatchPlan"
import { describe, expect, test } from "vitest"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const level = (n: number) => ({ kind: "share", type: "battery", watts: n }) as const
const part = (start: number, end: number, n = 1): PlannedInterval => ({
  start: start * HOUR,
  end: end * HOUR,
  directive: level(n)
})
const hours = (dispatches: ReturnType<typeof toDispatches>) =>
  dispatches.map(({ intervals }) => intervals.map(({ end, start }) => [start / HOUR, end / HOUR]))

const event = { id: "a", start: 0 }

describe("the dispatches of an event", () => {
  test("are one for what lies within a day, with gaps as gaps and equal neighbours as one", () => {
    expect(hours(toDispatches(event, [part(0, 1), part(1, 2), part(2, 3, 2), part(5, 6, 2)]))).toEqual([
      [
        [0, 2],
        [2, 3],
        [5, 6]
      ]
    ])
  })

  test("are one a day for an event that lasts longer, counted from its start", () => {
    expect(hours(toDispatches({ id: "a", start: 5 * HOUR }, [part(5, 60)]))).toEqual([
      [[5, 29]],
      [[29, 53]],
      [[53, 60]]
    ])
  })

  test("have the same days whatever has passed and whatever other events have taken", () => {
    expect(hours(toDispatches(event, [part(30, 100)]))).toEqual([[[30, 48]], [[48, 72]], [[72, 96]], [[96, 100]]])
    expect(hours(toDispatches(event, [part(40, 43), part(46, 50)]))).toEqual([
      [
        [40, 43],
        [46, 48]
      ],
      [[48, 50]]
    ])
  })

  test("leave out what is shorter than a minute", () => {
    expect(toDispatches(event, [{ start: 0, end: 59_999, directive: level(1) }])).toEqual([])
  })

  test("have at most 96 intervals each, and what is added to one part of a day leaves those of the others", () => {
    const parts = Array.from({ length: 288 }, (_, at) => ({
      start: at * 300_000,
      end: (at + 1) * 300_000,
      directive: level(at % 2)
    }))
    const all = toDispatches(event, parts)
    expect(all.map(({ intervals }) => intervals.length)).toEqual([72, 72, 72, 72])
    const holed = toDispatches(event, [...parts.slice(0, 7), ...parts.slice(20)])
    expect(holed.slice(1)).toEqual(all.slice(1))
  })
})

describe("the change of a plan", () => {
  const existing = [{ id: "d1", eventId: "a", intervals: [part(0, 2)] }]

  test("touches nothing that stays the same from now on", () => {
    expect(reconcile(existing, [{ eventId: "a", intervals: [part(0, 2)] }], HOUR)).toEqual({ cancel: [], create: [] })
    expect(reconcile(existing, [{ eventId: "a", intervals: [part(1, 2)] }], HOUR)).toEqual({ cancel: [], create: [] })
  })

  test("replaces what changed by what is left of the new plan", () => {
    expect(reconcile(existing, [{ eventId: "a", intervals: [part(0, 3)] }], HOUR)).toEqual({
      cancel: existing,
      create: [{ eventId: "a", intervals: [part(1, 3)] }]
    })
  })

  test("leaves alone what has ended, and creates nothing that has passed", () => {
    expect(reconcile(existing, [{ eventId: "b", intervals: [part(0, 1)] }], 2 * HOUR)).toEqual({
      cancel: [],
      create: []
    })
  })

  test("is none the second time, for plans made at different times of the same segments", () => {
    const segments = [part(0, 50, 1), part(51, 53, 2)]
    const first = reconcile([], toDispatches(event, segments), 0)
    const made = first.create.map((each, at) => ({ id: `d${at}`, ...each }))
    for (let now = 0; now < 53 * HOUR; now += HOUR / 3) {
      expect(reconcile(made, toDispatches(event, segments), now)).toEqual({ cancel: [], create: [] })
    }
  })

  test("never asks for less than a minute", () => {
    expect(remaining([part(0, 1)], HOUR - 30_000)).toEqual([])
    expect(remaining([part(0, DAY / HOUR)], DAY - 60_000)).toHaveLength(1)
  })
})
