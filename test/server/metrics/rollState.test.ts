import { type DeviceType } from "@edp/domain/devices/DeviceType"
import { deviceIntervals } from "@edp/server/energy/deviceIntervals"
import { type EnergyReading, carriedBy } from "@edp/server/energy/quantities"
import { QUARTER, quarterIndex, type Span } from "@edp/server/energy/intervals"
import { tailIntervals, incrementalTail } from "@edp/server/metrics/rollState"
import { describe, expect, test } from "vitest"
import { Random } from "../../support/Random.ts"
import { measuredTypes, someReadings } from "./someReadings.ts"

const start = Date.UTC(2026, 0, 30, 7, 11, 13, 123)
const LIMIT = 30

const makeReadings = (random: Random, type: DeviceType) =>
  someReadings(random, type, start, 5 + random.below(60)) as unknown as ReadonlyArray<EnergyReading>

/** A device of which the readings before a place are rolled up. */
const rolledTo = (type: DeviceType, readings: ReadonlyArray<EnergyReading>, place: number) => ({
  deviceId: "",
  type,
  ratedPower: undefined,
  firstAt: start,
  watermark: place === 0 ? null : readings[place - 1]!.at,
  sealedUntil: null,
  invalidated: [],
  fields: carriedBy(type, readings.slice(0, place)),
  newest: readings.at(-1)!.at
})

/** The tail as the database returns it: a limited number of readings, the one before them and the one after. */
const foundIn = (readings: ReadonlyArray<EnergyReading>, { from, to }: Span) => [
  ...readings.filter(({ at }) => at < from).slice(-1),
  ...readings.filter(({ at }) => at >= from && at < to).slice(0, LIMIT),
  ...readings.filter(({ at }) => at >= to).slice(0, 1)
]

/** All figures of the span, those that are nought left out. */
const toFigures = (intervals: ReturnType<typeof deviceIntervals>) =>
  Array.from(intervals, ([quantity, { amounts, covered }]) => ({
    quantity,
    amounts: Array.from(amounts),
    covered: Array.from(covered)
  })).filter(({ amounts, covered }) => [...amounts, ...covered].some((each) => each !== 0 && !Number.isNaN(each)))

/** Rolls up the tail of some readings; returns the result, and what all readings together report. */
const through = (random: Random) => {
  const type = random.pick(measuredTypes)
  const all = makeReadings(random, type)
  const place = random.below(all.length)
  const device = rolledTo(type, all, place)
  const tail = incrementalTail(device)!
  const computed = tailIntervals(device, tail, foundIn(all, tail), LIMIT)
  if (computed === undefined) return undefined
  const until = all.filter(({ at }) => at <= computed.watermark)
  const before = { from: quarterIndex(start - 1) * QUARTER, to: tail.from }
  return {
    figures: toFigures(computed.intervals),
    expected: toFigures(deviceIntervals(device, until, computed.span)),
    before: toFigures(deviceIntervals(device, all.slice(0, place), before)),
    after: toFigures(deviceIntervals(device, until, before)),
    isLast: computed.watermark === device.newest,
    isAdvanced: computed.watermark > (device.watermark ?? 0)
  }
}

describe("the tail of a device's readings", () => {
  const outcomes = Array.from({ length: 6000 }, (_, seed) => through(new Random(seed)))
  const computed = outcomes.filter((each) => each !== undefined)

  test("returns the energy of all readings up to it, or reports that more readings are needed", () => {
    for (const { figures, expected } of computed) expect(figures).toEqual(expected)
    expect(computed.length).toBeGreaterThan(500)
    expect(outcomes.length - computed.length).toBeGreaterThan(100)
  })

  test("changes nothing before it", () => {
    for (const { before, after } of computed) expect(after).toEqual(before)
  })

  test("is rolled up as far as it was read, and always further than before", () => {
    expect(computed.every(({ isAdvanced }) => isAdvanced)).toBe(true)
    expect(new Set(computed.map(({ isLast }) => isLast))).toEqual(new Set([true, false]))
  })

  test("is not used after late readings, or readings before dropped ones", () => {
    const type = "inverter"
    const all = makeReadings(new Random(1), type)
    const device = rolledTo(type, all, 3)
    expect(incrementalTail(device)).toBeDefined()
    expect(incrementalTail({ ...device, invalidated: [[start, start]] })).toBeUndefined()
    expect(incrementalTail({ ...device, sealedUntil: device.newest })).toBeUndefined()
    expect(incrementalTail({ ...device, newest: device.watermark! })).toBeUndefined()
  })
})
