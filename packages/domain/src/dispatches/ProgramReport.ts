import { Schema } from "effect"
import { EnrollmentStatus } from "../enrollments/Enrollment.ts"
import { DeviceType } from "../devices/DeviceType.ts"
import { timeframes } from "../metrics/MetricQuery.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { oneOf } from "../shared/quantities.ts"
import { LocalDate } from "./Dispatch.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey
const figure = (description: string) => orNull(Schema.Finite).annotate({ description })
const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })

const coverage = Schema.Finite.check(documents({ minimum: 0, maximum: 1 })).annotate({
  description: "Share of the time of the batteries that readings cover, 0 to 1"
})

/** Maximum number of days of a report. */
export const REPORT_DAYS = 366
/** Maximum number of unresponsive devices that a report lists. */
export const UNRESPONSIVE_LIMIT = 1000

const missing = Schema.optionalKey(
  oneOf(
    ["no_devices", "no_batteries", "not_known", "no_readings", "future"],
    "Why figures are null: no device or no battery is enrolled, no device states its capacity or power, no readings, or a day that has not begun"
  )
).annotateKey({ description: "Why a figure is null" })

export const ReportDay = Schema.Struct({
  date: LocalDate.annotate({ description: "Local date in the report's time zone" }),
  enrollments: count("Approved enrollments at the end of the day"),
  devices: count("Devices that they had connected at the end of the day"),
  capacityWh: figure("Capacity of their batteries at the end of the day, Wh"),
  dischargedWh: figure("Energy discharged by their batteries, Wh"),
  chargedWh: figure("Energy charged into their batteries, Wh"),
  coverage,
  reason: missing
}).annotate({ identifier: "ReportDay", description: "A day of a program instance" })

export const UnresponsiveDevice = Schema.Struct({
  deviceId: Cuid.annotate({ description: "The device", examples: [exampleIds.device] }),
  siteId: Cuid.annotate({ description: "Its site in the newest such dispatch", examples: [exampleIds.site] }),
  dispatches: count("Dispatches that have sent it a command in the last 12 months"),
  unresponsive: count("Those to which it did not respond in time"),
  lastUnresponsiveAt: Timestamp.annotate({ description: "Start of the newest dispatch to which it did not respond" })
}).annotate({ identifier: "UnresponsiveDevice", description: "A device that did not respond to a dispatch" })
export type UnresponsiveDevice = typeof UnresponsiveDevice.Type

export const ProgramReport = Schema.Struct({
  programInstanceId: Cuid.annotate({ description: "The instance", examples: [exampleIds.programInstance] }),
  from: Timestamp.annotate({ description: "Start of the report, inclusive" }),
  to: Timestamp.annotate({ description: "End of the report, exclusive" }),
  timezone: StoredText(64).annotate({ description: "Time zone of the days: the workspace's" }),
  enrollments: Schema.Array(
    Schema.Struct({ status: EnrollmentStatus, count: count("Enrollments with this status now") })
  )
    .check(documents({ maxItems: 7 }))
    .annotate({ description: "Enrollments by status, every status named" }),
  devices: Schema.Array(
    Schema.Struct({
      type: DeviceType,
      count: count("Devices of this type at enrolled sites now")
    })
  )
    .check(documents({ maxItems: 9 }))
    .annotate({
      description: "Connected devices of approved enrollments by type; types without a device are left out"
    }),
  capacityWh: figure("Capacity of the enrolled batteries that state one, Wh"),
  dischargePowerW: figure("Maximum discharge power of the enrolled batteries that state one, W"),
  chargePowerW: figure("Maximum charge power of the enrolled batteries that state one, W"),
  batteries: count("Enrolled batteries"),
  batteriesWithCapacity: count("Enrolled batteries that state their capacity"),
  dischargedWh: figure("Energy discharged by batteries while they were enrolled, Wh"),
  chargedWh: figure("Energy charged into batteries while they were enrolled, Wh"),
  coverage,
  reason: missing,
  days: Schema.Array(ReportDay)
    .check(documents({ maxItems: REPORT_DAYS + 1 }))
    .annotate({ description: "The same by local day" }),
  unresponsiveDevices: Schema.Array(UnresponsiveDevice)
    .check(documents({ maxItems: UNRESPONSIVE_LIMIT }))
    .annotate({
      description: "Devices that did not respond to a dispatch in the last 12 months, the most frequent first"
    }),
  unresponsiveTotal: count("Number of such devices")
}).annotate({ identifier: "ProgramReport", description: "A program instance over a time" })
export type ProgramReport = typeof ProgramReport.Type

export const ProgramReportQuery = {
  timeframe: optional(
    oneOf(timeframes, "Time range that ends now, instead of `from` and `to`; 1y is 365 days").annotate({
      default: "30d"
    })
  ),
  from: optional(TimestampInput.annotate({ description: "Start, inclusive; default 30 days before `to`" })),
  to: optional(TimestampInput.annotate({ description: `End, exclusive; default now; at most ${REPORT_DAYS} days` }))
}
export type ProgramReportQuery = Schema.Struct.Type<typeof ProgramReportQuery>
