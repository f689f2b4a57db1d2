import type { BaselineParameters } from "@edp/domain/dispatches/Dispatch"
import type { DisturbanceRow } from "@edp/server/dispatches/reports/DispatchReportsRepository"
import type { SiteOutcome } from "@edp/server/dispatches/reports/outcomeValues"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"
import { federalHolidays } from "./federalHolidays.ts"
import { type ReferenceDay, type ReferenceQuestion, referenceBaseline } from "./referenceBaseline.ts"
import { computeOutcome, makeFrame, siteId } from "./siteOutcome.ts"
import { someUse } from "./someUse.ts"

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

const timezones = [
  "America/Los_Angeles",
  "America/New_York",
  "Europe/Berlin",
  "America/Phoenix",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Cairo"
]

const ask = (method: ReferenceQuestion["method"], random: Random) => {
  const timezone = random.pick(timezones)
  // Windows near clock changes, near holidays, and anywhere.
  const near = random.pick([
    "2025-03-12",
    "2025-04-02",
    "2025-04-08",
    "2025-10-07",
    "2025-11-05",
    "2025-12-03",
    "2026-01-06"
  ])
  const day = Date.parse(near) + random.below(25) * DAY
  const start = day + random.below(24 * 12) * 5 * MINUTE
  const length = random.pick([5 * MINUTE, 20 * MINUTE, HOUR, 3 * HOUR, 3 * HOUR, 9 * HOUR, 24 * HOUR, 50 * HOUR])
  const end = start + length
  const elapsed = random.pick([1, 1, 1, 0.5])
  const now = start + Math.ceil((length * elapsed) / MINUTE) * MINUTE + random.pick([0, 0, 40 * DAY])
  const parameters: BaselineParameters = {
    lookbackDays: random.pick([7, 30, 60, 60]),
    adjustment: random.chance(0.8),
    holidays: random.pick(["us-federal", "us-federal", "none"]),
    extraHolidays: random.chance(0.3) ? [new Date(day - 5 * DAY).toISOString().slice(0, 10)] : [],
    ...(random.chance(0.3) ? { x: 1 + random.below(6) } : {}),
    ...(random.chance(0.3) ? { y: 3 + random.below(8) } : {})
  }
  const disturbances = Array.from({ length: random.pick([0, 0, 2, 8]) }, (): DisturbanceRow => {
    // None on the day itself, except before the start.
    const from = start - random.below(40 * 24) * HOUR - 2 * HOUR
    return { siteId, reason: random.pick(["dispatch", "outage"]), from, to: from + random.pick([1, 2]) * HOUR }
  })
  const use = someUse(random, method === "match-day-3" ? [50, 2000] : undefined)
  const frame = makeFrame({ method, parameters, start, end, now })
  const question: ReferenceQuestion = {
    timezone,
    start,
    end,
    now,
    method,
    ...parameters,
    lookbackDays: parameters.lookbackDays!,
    adjustment: parameters.adjustment!,
    holidays: [...(parameters.holidays === "none" ? [] : federalHolidays), ...parameters.extraHolidays!],
    disturbances,
    use: use.use
  }
  return { disturbances, frame, question, timezone, use }
}

const isNear = (one: number, other: number) => Math.abs(one - other) <= 100 + 3e-6 * Math.abs(other)

/** The first difference between what the service and the reference found, in words. */
const difference = (found: SiteOutcome, reference: ReadonlyArray<ReferenceDay>, passed: number): string | undefined => {
  for (const [number, expected] of reference.entries()) {
    const day = found.days[number]
    const { baseline: _, factor, offsetW, ...plain } = expected
    const { adjustment, unadjusted, ...rest } = day ?? {}
    if (JSON.stringify(Object.entries(rest).toSorted()) !== JSON.stringify(Object.entries(plain).toSorted())) {
      return `${JSON.stringify(rest)} is not ${JSON.stringify(plain)}`
    }
    const isSame = (one: number | null | undefined, other: number | null) =>
      (one ?? null) === null || other === null ? (one ?? null) === other : Math.abs(one! - other) < 0.01
    if (!isSame(adjustment?.factor, factor) || !isSame(adjustment?.offsetW, offsetW)) {
      return `${JSON.stringify({ adjustment, unadjusted })} is not ${factor} or ${offsetW}`
    }
  }
  if (found.days.length !== reference.length) return `${found.days.length} days`
  if (reference.some(({ baseline }) => baseline === undefined)) {
    return found.baseline.length === 0 ? undefined : "a baseline from too few days"
  }
  const baseline = reference.flatMap((each) => each.baseline!).slice(0, passed)
  if (baseline.length !== found.baseline.length) return "another number of intervals"
  for (const [index, expected] of baseline.entries()) {
    const amount = found.baseline[index]!
    const isEqual =
      amount === null || expected === null ? amount === null && expected === null : isNear(Number(amount), expected)
    if (!isEqual) {
      return `interval ${index}: ${amount} is not ${expected}`
    }
  }
  return undefined
}

const methods = ["x-of-y", "10-of-10", "middle-8-of-10", "match-day-3", "device-metered"] as const

const compare = async (method: ReferenceQuestion["method"], seed: number) => {
  const { disturbances, frame, question, timezone, use } = ask(method, new Random(seed))
  if (frame.passed === 0) return true
  const found = await computeOutcome(frame, timezone, disturbances, use.measured)
  if (found.reason === "outage") return true
  const differs = difference(found, referenceBaseline(question), frame.passed)
  if (differs !== undefined) throw new Error(`${JSON.stringify({ ...question, seed })}: ${differs}`)
  return true
}

describe("a baseline from like days", () => {
  test("a dispatch over the hour that clocks show twice has one day", async () => {
    // 20 minutes around the end of summer time in Berlin.
    expect(await compare("match-day-3", 1_988_709_609)).toBe(true)
  })

  test.each(methods)(
    "%s equals the plain reference over series with gaps, holidays, other dispatches and clock changes",
    async (method) => {
      const result = await Effect.runPromise(
        Arbitrary.checkEffect(
          Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))),
          (seed) => Effect.promise(() => compare(method, seed)),
          { runs: method === "match-day-3" ? 60 : 150 }
        )
      )
      expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    }
  )
})
