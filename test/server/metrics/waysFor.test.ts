import { metricNames } from "@edp/domain/metrics/Metric"
import { placeRules, waysFor } from "@edp/server/energy/metricRules"
import { placeFigures } from "@edp/server/energy/placeFigures"
import { quantitiesOf } from "@edp/server/energy/quantities"
import { describe, expect, test } from "vitest"
import { Random } from "../../support/Random.ts"
import { type Cell, telling, QUARTER } from "./figuring.ts"

const types = ["meter", "inverter", "battery", "charger", "vehicle"] as const
const CELLS = 40

const someCell = (random: Random): Cell => {
  const isCovered = random.chance(0.6)
  return [isCovered || random.chance(0.1) ? random.below(5000) : 0, isCovered ? QUARTER : 0]
}

/** A device that tells some of what its type may. */
const someDevice = (random: Random) => {
  const type = random.pick(types)
  const told = quantitiesOf(type).filter(() => random.chance(0.6))
  return telling(
    type,
    Object.fromEntries(told.map((name) => [name, Array.from({ length: CELLS }, () => someCell(random))]))
  )
}

describe("the ways in which a metric of a place is known", () => {
  test("leave out what no device there tells, and give what all of them give", () => {
    const lengths = Array.from({ length: CELLS }, () => QUARTER)
    const random = new Random(11)
    let fewer = 0
    for (let round = 0; round < 200; round++) {
      const devices = Array.from({ length: 2 + random.below(3) }, () => someDevice(random))
      for (const metric of metricNames) {
        const ways = waysFor(
          metric,
          devices.map(({ type }) => type)
        )
        if (ways.length < placeRules[metric].length) fewer++
        expect(placeFigures(ways, devices, lengths)).toEqual(placeFigures(placeRules[metric], devices, lengths))
      }
    }
    expect(fewer).toBeGreaterThan(100)
  })
})
