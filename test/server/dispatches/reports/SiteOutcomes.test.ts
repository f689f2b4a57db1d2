import type { BaselineMethod, BaselineParameters } from "@edp/domain/dispatches/Dispatch"
import { makeControlGroup, meterBefore } from "@edp/server/dispatches/baselines/otherBaselines"
import type { DisturbanceRow } from "@edp/server/dispatches/reports/DispatchReportsRepository"
import { siteSums } from "@edp/server/dispatches/reports/outcomeValues"
import type { Span } from "@edp/server/energy/intervals"
import { describe, expect, test } from "vitest"
import { computeOutcome, makeFrame, siteId } from "../baselines/siteOutcome.ts"

const [QUARTER, HOUR, DAY] = [900_000, 3_600_000, 86_400_000]
const timezone = "America/Los_Angeles"

const zoned = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone)
const at = (local: string) => Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds
const micro = (watts: number, { from, to }: Span) => BigInt(Math.round((watts * 1e6 * (to - from)) / HOUR))

/** The power of a home, W, by the local date and hour; undefined where it is not measured. */
type Power = (date: string, hour: number) => number | undefined

const measuring =
  (power: Power) =>
  (span: Span): { readonly amount: bigint | null; readonly covered: number } => {
    const local = zoned(span.from)
    const watts = power(local.toPlainDate().toString(), local.hour)
    return watts === undefined
      ? { amount: null, covered: 0 }
      : { amount: micro(watts, span), covered: span.to - span.from }
  }

/** A dispatch on Tuesday, 2026-05-19, from 17 to 18 o'clock, unless another time is given. */
const compute = async (
  method: BaselineMethod,
  power: Power,
  given: {
    readonly parameters?: BaselineParameters
    readonly from?: string
    readonly to?: string
    readonly disturbances?: ReadonlyArray<DisturbanceRow>
  } = {}
) => {
  const start = at(given.from ?? "2026-05-19T17:00")
  const end = at(given.to ?? "2026-05-19T18:00")
  const frame = makeFrame({
    method,
    start,
    end,
    now: end + 30 * DAY,
    ...(given.parameters && { parameters: given.parameters })
  })
  const found = await computeOutcome(frame, timezone, given.disturbances ?? [], measuring(power))
  const { actual, baseline, time } = siteSums(found, frame.intervals)
  const [day] = found.days
  return {
    reason: found.reason,
    used: day?.daysUsed ?? [],
    leftOut: Object.fromEntries((day?.daysLeftOut ?? []).map(({ date, reason }) => [date, reason])),
    adjustment: day?.adjustment,
    unadjusted: day?.unadjusted,
    days: found.days,
    /** Mean powers, W. */
    baselineW: time === 0 ? null : Number(baseline) / 1e6 / (time / HOUR),
    actualW: time === 0 ? null : Number(actual) / 1e6 / (time / HOUR)
  }
}

const unadjusted = { adjustment: false }

/** The 10 weekdays before 2026-05-19, the latest first. */
const weekdays = [18, 15, 14, 13, 12, 11, 8, 7, 6, 5].map((day) => `2026-05-${String(day).padStart(2, "0")}`)

/** From 17 to 18 o'clock 1000 W on the latest weekday, 2000 W on the one before, …; 500 W at any other time. */
const rising: Power = (date, hour) => {
  if (hour !== 17) return 500
  return date === "2026-05-19" ? 300 : (weekdays.indexOf(date) + 1) * 1000
}

describe("x-of-y", () => {
  test("is the mean of the 5 weekdays of the latest 10 with the highest use in the window", async () => {
    const found = await compute("x-of-y", rising, { parameters: unadjusted })
    expect(found).toMatchObject({ reason: undefined, baselineW: 8000, actualW: 300, unadjusted: "not_requested" })
    expect(found.used).toEqual(weekdays.slice(5))
    expect(found.leftOut).toEqual(Object.fromEntries(weekdays.slice(0, 5).map((day) => [day, "not_among_the_highest"])))
  })

  test("takes other numbers of days", async () => {
    const found = await compute("x-of-y", rising, { parameters: { ...unadjusted, x: 2, y: 4 } })
    expect(found).toMatchObject({ used: weekdays.slice(2, 4), baselineW: 3500 })
  })

  test("on a weekend day is the mean of the 3 highest of the latest 5 weekend days", async () => {
    const powers: Readonly<Record<string, number>> = { "16": 100, "10": 200, "09": 300, "03": 400, "02": 500 }
    const found = await compute("x-of-y", (date) => powers[date.slice(8)] ?? 7, {
      from: "2026-05-17T17:00",
      to: "2026-05-17T18:00",
      parameters: unadjusted
    })
    expect(found.used).toEqual(["2026-05-09", "2026-05-03", "2026-05-02"])
    expect(found.baselineW).toBe(400)
  })

  test("counts holidays as weekend days, those that are given too", async () => {
    const onMonday = (parameters: BaselineParameters) =>
      compute("x-of-y", () => 1000, {
        from: "2026-07-06T17:00",
        to: "2026-07-06T18:00",
        parameters: { ...parameters, x: 3, y: 3 }
      })
    expect((await onMonday({})).used).toEqual(["2026-07-02", "2026-07-01", "2026-06-30"])
    expect((await onMonday({ holidays: "none" })).used).toEqual(["2026-07-03", "2026-07-02", "2026-07-01"])
    expect((await onMonday({ extraHolidays: ["2026-07-01"] })).used).toEqual(["2026-07-02", "2026-06-30", "2026-06-29"])
    const onHoliday = await compute("x-of-y", () => 1000, { from: "2026-07-03T17:00", to: "2026-07-03T18:00" })
    expect(onHoliday.days[0]).toMatchObject({
      dayType: "weekend",
      daysUsed: ["2026-06-28", "2026-06-27", "2026-06-21"]
    })
  })

  test("leaves out days with another dispatch, with an outage and with coverage below 0.9, and reads further back", async () => {
    const disturbances: ReadonlyArray<DisturbanceRow> = [
      { siteId, reason: "dispatch", from: at("2026-05-18T05:00"), to: at("2026-05-18T06:00") },
      { siteId, reason: "outage", from: at("2026-05-14T23:30"), to: at("2026-05-15T00:30") }
    ]
    const power: Power = (date, hour) => (date === "2026-05-13" && hour === 17 ? undefined : 1000)
    const found = await compute("x-of-y", power, { disturbances, parameters: { x: 3, y: 3 } })
    expect(found.used).toEqual(["2026-05-12", "2026-05-11", "2026-05-08"])
    expect(found.leftOut).toEqual({
      "2026-05-18": "dispatch",
      "2026-05-15": "outage",
      "2026-05-14": "outage",
      "2026-05-13": "low_coverage"
    })
  })

  test("has no value with fewer than 3 usable days, and never 0", async () => {
    const power: Power = (date) => (date < "2026-05-15" ? undefined : 1000)
    expect(await compute("x-of-y", power)).toMatchObject({ reason: "too_few_days", used: [], baselineW: null })
    const three: Power = (date) => (date < "2026-05-14" ? undefined : 1000)
    expect(await compute("x-of-y", three)).toMatchObject({ reason: undefined, baselineW: 1000 })
  })

  test("has no value where readings cover less than 0.9 of the window", async () => {
    const power: Power = (date, hour) => (date === "2026-05-19" && hour === 18 ? undefined : 1000)
    const given = { from: "2026-05-19T17:00", to: "2026-05-19T18:15" }
    expect(await compute("x-of-y", power, given)).toMatchObject({ reason: "low_coverage" })
    const none: Power = (date) => (date === "2026-05-19" ? undefined : 1000)
    expect(await compute("x-of-y", none)).toMatchObject({ reason: "no_readings" })
  })

  test("sums only the intervals in which both baseline and use are known", async () => {
    // 2:00 is a tenth of the window.
    const power: Power = (date, hour) => (date === "2026-05-19" && hour === 2 ? undefined : hour * 100)
    const given = { from: "2026-05-19T02:45", to: "2026-05-19T05:15", parameters: unadjusted }
    const found = await compute("x-of-y", power, given)
    // 4 quarters of 300 W, 4 of 400 W and one of 500 W
    expect(found.baselineW).toBeCloseTo((4 * 300 + 4 * 400 + 500) / 9, 6)
    expect(found.actualW).toBe(found.baselineW)
  })
})

describe("the same-day adjustment", () => {
  /** A home that always uses 1000 W, and this much on the day from 14 to 16 o'clock. */
  const before =
    (watts: number | undefined): Power =>
    (date, hour) =>
      date === "2026-05-19" && (hour === 14 || hour === 15) ? watts : 1000

  test.each([
    [1100, 1.1],
    [950, 0.95],
    [1900, 1.2],
    [100, 0.8],
    [-400, 0.8]
  ])(
    "multiplies by actual ÷ baseline over the two hours that end one hour before the start: %i W make %f",
    async (watts, factor) => {
      const found = await compute("10-of-10", before(watts))
      expect(found.adjustment).toEqual({ kind: "multiplicative", factor, offsetW: null })
      expect(found.baselineW).toBeCloseTo(1000 * factor, 3)
    }
  )

  test("adds the difference where the baseline crosses zero", async () => {
    // A home that exports 400 W in the hours of the adjustment, and 700 W on the day.
    const power: Power = (date, hour) => {
      if (hour === 14 || hour === 15) return date === "2026-05-19" ? -700 : -400
      return 1000
    }
    const found = await compute("10-of-10", power)
    expect(found.adjustment).toEqual({ kind: "additive", factor: null, offsetW: -300 })
    expect(found.baselineW).toBe(700)
  })

  test("multiplies a baseline that exports all the time", async () => {
    const power: Power = (date, hour) => (date === "2026-05-19" && hour < 16 ? -1100 : -1000)
    expect((await compute("10-of-10", power)).adjustment).toMatchObject({ factor: 1.1 })
  })

  test("is left out where its hours are not known, or had another dispatch", async () => {
    expect(await compute("10-of-10", before(undefined))).toMatchObject({
      adjustment: null,
      unadjusted: "low_coverage",
      baselineW: 1000
    })
    const disturbances = [
      { siteId, reason: "dispatch", from: at("2026-05-19T15:45"), to: at("2026-05-19T16:00") }
    ] as const
    expect(await compute("10-of-10", before(1100), { disturbances })).toMatchObject({
      adjustment: null,
      unadjusted: "dispatch",
      baselineW: 1000
    })
  })
})

describe("other choices of days", () => {
  test("10-of-10 is the mean of the latest 10 weekdays", async () => {
    const found = await compute("10-of-10", rising, { parameters: unadjusted })
    expect(found).toMatchObject({ used: weekdays, leftOut: {}, baselineW: 5500 })
  })

  test("middle-8-of-10 is their mean without the highest and the lowest", async () => {
    const peak: Power = (date, hour) => (date === weekdays[3] && hour === 17 ? 90_000 : rising(date, hour))
    const found = await compute("middle-8-of-10", peak, { parameters: unadjusted })
    expect(found.leftOut).toEqual({ [weekdays[0]!]: "lowest", [weekdays[3]!]: "highest" })
    expect(found.baselineW).toBe((2 + 3 + 5 + 6 + 7 + 8 + 9 + 10) * 125)
  })

  test("match-day-3 takes the days that are most alike outside the window and an hour around it", async () => {
    // The use at 10 o'clock tells the days apart; that at 16 and at 18 o'clock must not count.
    const power: Power = (date, hour) => {
      const index = weekdays.indexOf(date)
      if (hour === 16 || hour === 18) return index * 50_000
      if (hour === 10) return date === "2026-05-19" ? 3000 : ([0, 1000, 3100, 5000, 2900, 3300, 0, 0, 0, 0][index] ?? 0)
      return hour === 17 ? (date === "2026-05-19" ? 300 : (index + 1) * 1000) : 500
    }
    const found = await compute("match-day-3", power, { parameters: { lookbackDays: 14 } })
    expect(found.used).toEqual([weekdays[2], weekdays[4], weekdays[5]])
    expect(found.leftOut[weekdays[3]!]).toBe("less_alike")
    expect(found.baselineW).toBeCloseTo((3000 + 5000 + 6000) / 3, 5)
    expect(found.unadjusted).toBe("method")
  })

  test("device-metered is what the battery did less what it does at these hours of the like days", async () => {
    // It usually discharges with 200 W, and with 4200 W in the dispatch.
    const found = await compute("device-metered", (date) => (date === "2026-05-19" ? -4200 : -200))
    expect(found).toMatchObject({ used: weekdays, baselineW: -200, actualW: -4200, unadjusted: "method" })
  })
})

describe("a clock change", () => {
  const onSunday = (from: string, to: string) =>
    compute("10-of-10", (_, hour) => hour * 100, { from, to, parameters: { ...unadjusted, lookbackDays: 21 } })

  test("that skips a part of the window leaves the day out", async () => {
    // Clocks went from 2:00 to 3:00 on 2026-03-08.
    const found = await onSunday("2026-03-15T02:00", "2026-03-15T03:00")
    expect(found.leftOut).toEqual({ "2026-03-08": "clock_change" })
    expect(found.baselineW).toBe(200)
  })

  test("leaves a window at the same time by the clock", async () => {
    const found = await onSunday("2026-03-15T17:00", "2026-03-15T18:00")
    // Five of these seven days are before the change.
    expect(found.used).toHaveLength(6)
    expect(found.baselineW).toBe(1700)
    expect((await onSunday("2025-11-09T17:00", "2025-11-09T18:00")).baselineW).toBe(1700)
  })

  test("that repeats an hour within the dispatch compares both with that hour of the like days", async () => {
    // From 1:00 to 2:00 by the clock, which were two hours on 2025-11-02.
    const start = Date.parse("2025-11-02T08:00:00Z")
    const frame = makeFrame({
      method: "10-of-10",
      parameters: { adjustment: false },
      start,
      end: start + 2 * HOUR,
      now: start + DAY
    })
    const found = await computeOutcome(
      frame,
      timezone,
      [],
      measuring((_, hour) => hour * 100 + 7)
    )
    expect(found.baseline).toEqual(Array.from({ length: 8 }, () => micro(107, { from: 0, to: QUARTER })))
  })
})

describe("a dispatch of more than 24 hours", () => {
  test("has like days for each day, and is adjusted on the first one", async () => {
    // Friday, 17:00, to Sunday, 5:00: a weekday and a weekend day
    const found = await compute("10-of-10", (date) => (Temporal.PlainDate.from(date).dayOfWeek > 5 ? 1000 : 2000), {
      from: "2026-05-15T17:00",
      to: "2026-05-17T05:00"
    })
    expect(
      found.days.map(({ adjustment, date, dayType, unadjusted: reason }) => [date, dayType, adjustment?.factor, reason])
    ).toEqual([
      ["2026-05-15", "weekday", 1, undefined],
      ["2026-05-16", "weekend", undefined, "not_the_first_day"]
    ])
    expect(found.days[1]!.daysUsed.slice(0, 3)).toEqual(["2026-05-10", "2026-05-09", "2026-05-03"])
  })
})

describe("meter-before", () => {
  const quarters = (count: number, length = QUARTER): ReadonlyArray<Span> =>
    Array.from({ length: count }, (_, n) => ({ from: n * QUARTER, to: n * QUARTER + length }))
  const series = (...watts: ReadonlyArray<number | null>) =>
    watts.map((each) =>
      each === null ? { amount: null, covered: 0 } : { amount: micro(each, { from: 0, to: QUARTER }), covered: QUARTER }
    )

  test("is the mean of the hour before, by the length of each interval", () => {
    const window = [
      { from: 0, to: QUARTER },
      { from: QUARTER, to: QUARTER + 60_000 }
    ]
    expect(meterBefore(quarters(4), series(1000, 2000, 3000, 4000), window)).toEqual([
      micro(2500, window[0]!),
      micro(2500, window[1]!)
    ])
  })

  test("has no value where readings cover less than 0.9 of the hour", () => {
    expect(meterBefore(quarters(4), series(1000, null, 3000, 4000), quarters(1))).toBeUndefined()
  })
})

describe("hold-out", () => {
  const window: ReadonlyArray<Span> = [{ from: 0, to: QUARTER }]
  const used = (amount: bigint | null) => [{ amount, covered: amount === null ? 0 : QUARTER }]

  test("is the mean of the held-out sites with readings, of which 3 are needed", () => {
    const group = makeControlGroup(window)
    for (const amount of [100n, 200n]) group.add(used(amount), 1)
    group.add(used(null), 1)
    expect([group.sites(), group.baseline()]).toEqual([2, undefined])
    group.add(used(-450n), 1)
    expect([group.sites(), group.baseline()]).toEqual([3, [-50n]])
  })
})
