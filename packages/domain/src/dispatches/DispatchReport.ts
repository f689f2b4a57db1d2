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
    "not_ended",
    "no_readings",
    "low_coverage",
    "too_few_days",
    "too_few_sites",
    "no_measured_device",
    "no_battery",
    "outage",
    "disturbed",
    "opted_out",
    "held_out",
    "did_not_take_part",
    "not_nominated",
    "no_sites"
  ],
  "Why a figure is null. `not_begun`: the dispatch has not begun, or its first quarter of an hour has not ended; `not_ended`: the interval has not ended, or was cancelled; `no_readings`; `low_coverage`: readings cover less than 0.9; `too_few_days`: fewer than 3 usable like days; `too_few_sites`: fewer than 3 held-out sites with readings; `no_measured_device`: no meter, inverter or battery; `no_battery`: no battery took part; `outage`: the grid failed during the dispatch; `disturbed`: another dispatch or an outage in the hour before; `opted_out`, `held_out`; `did_not_take_part`: no command was carried out; `not_nominated`: no power was promised; `no_sites`: no site counts"
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
    ["dispatch", "outage", "clock_change", "low_coverage", "not_among_the_highest", "highest", "lowest", "less_alike"],
    "Why the day does not count: another dispatch, an outage of the grid, clocks that skipped a part of the window, coverage below 0.9, or the method's choice among the usable like days"
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

export const BaselineDay = Schema.Struct({
  date: LocalDate.annotate({ description: "Local date of the dispatch, or of its part of 24 hours" }),
  dayType: oneOf(["weekday", "weekend"], "Type of the day; holidays are weekend days"),
  daysUsed: Schema.Array(LocalDate)
    .check(documents({ maxItems: 366 }))
    .annotate({ description: "Local dates that the baseline was computed from, the latest first" }),
  daysLeftOut: Schema.Array(LeftOutDay)
    .check(documents({ maxItems: 366 }))
    .annotate({ description: "Like days that were looked at and left out, the latest first" }),
  adjustment: orNull(BaselineAdjustment).annotate({ description: "Same-day adjustment; null if there was none" }),
  unadjusted: Schema.optionalKey(
    oneOf(
      ["not_requested", "method", "not_the_first_day", "low_coverage", "dispatch", "outage"],
      "Why there was no adjustment: it is switched off; the method has none; the hours before lie within the dispatch; they have coverage below 0.9, another dispatch or an outage"
    )
  ).annotateKey({ description: "Why `adjustment` is null" })
}).annotate({
  identifier: "BaselineDay",
  description: "The like days of a dispatch, or of each 24 hours of a longer one"
})
export type BaselineDay = typeof BaselineDay.Type

/** Maximum number of parts of 24 hours of a dispatch: 7 days, of which one may have 25 hours. */
const PARTS_LIMIT = 8

export const SiteResult = Schema.Struct({
  siteId: Cuid.annotate({ description: "The site", examples: [exampleIds.site] }),
  timezone: StoredText(64).annotate({ description: "Time zone of the site's days" }),
  days: Schema.Array(BaselineDay)
    .check(documents({ maxItems: PARTS_LIMIT }))
    .annotate({
      description:
        "Days that the baseline was computed from; empty for methods without like days and for sites left out"
    }),
  baselineWh: energy("Baseline of the intervals that readings cover, Wh"),
  actualWh: energy("Use in the same intervals, Wh"),
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
      days: [
        {
          date: "2026-07-14",
          dayType: "weekday",
          daysUsed: ["2026-07-13", "2026-07-10", "2026-07-09"],
          daysLeftOut: [{ date: "2026-07-08", reason: "low_coverage" }],
          adjustment: { kind: "multiplicative", factor: 1.05, offsetW: null }
        }
      ],
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
  deliveredPowerW: energy(
    "Mean power delivered, W: the sum over the sites that count of each one's mean in the intervals that readings cover"
  ),
  exportedWh: energy("Energy that the sites that count exported to the grid, Wh"),
  performance: energy("`deliveredPowerW` ÷ `nominatedPowerW`"),
  reason,
  sitesCounted: count("Number of sites whose result is known"),
  sitesTotal: count("Number of sites of the dispatch, those that are left out included"),
  leftOut: Schema.Array(Schema.Struct({ reason: MissingResult, sites: count("Number of sites") }))
    .check(documents({ maxItems: 20 }))
    .annotate({ description: "Why sites do not count, with their numbers" }),
  controlSites: orNull(count("Number of held-out sites")).annotate({
    description: "hold-out: the number of held-out sites that the baseline is the mean of; null for other methods"
  }),
  intervals: Schema.Array(ReportInterval)
    .check(documents({ maxItems: 10_000 }))
    .annotate({ description: "Sums of the sites that count, by the quarter of an hour; clipped to the dispatch" }),
  sites: Page(SiteResult).annotate({ description: "A page of the sites' results, by site id" })
}).annotate({
  identifier: "DispatchReport",
  description: "Performance of a dispatch against its baseline",
  examples: [
    {
      dispatchId: exampleIds.dispatch,
      status: "completed",
      from: "2026-07-15T00:00:00.000Z",
      to: "2026-07-15T00:15:00.000Z",
      baseline: {
        method: "x-of-y",
        parameters: { lookbackDays: 60, adjustment: true, holidays: "us-federal", extraHolidays: [] }
      },
      indicative: false,
      nominatedPowerW: 6250,
      deliveredWh: 1250,
      deliveredPowerW: 5000,
      exportedWh: 850,
      performance: 0.8,
      sitesCounted: 1,
      sitesTotal: 2,
      leftOut: [{ reason: "opted_out", sites: 1 }],
      controlSites: null,
      intervals: [
        {
          startsAt: "2026-07-15T00:00:00.000Z",
          endsAt: "2026-07-15T00:15:00.000Z",
          baselineWh: 400,
          actualWh: -850,
          deliveredWh: 1250,
          coverage: 1
        }
      ],
      sites: {
        data: [
          {
            siteId: exampleIds.site,
            timezone: "America/Los_Angeles",
            days: [
              {
                date: "2026-07-14",
                dayType: "weekday",
                daysUsed: ["2026-07-13", "2026-07-10", "2026-07-09"],
                daysLeftOut: [{ date: "2026-07-08", reason: "low_coverage" }],
                adjustment: { kind: "multiplicative", factor: 1.05, offsetW: null }
              }
            ],
            baselineWh: 400,
            actualWh: -850,
            deliveredWh: 1250,
            exportedWh: 850,
            coverage: 1
          }
        ],
        page: 1,
        perPage: 1,
        totalItems: 2,
        totalPages: 2
      }
    }
  ]
})
export type DispatchReport = typeof DispatchReport.Type

export const DispatchReportQuery = { ...paging() }
