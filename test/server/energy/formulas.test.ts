import { metricNames } from "@edp/domain/metrics/Metric"
import { siteFormulas, formulasFor } from "@edp/server/energy/formulas"
import { siteSeries } from "@edp/server/energy/siteSeries"
import { listQuantities } from "@edp/server/energy/quantities"
import { describe, expect, test } from "vitest"
import { Random } from "../../support/Random.ts"
import { type AmountAndCover, reportingDevice, QUARTER } from "../metrics/figuring.ts"

const types = ["meter", "inverter", "battery", "charger", "vehicle"] as const
const INTERVALS = 40

const randomInterval = (random: Random): AmountAndCover => {
  const isCovered = random.chance(0.6)
  return [isCovered || random.chance(0.1) ? random.below(5000) : 0, isCovered ? QUARTER : 0]
}

/** A device that reports some of the quantities of its type. */
const someDevice = (random: Random) => {
  const type = random.pick(types)
  const reported = listQuantities(type).filter(() => random.chance(0.6))
  return reportingDevice(
    type,
    Object.fromEntries(reported.map((name) => [name, Array.from({ length: INTERVALS }, () => randomInterval(random))]))
  )
}

describe("the formulas of a metric of a site", () => {
  test("without those that no device can decide give the same result as all of them", () => {
    const lengths = Array.from({ length: INTERVALS }, () => QUARTER)
    const random = new Random(11)
    let fewer = 0
    for (let round = 0; round < 200; round++) {
      const devices = Array.from({ length: 2 + random.below(3) }, () => someDevice(random))
      for (const metric of metricNames) {
        const formulas = formulasFor(
          metric,
          devices.map(({ type }) => type)
        )
        if (formulas.length < siteFormulas[metric].length) fewer++
        expect(siteSeries(formulas, devices, lengths)).toEqual(siteSeries(siteFormulas[metric], devices, lengths))
      }
    }
    expect(fewer).toBeGreaterThan(100)
  })
})
