import { type MetricName, metricNames } from "@edp/domain/metrics/Metric"
import type { MeasuringDevice } from "@edp/server/energy/siteSeries"
import { deviceFormulas } from "@edp/server/energy/formulas"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { type AmountAndCover, makeFigures, QUARTER, reportingDevice } from "../metrics/figuring.ts"

/** A quarter of which all is covered. */
const all = (amount: number): ReadonlyArray<AmountAndCover> => [[amount, QUARTER]]
const silent: ReadonlyArray<AmountAndCover> = [[0, 0]]

const meter = reportingDevice("meter", { imported: all(100), exported: all(30) })
const solar = reportingDevice("inverter", { generated: all(500) })
const smartSolar = reportingDevice("inverter", { generated: all(500), grid: all(-7), load: all(400) })
const battery = reportingDevice("battery", { charged: all(20), discharged: all(5), charge: all(9000) })
const smartBattery = reportingDevice("battery", {
  charged: all(20),
  discharged: all(5),
  grid: all(11),
  load: all(333),
  charge: all(9000)
})
const charger = reportingDevice("charger", { drawn: all(1000) })
const car = reportingDevice("vehicle", { drawn: all(900), charge: all(40_000) })
const mute = (type: "meter" | "inverter" | "battery" | "charger" | "vehicle") => reportingDevice(type, {})

const computeAmount = (metric: MetricName, devices: ReadonlyArray<MeasuringDevice>) => {
  const [amount] = makeFigures(metric, devices).amounts
  return amount === null || amount === undefined ? null : Number(amount)
}

describe("a site with several devices", () => {
  test.each<[MetricName, string, ReadonlyArray<MeasuringDevice>, number | null]>([
    ["grid", "is that of the meters, even if others report one", [meter, smartSolar, smartBattery], 70],
    ["grid", "is that of the inverters if no meter covers", [mute("meter"), smartSolar, smartBattery], -7],
    ["grid", "is that of the batteries if neither meter nor inverter reports one", [solar, smartBattery], 11],
    ["grid", "is summed over meters while any of them covers", [meter, mute("meter"), meter, smartSolar], 140],
    ["generation", "is that of all inverters", [solar, solar, meter, battery], 1000],
    ["load", "is that of the inverters", [smartSolar, smartBattery, meter], 400],
    ["load", "is that of the batteries if no inverter reports one", [solar, smartBattery, meter], 333],
    ["load", "is the balance else", [solar, battery, meter], 500 + 5 - 20 + 100 - 30],
    ["load", "is the balance of whatever there is", [meter, meter], 140],
    ["load", "is unknown without a meter", [solar, battery], null],
    ["production", "is generation and discharge, and not the export of a meter", [solar, battery, meter], 505],
    [
      "production",
      "is what meters export where no inverter or battery reports",
      [mute("inverter"), mute("battery"), meter],
      30
    ],
    ["consumption", "is the load if it is known", [smartSolar, battery, charger], 400],
    [
      "consumption",
      "is the balance where that is known, which has in it what chargers drew",
      [solar, meter, charger, car],
      570
    ],
    ["consumption", "is the energy into devices if the load is unknown", [solar, battery, charger], 1020],
    ["consumption", "counts a car at its charger once", [battery, charger, car], 1020],
    ["charging", "is the energy into batteries and chargers", [battery, charger], 1020],
    ["charging", "counts a car at its charger once", [battery, charger, car], 1020],
    ["charging", "is the energy into cars if no charger covers", [battery, mute("charger"), car], 920],
    ["storage", "is the charge of batteries and cars", [battery, smartBattery, car], 58_000],
    ["storage", "is unknown if no device reports it", [mute("battery"), mute("vehicle")], null]
  ])("%s %s", (metric, _, devices, expected) => {
    expect(computeAmount(metric, devices)).toBe(expected)
  })

  test("is null and uncovered without any energy", () => {
    for (const metric of metricNames) {
      const { amounts, covered } = makeFigures(metric, [
        mute("meter"),
        mute("inverter"),
        mute("battery"),
        mute("vehicle")
      ])
      expect([metric, amounts, covered]).toEqual([metric, [null], [0]])
    }
  })

  test("has a counter's difference over a long gap, with the least coverage above zero", () => {
    const gap = reportingDevice("meter", { imported: [[60, 0]], exported: silent })
    expect(computeAmount("grid", [gap, smartSolar])).toBe(60)
    expect(makeFigures("grid", [gap, smartSolar]).covered).toEqual([1])
  })
})

describe("a single device", () => {
  const table: ReadonlyArray<readonly [MetricName, MeasuringDevice, number | null]> = [
    ["consumption", smartBattery, 20],
    ["consumption", smartSolar, 400],
    ["consumption", charger, 1000],
    ["consumption", car, 900],
    ["consumption", meter, 100],
    ["production", smartBattery, 5],
    ["production", smartSolar, 500],
    ["production", meter, 30],
    ["generation", smartSolar, 500],
    ["storage", smartBattery, 9000],
    ["storage", car, 40_000],
    ["grid", smartBattery, 11],
    ["grid", smartSolar, -7],
    ["grid", meter, 70],
    ["charging", smartBattery, 20],
    ["charging", charger, 1000],
    ["charging", car, 900],
    ["load", smartBattery, 333],
    ["load", smartSolar, 400]
  ]

  test.each(table)("%s", (metric, device, expected) => {
    expect(computeAmount(metric, [device])).toBe(expected)
  })

  test("has no other metric", () => {
    const listed = table.map(([metric, { type }]) => `${metric} ${type}`)
    const known = metricNames.flatMap((metric) =>
      Object.keys(deviceFormulas[metric]).map((type) => `${metric} ${type}`)
    )
    expect(known.sort()).toEqual(listed.sort())
  })

  test("that is the only one of a site without a load of its own has the load of the balance", () => {
    expect(computeAmount("load", [meter])).toBe(70)
  })
})

describe("coverage", () => {
  const half: ReadonlyArray<AmountAndCover> = [[50, QUARTER / 2]]
  const computeCoverage = (metric: MetricName, devices: ReadonlyArray<MeasuringDevice>) =>
    makeFigures(metric, devices).covered[0]! / QUARTER

  test("is the mean of the devices that the value is computed from", () => {
    const late = reportingDevice("inverter", { generated: half })
    expect(computeCoverage("generation", [solar, late, battery])).toBe(0.75)
    expect(computeCoverage("generation", [solar, mute("inverter")])).toBe(0.5)
    expect(computeCoverage("load", [late, battery, meter])).toBeCloseTo(2.5 / 3)
  })

  test("counts a device from its first reading until its disconnection", () => {
    const [later, sooner] = [
      { from: QUARTER / 2, to: Number.POSITIVE_INFINITY },
      { from: 0, to: QUARTER / 4 }
    ]
    const replaced = reportingDevice("inverter", { generated: [[50, QUARTER / 4]] }, sooner)
    const added = (covered: number) => reportingDevice("inverter", { generated: [[50, covered]] }, later)
    expect(computeCoverage("generation", [solar, added(QUARTER / 2)])).toBe(1)
    expect(computeCoverage("generation", [solar, added(0)])).toBeCloseTo(1 / 1.5)
    expect(computeCoverage("generation", [solar, reportingDevice("inverter", {}, null)])).toBe(1)
    expect(computeCoverage("generation", [solar, replaced])).toBe(1)
    // No device reports between the end of the one and the beginning of the other.
    expect(computeCoverage("generation", [replaced, added(QUARTER / 2)])).toBe(0.75)
    // A device alone covers the share of the time that it has readings of, whenever it began.
    expect(computeCoverage("generation", [added(QUARTER / 2)])).toBe(0.5)
    // Readings from times at which a device is not taken to report count none the less.
    expect(
      computeCoverage("generation", [reportingDevice("inverter", { generated: half }, { from: QUARTER, to: QUARTER })])
    ).toBe(0.5)
  })

  test("ignores a missing grid or load of devices that need not report it", () => {
    expect(computeCoverage("grid", [smartSolar, solar])).toBe(1)
    expect(computeCoverage("load", [smartBattery, battery])).toBe(1)
  })

  test("is that of the better covered direction of a meter", () => {
    expect(computeCoverage("grid", [reportingDevice("meter", { imported: all(1), exported: half }), solar])).toBe(1)
  })
})

describe("an interval longer than a quarter", () => {
  const quarters = 4
  /** A quarter of a device: covered with an energy or without, known from a counter over a gap, or unknown. */
  const interval = Schema.Struct({
    amount: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })),
    kind: Schema.Literals([0, 0, 1, 2, 3])
  })
  const series = Schema.Array(interval).check(Schema.isBetweenLength(quarters, quarters))
  const device = Schema.Struct({
    type: Schema.Literals(["meter", "inverter", "battery", "charger", "vehicle"]),
    given: Schema.Array(series).check(Schema.isBetweenLength(5, 5)),
    isReported: Schema.Array(Schema.Boolean).check(Schema.isBetweenLength(5, 5))
  })
  const quantitiesByType = {
    meter: ["imported", "exported"],
    inverter: ["generated", "grid", "load"],
    battery: ["charged", "discharged", "grid", "load"],
    charger: ["drawn"],
    vehicle: ["drawn"]
  } as const

  const toInterval = ({ amount, kind }: typeof interval.Type): readonly [number, number] =>
    kind === 0 ? [amount, QUARTER] : kind === 1 ? [0, QUARTER] : kind === 2 ? [amount, 0] : [0, 0]
  const sumIntervals = (intervals: ReadonlyArray<readonly [number, number]>): readonly [number, number] =>
    intervals.reduce(([amounts, milliseconds], [amount, covered]) => [amounts + amount, milliseconds + covered], [0, 0])

  const made = ({ isReported, given, type }: typeof device.Type, whole: boolean) => {
    const names = quantitiesByType[type].filter((_, at) => isReported[at])
    const intervals = names.map((name, at) => {
      const each = given[at]!.map(toInterval)
      return [name, whole ? [sumIntervals(each)] : each] as const
    })
    return reportingDevice(type, Object.fromEntries(intervals))
  }

  test("is computed at once only if that equals the result of its quarters", () => {
    const seen = { mixed: 0, whole: 0 }
    const place = Schema.Array(device).check(Schema.isBetweenLength(1, 4))
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(place),
        (devices) =>
          Effect.sync(() =>
            metricNames
              .filter((metric) => metric !== "storage")
              .every((metric) => {
                const fine = makeFigures(
                  metric,
                  devices.map((one) => made(one, false)),
                  quarters
                )
                const whole = makeFigures(
                  metric,
                  devices.map((one) => made(one, true)),
                  1,
                  quarters * QUARTER
                )
                seen[whole.mixed.length > 0 ? "mixed" : "whole"]++
                return (
                  whole.mixed.length > 0 ||
                  (whole.amounts[0] ?? 0n) === fine.amounts.reduce<bigint>((sum, each) => sum + (each ?? 0n), 0n)
                )
              })
          ),
        { runs: 1000 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    expect(Math.min(seen.mixed, seen.whole)).toBeGreaterThan(300)
  })

  test("is computed once if the first formula covers all of it", () => {
    const hours = (amount: number): ReadonlyArray<AmountAndCover> => [[amount, quarters * QUARTER]]
    const { mixed } = makeFigures(
      "load",
      [
        reportingDevice("meter", { imported: hours(1), exported: hours(2) }),
        reportingDevice("inverter", { generated: hours(5) })
      ],
      1,
      quarters * QUARTER
    )
    expect(mixed).toEqual([])
  })
})
