import { findOverlaps } from "@edp/domain/schedules/week"
import { formatLocal } from "@edp/server/schedules/localTime"
import { modeAt, nextTransitions, type Timetable, transitionAfter } from "@edp/server/schedules/transitions"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { expectedTransitions, holdings, type Stretch, weekOfRules } from "./minuteByMinute.ts"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LEAD = 3
const DAYS = 9

/** Both clock changes of zones with whole, half and quarter hours, at midnight, by half an hour, and a day that was skipped. */
const changes = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/St_Johns", "2026-03-08"],
  ["America/St_Johns", "2026-11-01"],
  ["America/St_Johns", "2010-03-14"],
  ["America/St_Johns", "2010-11-07"],
  ["Asia/Kathmandu", "2026-03-29"],
  ["Asia/Kathmandu", "1986-01-01"],
  ["America/Sao_Paulo", "2018-11-04"],
  ["America/Havana", "2026-11-01"],
  ["Pacific/Apia", "2011-12-30"]
] as const

/** A stretch around a change; its first days let the oracle's clock settle. */
const stretchAround = ([timezone, date]: (typeof changes)[number]): Stretch => ({
  timezone,
  from: Date.parse(`${date}T00:00:00Z`) - (LEAD + 3) * DAY,
  minutes: ((LEAD + DAYS) * DAY) / MINUTE
})

const time = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Half of the times are in the hours in which clocks change. */
const minutes = Schema.Union([between(0, 240), between(0, 1439)])
const modes = Schema.Literals(["charge", "discharge", "idle"])
const cases = Schema.Struct({
  change: Schema.Literals(changes.map((_, index) => index)),
  defaultMode: Schema.NullOr(modes),
  rules: Schema.Array(
    Schema.Struct({
      daysOfWeek: Schema.Array(between(0, 6)).check(Schema.isMaxLength(7)),
      start: minutes,
      end: minutes,
      mode: modes
    })
  ).check(Schema.isMaxLength(8)),
  /** Milliseconds into the stretch. */
  at: between(LEAD * DAY, (LEAD + DAYS - 1) * DAY)
})

/** The given rules without those that overlap one before them. */
const toTimetable = ({ change, defaultMode, rules }: typeof cases.Type): Timetable<string> => {
  const kept: Array<Timetable<string>["rules"][number]> = []
  for (const { daysOfWeek, end, mode, start } of rules) {
    const rule = { daysOfWeek: [...new Set(daysOfWeek)], startTime: time(start), endTime: time(end), mode }
    if (findOverlaps([...kept, rule]).length === 0) kept.push(rule)
  }
  return { timezone: changes[change]![0], defaultMode, rules: kept }
}

const check = (holds: (input: typeof cases.Type) => boolean, runs: number) =>
  Arbitrary.formatCheckFailure(
    Effect.runSync(Arbitrary.checkEffect(Arbitrary.schema(cases), (input) => Effect.sync(() => holds(input)), { runs }))
  )

describe("the transitions of a schedule", () => {
  test("are those that a look at the local clock in every minute finds, through every clock change", () => {
    const failure = check((input) => {
      const timetable = toTimetable(input)
      const stretch = stretchAround(changes[input.change]!)
      const from = stretch.from + LEAD * DAY
      const until = stretch.from + stretch.minutes * MINUTE
      const found = nextTransitions(timetable, from, 200).filter((one) => one.from < until)
      return JSON.stringify(found) === JSON.stringify(expectedTransitions(timetable, stretch, LEAD))
    }, 600)
    expect(failure).toBeUndefined()
  })

  test("begin with the first one after a time, and the mode that holds then is that of the minute", () => {
    const failure = check((input) => {
      const timetable = toTimetable(input)
      const stretch = stretchAround(changes[input.change]!)
      const at = stretch.from + input.at
      const next = expectedTransitions(timetable, stretch, LEAD).find(({ from }) => from > at)
      const after = transitionAfter(timetable, at)
      const isNext = next === undefined ? after === undefined || after > at + DAY : after === next.from
      return isNext && modeAt(timetable, at) === holdings(timetable, stretch)[Math.floor(input.at / MINUTE)]!.mode
    }, 600)
    expect(failure).toBeUndefined()
  })

  test("continue without a gap or a repetition, however few are asked for at a time", () => {
    const failure = check((input) => {
      const timetable = toTimetable(input)
      const from = stretchAround(changes[input.change]!).from
      const all = nextTransitions(timetable, from, 30)
      const single: Array<unknown> = []
      for (let at = from; single.length < all.length;) {
        const [one] = nextTransitions(timetable, at, 1)
        single.push(one)
        at = one!.from + 1
      }
      return JSON.stringify(all) === JSON.stringify(single)
    }, 100)
    expect(failure).toBeUndefined()
  })

  const daily = (startTime: string, endTime: string) => ({ daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startTime, endTime })
  const local = (timetable: Timetable<string>, from: string, count: number) =>
    nextTransitions(timetable, Date.parse(from), count).map(
      ({ from: at, mode }) => `${formatLocal(at, timetable.timezone)} ${mode}`
    )

  test("come at the first instant after the gap if clocks skip their local time", () => {
    const timetable = {
      timezone: "Europe/Berlin",
      defaultMode: "idle",
      rules: [{ ...daily("02:30", "05:00"), mode: "charge" }]
    }
    expect(local(timetable, "2026-03-28T20:00:00Z", 2)).toEqual([
      "2026-03-29T03:00:00+02:00 charge",
      "2026-03-29T05:00:00+02:00 idle"
    ])
  })

  test("come once, at the first occurrence, if clocks repeat their local time", () => {
    const timetable = {
      timezone: "America/New_York",
      defaultMode: "idle",
      rules: [{ ...daily("01:30", "05:00"), mode: "charge" }]
    }
    expect(local(timetable, "2026-11-01T00:00:00Z", 2)).toEqual([
      "2026-11-01T01:30:00-04:00 charge",
      "2026-11-01T05:00:00-05:00 idle"
    ])
  })

  test("leave out a rule that lies in the gap as a whole", () => {
    const timetable = {
      timezone: "Australia/Lord_Howe",
      defaultMode: "idle",
      rules: [{ ...daily("02:05", "02:25"), mode: "charge" }]
    }
    expect(local(timetable, "2026-10-03T12:00:00Z", 1)).toEqual(["2026-10-05T02:05:00+11:00 charge"])
  })

  test("are none between neighbours with equal modes, nor at the end of a rule without a default mode", () => {
    const rules = [
      { ...daily("08:00", "10:00"), mode: "charge" },
      { ...daily("10:00", "12:00"), mode: "charge" }
    ]
    expect(local({ timezone: "UTC", defaultMode: null, rules }, "2026-06-01T00:00:00Z", 2)).toEqual([
      "2026-06-01T08:00:00+00:00 charge",
      "2026-06-02T08:00:00+00:00 charge"
    ])
  })

  test("never come if every mode is the same, or there is no rule", () => {
    const rules = [{ ...daily("08:00", "10:00"), mode: "idle" }]
    expect(transitionAfter({ timezone: "UTC", defaultMode: "idle", rules }, 0)).toBeUndefined()
    expect(transitionAfter({ timezone: "UTC", defaultMode: "idle", rules: [] }, 0)).toBeUndefined()
    expect(
      transitionAfter({ timezone: "UTC", defaultMode: null, rules: [{ ...daily("08:00", "08:00"), mode: "idle" }] }, 0)
    ).toBeUndefined()
  })
})

describe("overlapping rules", () => {
  test("are found exactly where two occurrences share a minute of the week", () => {
    const failure = check(({ rules }) => {
      const times = rules.map(({ daysOfWeek, end, start }) => ({
        daysOfWeek: [...new Set(daysOfWeek)],
        startTime: time(start),
        endTime: time(end)
      }))
      const overlapping = new Set(findOverlaps(times).map(({ rule }) => rule))
      return times.every((rule, index) => {
        const earlier = times.slice(0, index).map((one) => weekOfRules([{ ...one, mode: "" }]))
        const days = rule.daysOfWeek.map((day) => weekOfRules([{ ...rule, daysOfWeek: [day], mode: "" }]))
        const count = (minute: number) => [...earlier, ...days].filter((week) => week[minute] !== null).length
        const own = days.flatMap((week) => week.flatMap((held, minute) => (held === null ? [] : [minute])))
        return overlapping.has(index) === own.some((minute) => count(minute) > 1)
      })
    }, 60)
    expect(failure).toBeUndefined()
  })
})
