import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Page, paging } from "../shared/Page.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { oneOf } from "../shared/quantities.ts"
import { Baseline, DispatchStatus, LocalDate } from "./Dispatch.ts"

const orNull = Schema.NullOr
const energy = (description: string) => orNull(Schema.Finite).annotate({ description })
const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })

const coverage = Schema.Finite.check(documents({ minimum: 0, maximum: 1 })).annotate({
  description: "Share of the time that readings cover, 0 to 1"
})

/** Why a figure is null. */
export const MissingResult = oneOf(
  [
    "not_begun",
    "no_readings",
    "low_coverage",
    "too_few_days",
    "too_few_sites",
    "no_measured_device",
    "no_battery",
    "opted_out",
    "held_out",
    "did_not_take_part",
    "not_nominated",
    "no_sites"
  ],
  "Why a figure is null: the interval has not begun; no readings; readings cover less than 0.9; fewer than 3 usable like days; fewer than 3 held-out sites with readings; no meter, inverter or battery measures the grid; no battery; the site opted out, was held out or got no command; no power was nominated; no site counts"
).annotate({ identifier: "MissingResult" })
export type MissingResult = typeof MissingResult.Type

const reason = Schema.optionalKey(MissingResult).annotateKey({ description: "Why a figure is null" })

export const ReportInterval = Schema.Struct({
  startsAt: Timestamp.annotate({ description: "Start of the interval" }),
  endsAt: Timestamp.annotate({ description: "End of the interval" }),
  baselineWh: energy("Energy that would have been used without the dispatch, Wh; positive imports"),
  actualWh: energy("Energy that was used, Wh; positive imports"),
  deliveredWh: energy("`baselineWh` less `actualWh`; positive is a reduction of the import"),
  coverage,
  reason
}).annotate({
  identifier: "ReportInterval",
  description: "Baseline and actual use of an interval",
  examples: [
    {
      startsAt: "2026-07-15T00:00:00.000Z",
      endsAt: "2026-07-15T00:15:00.000Z",
      baselineWh: 400,
      actualWh: -850,
      deliveredWh: 1250,
      coverage: 1
    }
  ]
})
export type ReportInterval = typeof ReportInterval.Type

export const LeftOutDay = Schema.Struct({
  date: LocalDate,
  reason: oneOf(
    ["dispatch", "outage", "low_coverage", "not_among_the_highest", "highest", "lowest", "less_alike"],
    "Why the day does not count: another dispatch, an outage of the grid, coverage below 0.9, or the method's choice among the like days"
  )
}).annotate({ identifier: "LeftOutDay", description: "A like day that does not count" })

export const BaselineAdjustment = Schema.Struct({
  kind: oneOf(["multiplicative", "additive"], "Whether the baseline was multiplied by a factor or an energy was added"),
  factor: orNull(Schema.Finite).annotate({ description: "The factor, 0.8 to 1.2; null if it is additive" }),
  offsetW: orNull(Schema.Finite).annotate({ description: "The added power, W; null if it is multiplicative" })
}).annotate({
  identifier: "BaselineAdjustment",
  description: "Same-day adjustment by the two hours that end one hour before the window"
})

export const SiteResult = Schema.Struct({
  siteId: Cuid.annotate({ description: "The site", examples: [exampleIds.site] }),
  timezone: StoredText(64).annotate({ description: "Time zone of the site's days" }),
  dayType: oneOf(["weekday", "weekend"], "Type of the dispatch's day; holidays are weekend days"),
  daysUsed: Schema.Array(LocalDate)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "Local dates that the baseline was computed from" }),
  daysLeftOut: Schema.Array(LeftOutDay)
    .check(documents({ maxItems: 365 }))
    .annotate({ description: "Like days that were left out" }),
  adjustment: orNull(BaselineAdjustment).annotate({ description: "Same-day adjustment; null if there was none" }),
  baselineWh: energy("Baseline of the whole dispatch, Wh"),
  actualWh: energy("Use in the whole dispatch, Wh"),
  deliveredWh: energy("`baselineWh` less `actualWh`"),
  exportedWh: energy("Energy that the site exported to the grid, Wh; part of what was delivered"),
  coverage,
  reason
}).annotate({
  identifier: "SiteResult",
  description: "Performance of a site in a dispatch",
  examples: [
    {
      siteId: exampleIds.site,
      timezone: "America/Los_Angeles",
      dayType: "weekday",
      daysUsed: ["2026-07-13", "2026-07-10", "2026-07-09"],
      daysLeftOut: [{ date: "2026-07-08", reason: "low_coverage" }],
      adjustment: { kind: "multiplicative", factor: 1.05, offsetW: null },
      baselineWh: 4800,
      actualWh: -9600,
      deliveredWh: 14_400,
      exportedWh: 9600,
      coverage: 1
    }
  ]
})
export type SiteResult = typeof SiteResult.Type

export const DispatchReport = Schema.Struct({
  dispatchId: Cuid.annotate({ description: "The dispatch", examples: [exampleIds.dispatch] }),
  status: DispatchStatus,
  from: Timestamp.annotate({ description: "Start of the dispatch" }),
  to: Timestamp.annotate({ description: "End of the dispatch" }),
  baseline: Baseline.annotate({ description: "The method with the parameters that were used, defaults included" }),
  indicative: Schema.Boolean.annotate({
    description: "Whether the method gives an indication only, which is unfit for settlement: meter-before"
  }),
  nominatedPowerW: energy("The promised reduction, W"),
  deliveredWh: energy("Energy delivered by the sites that count, Wh"),
  deliveredPowerW: energy("Mean power delivered in the intervals, W"),
  exportedWh: energy("Energy that the sites that count exported to the grid, Wh"),
  performance: energy("`deliveredPowerW` ÷ `nominatedPowerW`"),
  reason,
  sitesCounted: count("Number of sites whose result is known"),
  sitesTotal: count("Number of sites that took part"),
  intervals: Schema.Array(ReportInterval)
    .check(documents({ maxItems: 10_000 }))
    .annotate({ description: "Sums of the sites that count, by the quarter of an hour; clipped to the dispatch" }),
  sites: Page(SiteResult).annotate({ description: "A page of the sites' results, by site id" })
}).annotate({
  identifier: "DispatchReport",
  description: "Performance of a dispatch against its baseline"
})
export type DispatchReport = typeof DispatchReport.Type

export const DispatchReportQuery = { ...paging() }
