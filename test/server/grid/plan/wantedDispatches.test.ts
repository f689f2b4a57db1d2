import type { Directive } from "@edp/server/grid/plan/directives"
import { type PlannedInterval, reconcile } from "@edp/server/grid/plan/dispatchPlan"
import { type PlannableEvent, wantedDispatches } from "@edp/server/grid/plan/wantedDispatches"
import { timedIntervals } from "@edp/domain/openadr/intervalTimes"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const HORIZON = 48 * HOUR

/** The level of an event's only payload; 0 is normal operation. */
const toDirective: PlannableEvent["directiveFor"] = ([payload]): Directive | undefined => {
  const watts = Number(payload?.values[0])
  return watts === 0 ? undefined : { kind: "share", type: "battery", watts }
}

interface Given {
  readonly id: string
  readonly priority: number | null
  readonly createdAt: number
  readonly start: string
  readonly duration: string
  readonly levels: ReadonlyArray<number>
}

const toEvent = ({ createdAt, duration, id, levels, priority, start }: Given): PlannableEvent => {
  const intervals = timedIntervals(
    {
      intervalPeriod: { start, duration },
      intervals: levels.map((level, index) => ({ id: index, payloads: [{ type: "SETPOINT", values: [level] }] }))
    },
    0
  )
  const startsAt = Math.min(...intervals.map((interval) => interval.start))
  return { id, priority, createdAt, startsAt, intervals, directiveFor: toDirective }
}

/** The event that governs at a time and its level, found by looking at all events; undefined for normal operation. */
const oracle = (events: ReadonlyArray<PlannableEvent>, at: number) => {
  const governed = events
    .flatMap((event) => {
      const interval = event.intervals.find(({ end, start }) => start <= at && at < (end ?? Infinity))
      return interval === undefined ? [] : [{ event, level: Number(interval.payloads[0]!.values[0]) }]
    })
    .toSorted(
      ({ event: one }, { event: other }) =>
        (one.priority ?? 1e9) - (other.priority ?? 1e9) ||
        one.createdAt - other.createdAt ||
        (one.id < other.id ? -1 : 1)
    )[0]
  return governed === undefined || governed.level === 0 ? undefined : `${governed.event.id} ${governed.level}`
}

interface Live {
  readonly id: string
  readonly eventId: string
  readonly intervals: ReadonlyArray<PlannedInterval>
}

/** A VEN that plans again and again: its dispatches, and how many it has ever created. */
class Planner {
  live: ReadonlyArray<Live> = []
  created = 0

  /** Returns the number of changes. */
  plan(events: ReadonlyArray<PlannableEvent>, now: number) {
    // The service knows no events and no dispatches that have ended.
    const present = events.filter(({ intervals }) => intervals.some(({ end }) => end === null || end > now))
    const existing = this.live.filter(({ intervals }) => intervals.at(-1)!.end > now)
    const { cancel, create } = reconcile(existing, wantedDispatches(present, now, HORIZON).planned, now)
    const ended = new Set(cancel)
    const made = create.map((each) => ({ id: `d${++this.created}`, ...each }))
    this.live = [...existing.filter((each) => !ended.has(each)), ...made]
    return cancel.length + create.length
  }

  /** The event and the level that each dispatch has at a time. */
  at(time: number) {
    return this.live.flatMap(({ eventId, intervals }) =>
      intervals
        .filter(({ end, start }) => start <= time && time < end)
        .map(({ directive }) => `${eventId} ${(directive as { readonly watts: number }).watts}`)
    )
  }
}

const expectOracle = (planner: Planner, events: ReadonlyArray<PlannableEvent>, now: number, label: string) => {
  const from = Math.ceil(now / MINUTE) * MINUTE
  for (let at = from; at < now + HORIZON; at += MINUTE) {
    const [wanted, found] = [oracle(events, at), planner.at(at)]
    if (found.length > 1 || found[0] !== wanted) {
      expect({ label, at: new Date(at).toISOString(), found }).toEqual({
        label,
        at: new Date(at).toISOString(),
        found: wanted === undefined ? [] : [wanted]
      })
    }
  }
}

/** The text of a time in a zone, with the zone's offset then. */
const localTime = (at: number, timeZone: string) => {
  const offset = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")!
    .value.slice(3)
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(offset === "" ? "+00:00" : offset)!
  const shift = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === "-" ? -1 : 1)
  return `${new Date(at + shift).toISOString().slice(0, 19)}${sign}${hours}:${minutes}`
}

/** The night in which clocks change, in the middle of the time that is planned. */
const changes = [
  ["spring in Los Angeles", "America/Los_Angeles", "2026-03-08T10:00:00Z"],
  ["autumn in Los Angeles", "America/Los_Angeles", "2026-11-01T09:00:00Z"],
  ["spring in Berlin", "Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["autumn in Berlin", "Europe/Berlin", "2026-10-25T01:00:00Z"]
] as const

const durations = ["PT15M", "PT1H", "PT90M", "PT6H", "P1D", "PT25H", "P2D", "P9999Y"]

const makeEvent = (random: Random, id: string, around: number, zone: string): Given => ({
  id,
  priority: random.pick([null, 0, 1, 1, 2]),
  createdAt: random.below(5),
  start: localTime(around + (random.below(5 * 96) - 2 * 96) * 15 * MINUTE, zone),
  duration: random.pick(durations),
  levels: Array.from({ length: 1 + random.below(4) }, () => random.pick([0, 1, 2, 3]))
})

describe("dispatches that are planned again and again", () => {
  test.each(changes)(
    "hold each minute once, by the event that governs it, while events come, change and go around the change of clocks of %s",
    (_, zone, instant) => {
      const change = Date.parse(instant)
      for (let seed = 1; seed <= 6; seed++) {
        const random = new Random(seed)
        const planner = new Planner()
        let ids = 0
        let given: ReadonlyArray<Given> = []
        for (let now = change - 50 * HOUR; now < change + 30 * HOUR; now += (1 + random.below(300)) * MINUTE) {
          const kind = random.pick(["stay", "stay", "add", "add", "change", "remove"])
          if (kind === "add" || given.length === 0) given = [...given, makeEvent(random, `e${++ids}`, change, zone)]
          else if (kind === "change") {
            const { id } = random.pick(given)
            given = given.map((each) => (each.id === id ? makeEvent(random, id, change, zone) : each))
          } else if (kind === "remove") {
            const removed = random.pick(given)
            given = given.filter((each) => each !== removed)
          }
          const events = given.map(toEvent)
          planner.plan(events, now)
          const label = `seed ${seed}, ${kind} at ${new Date(now).toISOString()}`
          expectOracle(planner, events, now, label)
          expect(planner.plan(events, now + 30_000), label).toBe(0)
          // One for each event and each of its days.
          const days = planner.live
            .filter(({ intervals }) => intervals.at(-1)!.end >= now + MINUTE)
            .map(({ eventId, intervals }) => {
              const { startsAt } = events.find(({ id }) => id === eventId)!
              return `${eventId} ${Math.floor((intervals[0]!.start - startsAt) / DAY)}`
            })
          expect(new Set(days).size, label).toBe(days.length)
        }
      }
    },
    60_000
  )

  test("stay as they are until they have ended, also of an event that has lasted for weeks and that others interrupt", () => {
    const start = Date.parse("2026-03-01T17:30:00Z")
    const base = { createdAt: 0, levels: [1] }
    const events = [
      { ...base, id: "endless", priority: 5, start: new Date(start).toISOString(), duration: "P9999Y" },
      ...Array.from({ length: 20 }, (_, n) => ({
        ...base,
        id: `peak-${n}`,
        priority: 1,
        start: new Date(start + n * DAY + 3 * HOUR + n * 17 * MINUTE).toISOString(),
        duration: "PT1H",
        levels: [2, 3]
      }))
    ].map(toEvent)
    const planner = new Planner()
    for (let now = start - HOUR; now < start + 20 * DAY; now += 23 * MINUTE) {
      planner.plan(events, now)
      expectOracle(planner, events, now, new Date(now).toISOString())
    }
    // A dispatch for each peak, and for each day of the endless one up to the horizon.
    expect(planner.created).toBe(20 + 22)
  }, 60_000)
})
