import { measuredUntil, reportSeries } from "@edp/dashboard/pages/dispatch/reportSeries"
import type { DispatchReport } from "@edp/domain/dispatches/DispatchReport"
import { describe, expect, test } from "vitest"

describe("the plot of a report", () => {
  test("shows energies as mean powers over their intervals, nothing where they are unknown, and until when they are known", () => {
    const interval = {
      startsAt: "2026-07-15T00:00:00.000Z",
      endsAt: "2026-07-15T00:15:00.000Z",
      baselineWh: 400,
      actualWh: -850,
      deliveredWh: 1250,
      coverage: 1
    }
    const short = { ...interval, startsAt: interval.endsAt, endsAt: "2026-07-15T00:20:00.000Z" }
    const unknown = { ...short, baselineWh: null, actualWh: null, deliveredWh: null, reason: "not_ended" as const }
    const report = { intervals: [interval, unknown], to: unknown.endsAt } as unknown as DispatchReport
    const series = reportSeries(report, { baseline: "Baseline", actual: "Actual", delivered: "Delivered" })
    expect(series.map(({ id, points }) => [id, points.map(([, value]) => value)])).toEqual([
      ["baseline", [1600, 1600, null, null]],
      ["actual", [-3400, -3400, null, null]],
      ["delivered", [5000, 5000, null, null]]
    ])
    expect(measuredUntil(report)).toBe(interval.endsAt)
    expect(measuredUntil({ ...report, intervals: [interval, { ...short, deliveredWh: 0 }] })).toBeUndefined()
  })
})
