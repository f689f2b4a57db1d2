import { type SharingDevice, sharedLevel, sharedPower } from "@edp/server/grid/plan/sharing"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const device = (type: "battery" | "charger", staticState: object | null = null): SharingDevice => ({
  type,
  commands: [`${type}:set-operating-mode`],
  staticState
})
const times = (count: number, one: SharingDevice) => Array.from({ length: count }, () => one)
const sum = (values: ReadonlyArray<number>) => values.reduce((all, value) => all + value, 0)

describe("the level of a shared power", () => {
  test("adds up to the total unless all limits do not, and asks no device for more than its limit, for 2000 fleets", () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const random = new Random(seed)
      const limits = Array.from({ length: 1 + random.below(40) }, () =>
        random.pick([undefined, 3840, 5000, 10_000, random.below(12_000)])
      )
      const total = random.pick([0, random.below(500), random.below(200_000)])
      const level = sharedLevel(total, limits)
      const shares = limits.map((limit = Infinity) => Math.min(level, limit))
      const most = sum(limits.map((limit = Infinity) => limit))
      expect(sum(shares), `seed ${seed}`).toBeCloseTo(Math.min(total, most), 4)
      expect(level).toBeGreaterThanOrEqual(0)
      // Devices of which nothing is known have equal shares, and no other device has more.
      expect(shares.every((share) => share <= level)).toBe(true)
    }
  })

  test("is an equal share where no limit is known, or none is reached", () => {
    expect(sharedLevel(10_000, [undefined, undefined, undefined, undefined])).toBe(2500)
    expect(sharedLevel(10_000, [3000, undefined, 4000, 5000])).toBe(2500)
  })

  test("leaves to the others what a device can't do", () => {
    expect(sharedLevel(10_000, [1000, undefined, 2000])).toBe(7000)
  })

  test("is the greatest limit where all of them are too small together", () => {
    expect(sharedLevel(10_000, [1000, 3000, 2000])).toBe(3000)
  })
})

describe("a shared power", () => {
  test("discharges batteries where consumption falls, and is a whole number of watts", () => {
    const batteries = times(3, device("battery"))
    expect(sharedPower({ kind: "share", type: "battery", watts: -10_000 }, batteries)).toBe(3333)
    expect(sharedPower({ kind: "share", type: "battery", watts: 9000 }, batteries)).toBe(-3000)
    expect(sharedPower({ kind: "share", type: "charger", watts: 9000 }, times(2, device("charger")))).toBe(4500)
    for (const watts of [0, 1, -1]) {
      expect(Object.is(sharedPower({ kind: "share", type: "battery", watts }, batteries), 0)).toBe(true)
    }
  })

  test("regards the limit of the direction", () => {
    const devices = [device("battery", { maxChargeRate: 1000, maxDischargeRate: 4000 }), device("battery")]
    expect(sharedPower({ kind: "share", type: "battery", watts: 6000 }, devices)).toBe(-5000)
    expect(sharedPower({ kind: "share", type: "battery", watts: -6000 }, devices)).toBe(3000)
    const chargers = [device("charger", { maxPower: 7400 }), device("charger", { maxPower: 22_000 })]
    expect(sharedPower({ kind: "share", type: "charger", watts: 20_000 }, chargers)).toBe(12_600)
  })

  test("is shared by the devices that take a power: none is no share", () => {
    const unable: SharingDevice = { type: "battery", commands: [], staticState: null }
    expect(sharedPower({ kind: "share", type: "battery", watts: -6000 }, [unable, device("battery")])).toBe(6000)
    expect(sharedPower({ kind: "share", type: "battery", watts: -6000 }, [unable, device("charger")])).toBeUndefined()
  })
})
