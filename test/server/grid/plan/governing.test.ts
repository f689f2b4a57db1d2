import { type RankedEvent, governing } from "@edp/server/grid/plan/governing"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const MINUTE = 60_000
const SPAN = 240

/** The event that governs in a minute, found by looking at all events. */
const oracle = (events: ReadonlyArray<RankedEvent>, minute: number) => {
  const at = minute * MINUTE
  const governed = events.filter(({ intervals }) =>
    intervals.some(({ end, start }) => start <= at && at < (end ?? Infinity))
  )
  return governed.toSorted(
    (one, other) =>
      (one.priority ?? 1e9) - (other.priority ?? 1e9) || one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)
  )[0]?.id
}

const makeEvents = (random: Random): ReadonlyArray<RankedEvent> =>
  Array.from({ length: random.below(9) }, (_, index) => ({
    id: `event-${index}`,
    priority: random.pick([null, 0, 0, 1, 2]),
    createdAt: random.below(4),
    intervals: Array.from({ length: random.below(5) }, () => {
      const start = (random.below(SPAN + 20) - 20) * MINUTE
      return {
        start,
        end: random.pick([null, start, start + (1 + random.below(90)) * MINUTE, start + 30 * MINUTE]),
        payloads: []
      }
    })
  }))

describe("the event that governs", () => {
  test("equals the oracle's in each minute, for 500 sets of overlapping events", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = new Random(seed)
      const events = makeEvents(random)
      const segments = governing(events, 0, SPAN * MINUTE)
      for (let minute = 0; minute < SPAN; minute++) {
        const at = minute * MINUTE
        const found = segments.filter(({ end, start }) => start <= at && at < end)
        expect({ seed, minute, found: found.map(({ eventId }) => eventId) }).toEqual({
          seed,
          minute,
          found: [oracle(events, minute)].filter((id) => id !== undefined)
        })
      }
      expect(segments.every(({ end, start }) => start < end)).toBe(true)
    }
  })

  test("does not depend on the order in which the events are listed", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const events = makeEvents(new Random(seed))
      const plain = (list: typeof events) =>
        governing(list, 0, SPAN * MINUTE).map(({ end, eventId, start }) => ({ start, end, eventId }))
      expect(plain(events.toReversed())).toEqual(plain(events))
    }
  })

  test("is cut where the time that was asked for ends", () => {
    const event = { id: "a", priority: null, createdAt: 0, intervals: [{ start: 0, end: null, payloads: [] }] }
    expect(governing([event], MINUTE, 5 * MINUTE)).toEqual([
      { eventId: "a", start: MINUTE, end: 5 * MINUTE, payloads: [] }
    ])
    expect(governing([event], MINUTE, MINUTE)).toEqual([])
  })
})
