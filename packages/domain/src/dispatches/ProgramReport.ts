import { Schema } from "effect"
import { EnrollmentStatus, enrollmentStatuses } from "../enrollments/Enrollment.ts"
import { DeviceType, deviceTypes } from "../devices/DeviceType.ts"
import { timeframes } from "../metrics/MetricQuery.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { csvTable } from "../shared/csv.ts"
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
  description:
    "Share of the counted time that readings cover, 0 to 1: the mean of charging and discharging. A battery counts while it is enrolled, from its first reading until it was disconnected"
})

/** Maximum number of days of a report. */
export const REPORT_DAYS = 366
/** Maximum number of days of batteries that a report is computed from. */
export const BATTERY_DAYS = 1_600_000
/** Maximum number of unresponsive devices that a report lists. */
export const UNRESPONSIVE_LIMIT = 1000

const reason = Schema.optionalKey(
  oneOf(
    ["no_devices", "no_batteries", "no_readings", "not_counted", "future"],
    "Why an energy is null: no device or no battery was enrolled; no readings; the batteries were enrolled for less than a quarter of an hour, or in test dispatches alone; or the time has not come"
  )
).annotateKey({ description: "Why an energy is null" })

const capacityReason = Schema.optionalKey(
  oneOf(
    ["no_devices", "no_batteries", "not_known"],
    "Why a capacity or a power is null: no device or no battery is enrolled, or none states it"
  )
).annotateKey({ description: "Why a capacity or a power is null" })

export const ReportDay = Schema.Struct({
  date: LocalDate.annotate({ description: "Local date in the report's time zone" }),
  enrollments: count("Enrollments in force at the end of the day: approved, active and not ended"),
  devices: count("Devices that they had connected at the end of the day"),
  capacityWh: figure("Capacity of their batteries that state one, at the end of the day, Wh"),
  capacityReason,
  dischargedWh: figure("Energy discharged by batteries while they were enrolled, Wh"),
  chargedWh: figure("Energy charged into batteries while they were enrolled, Wh"),
  coverage,
  reason
}).annotate({
  identifier: "ReportDay",
  description: "A day of a program instance; the first and the last are clipped to the report",
  examples: [
    {
      date: "2026-07-14",
      enrollments: 120,
      devices: 120,
      capacityWh: 1_620_000,
      dischargedWh: 830_000,
      chargedWh: 910_000,
      coverage: 0.98
    }
  ]
})
export type ReportDay = typeof ReportDay.Type

export const UnresponsiveDevice = Schema.Struct({
  deviceId: Cuid.annotate({ description: "The device", examples: [exampleIds.device] }),
  siteId: Cuid.annotate({ description: "Its site in the newest such dispatch", examples: [exampleIds.site] }),
  dispatches: count("Dispatches, tests included, that have sent it a command in the last 12 months"),
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
  devices: Schema.Array(Schema.Struct({ type: DeviceType, count: count("Enrolled devices of this type") }))
    .check(documents({ maxItems: deviceTypes.length }))
    .annotate({
      description:
        "Enrolled devices by type: those connected now at the sites of enrollments in force, of the enrollments' manufacturers. Types without a device are left out"
    }),
  capacityWh: figure("Capacity of the enrolled batteries that state one, Wh"),
  dischargePowerW: figure("Maximum discharge power of the enrolled batteries that state one, W"),
  chargePowerW: figure("Maximum charge power of the enrolled batteries that state one, W"),
  capacityReason,
  batteries: count("Enrolled batteries"),
  batteriesWithCapacity: count("Enrolled batteries that state their capacity"),
  dischargedWh: figure(
    "Energy discharged by batteries while they were enrolled, Wh; without the time of test dispatches"
  ),
  chargedWh: figure("Energy charged into batteries while they were enrolled, Wh; without the time of test dispatches"),
  coverage,
  reason,
  days: Schema.Array(ReportDay)
    .check(documents({ maxItems: REPORT_DAYS + 2 }))
    .annotate({ description: "The same by local day" }),
  unresponsiveDevices: Schema.Array(UnresponsiveDevice)
    .check(documents({ maxItems: UNRESPONSIVE_LIMIT }))
    .annotate({
      description: "Devices that did not respond to a dispatch in the last 12 months, the most frequent first"
    }),
  unresponsiveTotal: count("Number of such devices")
}).annotate({
  identifier: "ProgramReport",
  description: "A program instance over a time",
  examples: [
    {
      programInstanceId: exampleIds.programInstance,
      from: "2026-07-14T07:00:00.000Z",
      to: "2026-07-15T07:00:00.000Z",
      timezone: "America/Los_Angeles",
      enrollments: enrollmentStatuses.map((status) => ({ status, count: status === "approved" ? 120 : 0 })),
      devices: [{ type: "battery", count: 120 }],
      capacityWh: 1_620_000,
      dischargePowerW: 600_000,
      chargePowerW: 600_000,
      batteries: 120,
      batteriesWithCapacity: 120,
      dischargedWh: 830_000,
      chargedWh: 910_000,
      coverage: 0.98,
      days: [
        {
          date: "2026-07-14",
          enrollments: 120,
          devices: 120,
          capacityWh: 1_620_000,
          dischargedWh: 830_000,
          chargedWh: 910_000,
          coverage: 0.98
        }
      ],
      unresponsiveDevices: [],
      unresponsiveTotal: 0
    }
  ]
})
export type ProgramReport = typeof ProgramReport.Type

export const ProgramReportQuery = {
  timeframe: optional(
    oneOf(
      timeframes,
      "Time range that ends now, instead of `from` and `to`; 1y is 365 days. From a day on it begins with its first whole quarter of an hour"
    ).annotate({
      default: "30d"
    })
  ),
  from: optional(TimestampInput.annotate({ description: "Start, inclusive; default 30 days before `to`" })),
  to: optional(TimestampInput.annotate({ description: `End, exclusive; default now; at most ${REPORT_DAYS} days` }))
}
export type ProgramReportQuery = Schema.Struct.Type<typeof ProgramReportQuery>

const dayColumns = [
  "date",
  "enrollments",
  "devices",
  "capacityWh",
  "capacityReason",
  "dischargedWh",
  "chargedWh",
  "coverage",
  "reason"
] as const satisfies ReadonlyArray<keyof ReportDay>

/** The days of a report as CSV. */
export const reportCsv = (days: ReadonlyArray<ReportDay>): string =>
  csvTable(
    dayColumns,
    days.map((day) => dayColumns.map((column) => day[column]))
  )
