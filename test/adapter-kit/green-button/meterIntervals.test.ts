import { typeProblem } from "@edp/adapter-kit/green-button/meterIntervals"
import { describe, expect, test } from "vitest"
import { greenButtonFeed, RECEIVED, run, seconds, type FeedReading, type FeedSeries } from "./greenButtonFeed.ts"
import { readFile } from "./readFile.ts"

const midnight = seconds("2025-06-21T07:00:00Z")
const read = (...series: ReadonlyArray<FeedSeries>) => readFile(greenButtonFeed({ name: "01", series }))
const readings = (...blocks: ReadonlyArray<ReadonlyArray<FeedReading>>) => read({ blocks })
const watts = (all: ReadonlyArray<{ readonly watts: number }>) => all.map((interval) => interval.watts)

describe("intervals of a MeterReading", () => {
  test("intervals have the mean power of their energy", () => {
    expect(watts(readings(run(midnight, 900, [250, 0])).imported)).toEqual([1000, 0])
  })

  test("powerOfTenMultiplier scales values", () => {
    const kilowattHours = read({ type: { powerOfTenMultiplier: 3 }, blocks: [run(midnight, 3600, [2])] })
    expect(watts(kilowattHours.imported)).toEqual([2000])
    const milliwattHours = read({ type: { powerOfTenMultiplier: -3 }, blocks: [run(midnight, 3600, [412_300])] })
    expect(watts(milliwattHours.imported)).toEqual([412.3])
  })

  test("powers in W are taken as they are", () => {
    const { imported } = read({ type: { uom: 38, kind: 37 }, blocks: [run(midnight, 900, [700])] })
    expect(watts(imported)).toEqual([700])
  })

  test("readings without a timePeriod follow each other from the start of their block", () => {
    const text = greenButtonFeed({ name: "01", series: [{ blocks: [run(midnight, 3600, [100, 200])] }] })
    const { imported } = readFile(text.replaceAll(/^ *<timePeriod>.*\n/gmu, ""))
    expect(imported.map(({ from }) => from / 1000)).toEqual([midnight, midnight + 3600])
  })

  test("net energy is an import or an export by its sign", () => {
    const { exported, imported } = read({ type: { flowDirection: 4 }, blocks: [run(midnight, 3600, [500, -300])] })
    expect([watts(imported), watts(exported)]).toEqual([[500], [300]])
  })

  test("a register gives its differences", () => {
    const states = [1000, 1400, 1500].map((value, at) => ({ start: midnight + at * 3600, duration: 0, value }))
    const { imported, leftOut } = read({ type: { accumulationBehaviour: 1 }, blocks: [states] })
    expect(watts(imported)).toEqual([400, 100])
    expect(leftOut.size).toBe(0)
  })

  test("the fall of a register is left out", () => {
    const states = [1000, 1400, 20].map((value, at) => ({ start: midnight + at * 3600, duration: 0, value }))
    const { imported, leftOut } = read({ type: { accumulationBehaviour: 1 }, blocks: [states] })
    expect(watts(imported)).toEqual([400])
    expect([...leftOut]).toEqual([["of a register that fell", 1]])
  })

  test.each([
    [8, "estimated"],
    [9, "estimated"],
    [10, "questionable"],
    [12, "projected"],
    [15, "normalized for weather"]
  ])("values of quality %i are left out: %s", (quality, reason) => {
    const [one, other] = run(midnight, 3600, [100, 200])
    const { leftOut, readings: made } = readings([{ ...one!, quality }, other!])
    expect([...leftOut]).toEqual([[reason, 1]])
    expect(made.map(({ state }) => state["power"])).toEqual([200, 200])
  })

  test.each([0, 7, 11, 13, 14, 16, 17, 18, 19])("values of quality %i are taken", (quality) => {
    const [one] = run(midnight, 3600, [100])
    expect(watts(readings([{ ...one!, quality }]).imported)).toEqual([100])
  })

  test("values without a quality have the defaultQuality of their type", () => {
    const { leftOut } = read({ type: { defaultQuality: 8 }, blocks: [run(midnight, 3600, [100])] })
    expect([...leftOut]).toEqual([["estimated", 1]])
  })

  test("intervals without a value, and longer than a day, are left out", () => {
    const { leftOut } = readings(
      [{ start: midnight, duration: 900 }],
      [{ start: midnight + 900, duration: 30 * 86_400, value: 300_000 }]
    )
    expect(Object.fromEntries(leftOut)).toEqual({ "without a value": 1, "longer than a day": 1 })
  })

  test.each<readonly [string, FeedReading, string]>([
    [
      "before 2000",
      { start: 1000, value: 1 },
      "element timePeriod/start: takes seconds since 1970, of the year 2000 or later"
    ],
    [
      "of the future",
      { start: seconds("2026-01-01T00:00:00Z"), value: 1 },
      "takes an interval that ends by 2026-01-01"
    ],
    [
      "without a length",
      { start: midnight, duration: 0, value: 1 },
      "element timePeriod/duration: takes 1 second or more"
    ],
    ["of 2 GW", { start: midnight, duration: 1, value: 600_000 }, "element IntervalReading/value: takes at most 1 GW"]
  ])("an interval %s is refused by line and element", (_, reading, problem) => {
    const { problems } = readings([reading])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^line \d+, /u)
    expect(problems[0]).toContain(problem)
  })

  test("received energy below 0 is refused", () => {
    const { problems } = read({ type: RECEIVED, blocks: [run(midnight, 3600, [-1])] })
    expect(problems[0]).toContain("element IntervalReading/value: takes 0 or more")
  })
})

describe("several series of a direction", () => {
  test("the shorter intervals count, and the longer ones fill their gaps", () => {
    const quarters = run(midnight, 900, Array<number>(96).fill(100))
    const days = run(midnight, 86_400, [9600, 4800])
    const { imported } = read({ blocks: [days] }, { blocks: [quarters] })
    expect(imported).toHaveLength(97)
    expect(imported.at(-1)).toMatchObject({ from: (midnight + 86_400) * 1000, watts: 200 })
  })

  test("the series of a replaced meter continue each other", () => {
    const { imported, problems } = read(
      { blocks: [run(midnight, 900, [100, 200])] },
      { blocks: [run(midnight + 1800, 900, [300])] }
    )
    expect([watts(imported), problems]).toEqual([[400, 800, 1200], []])
  })

  test("an interval may be repeated, but not with another value", () => {
    const again = readings(run(midnight, 900, [100, 200]), run(midnight, 900, [100]))
    expect([watts(again.imported), again.problems]).toEqual([[400, 800], []])
    const other = readings(run(midnight, 900, [100, 200]), run(midnight, 900, [101]))
    expect(other.problems[0]).toMatch(/element IntervalReading\/timePeriod: takes no part of the interval of line \d+/u)
  })
})

describe("a ReadingType", () => {
  test.each([
    [{ commodity: 7, uom: 72 }, "commodity 7 is not electricity"],
    [{ uom: 73 }, "uom 73 is neither Wh (72) nor W (38)"],
    [{}, "uom is absent and is neither Wh (72) nor W (38)"],
    [{ uom: 38, dataQualifier: 8 }, "dataQualifier 8 is an extreme or a threshold"],
    [{ uom: 72, flowDirection: 20 }, "flowDirection 20 is neither delivered (1), received (19) nor net (4)"],
    [{ uom: 38, accumulationBehaviour: 3 }, "accumulationBehaviour 3 is no energy of an interval"],
    [{ uom: 72, tou: 2 }, "it has the energy of one rate alone"]
  ])("%j is left out with its reason", (type, reason) => {
    expect(typeProblem(type)).toBe(reason)
  })
})
