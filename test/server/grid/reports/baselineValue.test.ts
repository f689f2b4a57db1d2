import { type DeliveryReport, baselineValue } from "@edp/server/grid/reports/baselineValue"
import { describe, expect, test } from "vitest"

const MINUTE = 60_000
const at = (minutes: number) => new Date(minutes * MINUTE).toISOString()
const span = (from: number, to: number) => ({ from: from * MINUTE, to: to * MINUTE })

const part = (from: number, to: number, deliveredWh: number | null, more: object = {}) => ({
  startsAt: at(from),
  endsAt: at(to),
  baselineWh: deliveredWh,
  actualWh: 0,
  deliveredWh,
  coverage: 1,
  ...more
})
const report = (intervals: DeliveryReport["intervals"], leftOut: DeliveryReport["leftOut"] = []): DeliveryReport => ({
  intervals,
  leftOut
})
const used = (value: number | undefined, quality: "OK" | "ESTIMATED" | "BAD" = "OK") => ({ value, quality })

describe("the baseline of an interval", () => {
  test("is what was used and what the dispatches delivered in it", () => {
    const reports = [report([part(0, 15, 500), part(15, 30, 700)]), report([part(30, 45, 9000)])]
    expect(baselineValue(used(2), span(0, 30), reports)).toEqual(used(3.2))
    expect(baselineValue(used(-2), span(30, 45), reports)).toEqual(used(7))
  })

  test("is what was used where nothing was dispatched", () => {
    expect(baselineValue(used(2), span(60, 75), [report([part(0, 15, 500)])])).toEqual(used(2))
    expect(baselineValue(used(2, "BAD"), span(60, 75), [])).toEqual(used(2, "BAD"))
  })

  test("is estimated where a part of the dispatch's interval, or of its readings, lies in it", () => {
    expect(baselineValue(used(2), span(0, 5), [report([part(0, 15, 600)])])).toEqual(used(2.2, "ESTIMATED"))
    expect(baselineValue(used(2), span(0, 15), [report([part(0, 15, 600, { coverage: 0.95 })])])).toEqual(
      used(2.6, "ESTIMATED")
    )
  })

  test("regards a dispatch that was replaced in the middle up to then", () => {
    const cancelled = report([part(0, 15, 600), part(15, 30, null, { reason: "not_ended" })])
    expect(baselineValue(used(2), span(0, 30), [cancelled, report([part(20, 30, 400)])])).toEqual(used(3, "ESTIMATED"))
  })

  test("is missing where the use or the delivery is not known", () => {
    expect(baselineValue(used(undefined), span(0, 15), [])).toEqual(used(undefined))
    const unknown = [report([part(0, 15, null, { reason: "no_sites" })])]
    expect(baselineValue(used(2), span(0, 15), unknown)).toEqual(used(undefined))
  })

  test("is bad where a site that took part is not measured, but not where one that opted out is left out", () => {
    const intervals = [part(0, 15, 600)]
    const lacking = report(intervals, [{ reason: "too_few_days", sites: 1 }])
    expect(baselineValue(used(2), span(0, 15), [lacking])).toEqual(used(2.6, "BAD"))
    const whole = report(intervals, [{ reason: "opted_out", sites: 1 }])
    expect(baselineValue(used(2), span(0, 15), [whole])).toEqual(used(2.6))
  })
})
