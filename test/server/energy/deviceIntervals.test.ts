import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { deviceIntervals } from "@edp/server/energy/deviceIntervals"
import type { Quantity } from "@edp/server/energy/quantities"
import { describe, expect, test } from "vitest"

const noon = Date.UTC(2026, 2, 1, 12)
const minute = 60_000
const Wh = 1e6

type State = Readonly<Record<string, unknown>>
/** Minutes after noon, and the state then. */
type TimedState = readonly [minutes: number, state: State]

const makeReadings = (times: ReadonlyArray<TimedState>) =>
  times.map(([minutes, state]) => ({ at: noon + minutes * minute, state }))

/** Wh and covered minutes of each quarter of an hour from noon on. */
const computeIntervals = (
  type: DeviceType,
  times: ReadonlyArray<TimedState>,
  { minutes = 60, from = 0, ratedPower }: { minutes?: number; from?: number; ratedPower?: number } = {}
) => {
  const span = { from: noon + from * minute, to: noon + minutes * minute }
  const intervals = deviceIntervals({ type, ratedPower }, makeReadings(times), span)
  return (quantity: Quantity) => {
    const found = intervals.get(quantity)
    if (found === undefined) return undefined
    return {
      wh: Array.from(found.amounts, (each) => each / Wh),
      minutes: Array.from(found.covered, (each) => each / minute)
    }
  }
}

const sum = (figures: { readonly wh: ReadonlyArray<number> } | undefined) => figures!.wh.reduce((a, b) => a + b, 0)
const counter = (wh: number) => ({ power: 0, lifetimeEnergyGenerated: wh })

describe("a lifetime counter", () => {
  test.each(["charger", "vehicle"] as const)("goes before the power of a %s, wherever a reading carries it", (type) => {
    const intervals = computeIntervals(type, [
      [0, { chargerWattage: 4000 }],
      [15, { chargerWattage: 4000, lifetimeEnergyCharged: 58_000 }],
      [20, { chargerWattage: 9000 }],
      [30, { lifetimeEnergyCharged: 59_000 }],
      [45, { lifetimeEnergyCharged: 1500 }],
      [60, { lifetimeEnergyCharged: 1400, chargerWattage: 4000 }]
    ])
    // The register was reset after half an hour, and corrected after 45 minutes.
    expect(intervals("drawn")).toEqual({ wh: [1000, 1000, 1500, 0], minutes: [15, 15, 15, 0] })
  })

  test("gives its difference, spread evenly over the time between two readings", () => {
    const intervals = computeIntervals("inverter", [
      [0, counter(1000)],
      [60, counter(1400)]
    ])
    expect(intervals("generated")).toEqual({ wh: [100, 100, 100, 100], minutes: [15, 15, 15, 15] })
  })

  test("is exact over any gap, which does not count as covered", () => {
    const intervals = computeIntervals(
      "inverter",
      [
        [0, counter(0)],
        [3 * 60, counter(1)]
      ],
      { minutes: 180 }
    )
    expect(sum(intervals("generated"))).toBe(1)
    expect(intervals("generated")!.minutes).toEqual(Array(12).fill(0))
  })

  test("is rounded so that the parts sum to it", () => {
    const intervals = computeIntervals("inverter", [
      [0, counter(0)],
      [35, counter(0.00001)]
    ])
    expect(intervals("generated")!.wh.map((wh) => Math.round(wh * Wh))).toEqual([4, 5, 1, 0])
  })

  test("that falls was reset, and counts its value since then", () => {
    const intervals = computeIntervals("inverter", [
      [0, counter(5000)],
      [15, counter(5500)],
      [30, counter(100)],
      [45, counter(300)]
    ])
    expect(intervals("generated")!.wh).toEqual([500, 100, 200, 0])
  })

  test("that falls slightly was corrected, and counts nothing", () => {
    const intervals = computeIntervals("inverter", [
      [0, counter(5000)],
      [15, counter(4999)],
      [30, counter(5009)]
    ])
    expect(intervals("generated")).toEqual({ wh: [0, 10, 0, 0], minutes: [0, 15, 0, 0] })
  })

  test("that jumps beyond the rated power is not counted, and its time is not covered", () => {
    const times: ReadonlyArray<TimedState> = [
      [0, counter(0)],
      [15, counter(1201)],
      [30, counter(2701)],
      [45, counter(2800)]
    ]
    const intervals = computeIntervals("inverter", times, { ratedPower: 4000 })
    expect(intervals("generated")).toEqual({ wh: [0, 0, 99, 0], minutes: [0, 0, 15, 0] })
    expect(computeIntervals("inverter", times, { ratedPower: 5000 })("generated")!.wh).toEqual([1201, 1500, 99, 0])
  })

  test("in whole kWh may increase by one in any time", () => {
    const intervals = computeIntervals(
      "inverter",
      [
        [0, counter(7000)],
        [5, counter(8000)],
        [10, counter(10_000)]
      ],
      { ratedPower: 5000 }
    )
    expect(intervals("generated")!.wh[0]).toBe(1000)
  })

  test("takes precedence over energies since the last reading, and these over power", () => {
    const intervals = computeIntervals("inverter", [
      [0, { power: 4000, lifetimeEnergyGenerated: 100 }],
      [15, { power: 4000, lifetimeEnergyGenerated: 110, generatedEnergy: 77 }],
      [30, { power: 4000, generatedEnergy: 20 }],
      [45, { power: 4000 }]
    ])
    expect(intervals("generated")!.wh).toEqual([10, 20, 1000, 0])
  })

  test("bridges readings without it", () => {
    const intervals = computeIntervals("inverter", [
      [0, { power: 9000, lifetimeEnergyGenerated: 0 }],
      [10, { power: 9000, generatedEnergy: 5 }],
      [20, { power: 9000 }],
      [30, { power: 9000, lifetimeEnergyGenerated: 60 }]
    ])
    expect(intervals("generated")).toEqual({ wh: [30, 30, 0, 0], minutes: [15, 15, 0, 0] })
  })

  test("differs exactly at any height, and is rejected beyond the limit", () => {
    const intervals = computeIntervals("inverter", [
      [0, counter(1e15)],
      [15, counter(1e15 + 7)],
      [30, counter(1e300)]
    ])
    expect(intervals("generated")).toEqual({ wh: [7, 0, 0, 0], minutes: [15, 0, 0, 0] })
  })

  test("counts each direction for a meter", () => {
    const intervals = computeIntervals("meter", [
      [0, { power: 0, importedEnergy: 10, exportedEnergy: 5.5 }],
      [15, { power: 0, importedEnergy: 12, exportedEnergy: 5.75 }]
    ])
    expect(intervals("imported")!.wh).toEqual([2, 0, 0, 0])
    expect(intervals("exported")!.wh).toEqual([0.25, 0, 0, 0])
  })
})

describe("an energy since the last reading", () => {
  test("is summed as given, over the time since that reading", () => {
    const intervals = computeIntervals("battery", [
      [0, { whConsumed: 5 }],
      [30, { whConsumed: 20, gridEnergy: -8, loadEnergy: 0.5 }],
      [45, { whConsumed: 0, gridEnergy: 3 }]
    ])
    expect(intervals("charged")).toEqual({ wh: [10, 10, 0, 0], minutes: [15, 15, 15, 0] })
    expect(intervals("grid")!.wh).toEqual([-4, -4, 3, 0])
    expect(intervals("load")).toEqual({ wh: [0.25, 0.25, 0, 0], minutes: [15, 15, 0, 0] })
  })

  test("belongs to the moment before a device's first reading", () => {
    const times: ReadonlyArray<TimedState> = [
      [15, { whConsumed: 5 }],
      [30, { whConsumed: 1 }]
    ]
    expect(computeIntervals("battery", times)("charged")).toEqual({ wh: [5, 1, 0, 0], minutes: [0, 15, 0, 0] })
  })

  test("that is null is replaced by the power", () => {
    const intervals = computeIntervals("battery", [
      [0, { whConsumed: null, chargeRate: -1000 }],
      [15, { whConsumed: null, chargeRate: -1000 }]
    ])
    expect(intervals("charged")!.wh).toEqual([250, 0, 0, 0])
  })
})

describe("power", () => {
  test("is integrated by trapezoids, exactly to the quarter of an hour", () => {
    const intervals = computeIntervals("charger", [
      [0, { chargerWattage: 0 }],
      [60, { chargerWattage: 4000 }]
    ])
    expect(intervals("drawn")).toEqual({ wh: [125, 375, 625, 875], minutes: [15, 15, 15, 15] })
  })

  test("is unknown between readings more than 90 minutes apart", () => {
    const far = computeIntervals(
      "charger",
      [
        [0, { chargerWattage: 1000 }],
        [91, { chargerWattage: 1000 }]
      ],
      { minutes: 120 }
    )
    expect(far("drawn")).toEqual({ wh: Array(8).fill(0), minutes: Array(8).fill(0) })
    const near = computeIntervals(
      "charger",
      [
        [0, { chargerWattage: 1000 }],
        [90, { chargerWattage: 1000 }]
      ],
      { minutes: 120 }
    )
    expect(sum(near("drawn"))).toBe(1500)
  })

  test("bridges readings without it", () => {
    const intervals = computeIntervals("battery", [
      [0, { loadPower: 1000 }],
      [7, {}],
      [15, { loadPower: 1000 }]
    ])
    expect(sum(intervals("load"))).toBe(250)
    expect(intervals("load")!.minutes).toEqual([15, 0, 0, 0])
  })

  test("that changes its sign is split at the moment of the change", () => {
    const intervals = computeIntervals("battery", [
      [0, { chargeRate: 1000 }],
      [15, { chargeRate: -3000 }]
    ])
    expect(intervals("discharged")).toEqual({ wh: [31.25, 0, 0, 0], minutes: [15, 0, 0, 0] })
    expect(intervals("charged")).toEqual({ wh: [281.25, 0, 0, 0], minutes: [15, 0, 0, 0] })
    const back = computeIntervals("meter", [
      [0, { power: -3000 }],
      [15, { power: 1000 }]
    ])
    expect(back("imported")!.wh).toEqual([31.25, 0, 0, 0])
    expect(back("exported")!.wh).toEqual([281.25, 0, 0, 0])
  })

  test("beyond the limit is rejected", () => {
    const intervals = computeIntervals("battery", [
      [0, { chargeRate: 1e300 }],
      [15, { chargeRate: 1 }],
      [30, { chargeRate: 1 }]
    ])
    expect(intervals("discharged")).toEqual({ wh: [0, 0.25, 0, 0], minutes: [0, 15, 0, 0] })
  })
})

describe("a charge", () => {
  test("is the latest of each quarter of an hour, and unknown where none was reported", () => {
    const intervals = computeIntervals("battery", [
      [0, { charge: 5000 }],
      [14, { charge: 5100.5 }],
      [15, { charge: 5200 }],
      [46, {}]
    ])
    expect(intervals("charge")).toEqual({ wh: [5100.5, 5200, NaN, NaN], minutes: [15, 0, 0, 0] })
  })
})

test("a type without energy has no intervals", () => {
  for (const type of ["thermostat", "other", "unknown"] as const) {
    expect(
      computeIntervals(type, [
        [0, { power: 1000 }],
        [15, { power: 1000 }]
      ])("drawn")
    ).toBeUndefined()
  }
})

test("a span that starts or ends within a quarter of an hour has its part of it, and the parts sum to the whole", () => {
  const times: ReadonlyArray<TimedState> = [
    [0, { chargerWattage: 10 }],
    [60, { chargerWattage: 777 }]
  ]
  const whole = computeIntervals("charger", times)("drawn")!
  const before = computeIntervals("charger", times, { minutes: 37 })("drawn")!
  const after = computeIntervals("charger", times, { from: 37 })("drawn")!
  expect(before.wh[2]! * Wh + after.wh[0]! * Wh).toBeCloseTo(whole.wh[2]! * Wh, 3)
  expect(before.minutes).toEqual([15, 15, 7])
  expect(after.minutes).toEqual([8, 15])
})
