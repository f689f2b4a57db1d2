import { readFileSync } from "node:fs"
import {
  compareEnergy,
  energyNames,
  type EnergyName,
  type EnergySeries,
  importedFrom,
  joinBuckets,
  selfConsumption,
  selfSufficiency,
  totalEnergy
} from "@edp/dashboard/api/energy"
import { balanceSeries } from "@edp/dashboard/pages/energy/series"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"

const HOUR = 3_600_000
const LATER = Number.MAX_SAFE_INTEGER

const Known = Schema.Struct({
  value: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  coverage: Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 1 }))
})
const Buckets = Schema.Array(Known).check(Schema.isMinLength(1), Schema.isMaxLength(40))

/** Buckets of an hour each; coverage is 0 where there is no value, as in the metrics. */
const series = (buckets: ReadonlyArray<typeof Known.Type>): EnergySeries =>
  buckets.map(({ value, coverage }, index) => ({
    from: index * HOUR,
    to: (index + 1) * HOUR,
    value,
    coverage: value === null ? 0 : coverage,
    ...(value === null && { reason: "not_measured" as const })
  }))

const measured = (...values: ReadonlyArray<number | null>) => series(values.map((value) => ({ value, coverage: 1 })))

const sum = (buckets: EnergySeries) => buckets.reduce((all, { value }) => all + (value ?? 0), 0)

const byIndex = (from: number) => String(from / HOUR)

describe("a sum of energies", () => {
  it.prop("is that of the known buckets, and null exactly where none is known", [Buckets], ([buckets]) => {
    const shown = series(buckets)
    const total = totalEnergy(shown, LATER)
    const isKnown = shown.some(({ value }) => value !== null)
    expect(total.value).toBe(isKnown ? sum(shown) : null)
    expect(total.reason).toBe(isKnown ? undefined : "not_measured")
    if (isKnown)
      expect(total.coverage).toBeCloseTo(shown.reduce((all, { coverage }) => all + coverage, 0) / shown.length)
  })

  it.prop("stays the same when its buckets are joined", [Buckets], ([buckets]) => {
    const shown = series(buckets)
    const joined = joinBuckets(shown, (from) => String(Math.floor(from / (6 * HOUR))), LATER)
    const [whole, parts] = [totalEnergy(shown, LATER), totalEnergy(joined, LATER)]
    expect(parts.value).toBe(whole.value)
    if (whole.coverage !== null) expect(parts.coverage).toBeCloseTo(whole.coverage)
  })

  it("is covered by the time that has passed, and says until when it is measured", () => {
    const [first] = measured(100)
    const half = { ...first!, from: HOUR, to: 2 * HOUR, coverage: 0.5 }
    const future = { from: 2 * HOUR, to: 3 * HOUR, value: null, coverage: 0, reason: "future" as const }
    expect(totalEnergy([first!, half, future], 1.5 * HOUR)).toEqual({ value: 200, coverage: 1, until: 1.5 * HOUR })
  })

  it("has the most specific reason where nothing is known", () => {
    const none = (reason: "future" | "before_first_reading") => ({
      from: 0,
      to: HOUR,
      value: null,
      coverage: 0,
      reason
    })
    expect(totalEnergy([none("before_first_reading"), none("future")], LATER).reason).toBe("before_first_reading")
  })
})

describe("the sample home", () => {
  const hours = readFileSync("examples/sample-home/home.csv", "utf8").trim().split("\n").slice(1)
  const rows = hours.map((line) => line.split(",").slice(1).map(Number) as [load: number, solar: number])
  const load = measured(...rows.map(([used]) => used))
  const generation = measured(...rows.map(([, solar]) => solar))
  const exported = measured(...rows.map(([used, solar]) => Math.max(0, solar - used)))
  const net = measured(...rows.map(([used, solar]) => used - solar))
  const imported = importedFrom(net, exported)

  it("has the energies of docs/metrics.md, with the import from the net and the export", () => {
    const totals = [load, generation, imported, exported, net].map((each) => totalEnergy(each, LATER).value)
    expect(totals).toEqual([8_517_254, 8_183_499, 4_885_304, 4_551_549, 333_755])
  })

  it("used of its generation what it did not export, and made of its load what it did not import", () => {
    expect(selfConsumption(generation, exported, LATER).value).toBeCloseTo(1 - 4_551_549 / 8_183_499, 12)
    expect(selfSufficiency(load, imported, LATER).value).toBeCloseTo(1 - 4_885_304 / 8_517_254, 12)
  })
})

describe("the import", () => {
  it.prop("is null wherever the net or the export is", [Buckets, Buckets], ([one, other]) => {
    const [net, exported] = [series(one), series(other)]
    for (const [index, bucket] of importedFrom(net, exported).entries()) {
      const former = [net[index]!.value, exported[index]?.value ?? null]
      expect(bucket.value).toBe(former.includes(null) ? null : former[0]! + former[1]!)
    }
  })
})

describe("a share", () => {
  it.prop("is between 0 and 1, or null with a reason", [Buckets, Buckets], ([one, other]) => {
    const { value, reason } = selfConsumption(series(one), series(other), LATER)
    if (value === null) expect(reason).toBeDefined()
    else expect(value >= 0 && value <= 1).toBe(true)
  })

  it("counts only buckets in which both energies are known", () => {
    expect(selfSufficiency(measured(100, 100, null), measured(50, null, 70), LATER).value).toBe(0.5)
    expect(selfSufficiency(measured(100, null), measured(null, 70), LATER).reason).toBe("not_both")
    expect(selfConsumption(measured(0, 0), measured(0, 0), LATER).reason).toBe("nothing_generated")
  })
})

describe("a comparison", () => {
  it.prop("has no difference of a period to itself", [Buckets], ([buckets]) => {
    const shown = series(buckets)
    const { difference, compared } = compareEnergy(shown, shown, byIndex, LATER)
    const comparable = shown.filter(({ value, coverage }) => value !== null && coverage >= 0.9).length
    expect(compared).toBe(comparable)
    expect(difference).toBe(comparable === 0 || comparable < shown.length / 2 ? null : 0)
  })

  it.prop("has the opposite sign the other way round", [Buckets, Buckets], ([one, other]) => {
    const length = Math.min(one.length, other.length)
    const [shown, former] = [series(one).slice(0, length), series(other).slice(0, length)]
    const there = compareEnergy(shown, former, byIndex, LATER)
    const back = compareEnergy(former, shown, byIndex, LATER)
    expect(there.difference === null).toBe(back.difference === null)
    expect((there.difference ?? 0) + (back.difference ?? 0)).toBe(0)
  })

  it("leaves out what only one period measured, and what it measured in part", () => {
    const [first, second, third, fourth] = measured(100, 200, 300, 60)
    const now = [first!, { ...second!, coverage: 0.5 }, third!, fourth!]
    const compared = compareEnergy(now, measured(80, 10, null, 80), byIndex, 3.5 * HOUR)
    expect(compared).toEqual({ difference: 0, share: 0, compared: 2, begun: 4 })
  })

  it("says that there is not enough data where both periods measured less than half of the time that has begun", () => {
    expect(compareEnergy(measured(100, 1, 1), measured(80, null, null), byIndex, LATER)).toEqual({
      difference: null,
      share: null,
      compared: 1,
      begun: 3,
      reason: "not_comparable"
    })
  })

  it("has the reason of the period in which nothing is known", () => {
    const before = measured(null, null).map((bucket) => ({ ...bucket, reason: "before_first_reading" as const }))
    expect(compareEnergy(measured(1, 2), before, byIndex, LATER)).toMatchObject({
      difference: null,
      reason: "before_first_reading"
    })
  })
})

describe("the balance of energies", () => {
  const balance = (known: Readonly<Partial<Record<EnergyName, EnergySeries>>>, unit: "W" | "Wh", now = LATER) => {
    const named = energyNames.map((name) => [name, known[name] ?? measured(null)] as const)
    const names = Object.fromEntries(energyNames.map((name) => [name, name])) as Record<EnergyName, string>
    return balanceSeries(Object.fromEntries(named) as Record<EnergyName, EnergySeries>, names, unit, now)
  }
  const points = (buckets: EnergySeries, now = LATER) => balance({ load: buckets }, "W", now)[0]!.points

  it("has the sources up and the uses down, in one stack", () => {
    const one = measured(1)
    const shown = balance(
      { generation: one, discharged: one, imported: one, load: one, charged: one, exported: one },
      "Wh"
    )
    const named = (isDown: boolean) => shown.filter((each) => (each.isDown ?? false) === isDown).map(({ id }) => id)
    expect(named(false)).toEqual(["generation", "discharged", "imported"])
    expect(named(true)).toEqual(["load", "charged", "exported"])
    expect(new Set(shown.map(({ stack }) => stack)).size).toBe(1)
  })

  it("has the difference at the grid, which is a use below zero, only where no meter tells the directions apart", () => {
    expect(balance({ grid: measured(3, -2) }, "Wh").map(({ id, isDown }) => [id, isDown])).toEqual([
      ["grid", undefined]
    ])
    expect(balance({ grid: measured(3), imported: measured(3) }, "Wh").map(({ id }) => id)).toEqual(["imported"])
  })

  it("has no power where a counter only has the energy of a longer gap", () => {
    const [bucket] = measured(100)
    expect(points([{ ...bucket!, coverage: 0.0001 }])).toEqual([[0, null]])
  })

  it("has the power of the measured part of a bucket that runs", () => {
    const [bucket] = measured(100)
    expect(points([{ ...bucket!, coverage: 0.5 }], HOUR / 2)).toEqual([[0, 200]])
    expect(points([{ ...bucket!, coverage: 0.5 }])).toEqual([[0, 100]])
  })

  it.prop("has a value exactly where one was measured", [Buckets], ([buckets]) => {
    const shown = series(buckets)
    const drawn = balance({ load: shown }, "Wh")[0]?.points ?? shown.map(() => [0, null])
    expect(drawn.map(([, value]) => value)).toEqual(shown.map(({ value }) => value))
  })
})
