import { Schema } from "effect"
import { BatteryModeInput, ChargingModeInput, ThermostatModeInput } from "../commands/commandInputs.ts"
import { scheduledTypes } from "../schedules/Schedule.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents, typedAs } from "../shared/documents.ts"
import { Several, paging } from "../shared/Page.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

/** The types of devices that a dispatch can operate. */
export const dispatchedTypes = scheduledTypes
export type DispatchedType = (typeof dispatchedTypes)[number]

/** A power that each device of a type is asked for. */
export const TargetPower = Schema.Struct({
  targetPowerW: quantity(
    "Power of each device, W. Battery: positive discharges, negative charges, 0 holds it idle. Charger and vehicle: the power drawn, 0 stops charging. A thermostat has none"
  )
}).annotate({ identifier: "TargetPower", description: "A power that each device of the type is asked for" })

export const DispatchAction = typedAs(
  Schema.Union([BatteryModeInput, ChargingModeInput, ThermostatModeInput, TargetPower]),
  Schema.Record(Schema.String, Schema.Any).annotate({ message: "Must be a JSON object" })
).annotate({
  identifier: "DispatchAction",
  description:
    "Input of the device type's set-operating-mode command, or `targetPowerW`; an unknown field is VALIDATION_ERROR"
})
export type DispatchAction = typeof DispatchAction.Type

export const DispatchActions = Schema.Struct({
  battery: optional(DispatchAction),
  charger: optional(DispatchAction),
  vehicle: optional(DispatchAction),
  thermostat: optional(DispatchAction)
})
  .check(
    Schema.makeFilter((actions) => Object.keys(actions).length > 0, {
      message: `Must have at least one of ${dispatchedTypes.join(", ")}`,
      toJsonSchema: () => [{ minProperties: 1 }, true]
    })
  )
  .annotate({ identifier: "DispatchActions", description: "The mode or the power of each type of device" })
export type DispatchActions = typeof DispatchActions.Type

/** Maximum number of intervals of a dispatch. */
export const INTERVALS_LIMIT = 96

const intervalFields = {
  durationSeconds: quantity("Length of the interval, seconds", { minimum: 60, maximum: 86_400, integer: true }),
  actions: DispatchActions
}

export const DispatchInterval = Schema.Struct({
  startsAt: Timestamp.annotate({ description: "Start of the interval" }),
  ...intervalFields
}).annotate({ identifier: "DispatchInterval", description: "A part of a dispatch with its actions" })
export type DispatchInterval = typeof DispatchInterval.Type

export const DispatchStatus = oneOf(
  ["draft", "scheduled", "running", "completed", "cancelled"],
  "`draft`: not announced; `scheduled`: announced to the enrolled sites; `running`: between its start and its end; `completed` and `cancelled`: ended"
).annotate({ identifier: "DispatchStatus" })
export type DispatchStatus = typeof DispatchStatus.Type

export const baselineMethods = [
  "x-of-y",
  "10-of-10",
  "middle-8-of-10",
  "match-day-3",
  "device-metered",
  "hold-out",
  "meter-before"
] as const

export const BaselineMethod = oneOf(
  baselineMethods,
  "`x-of-y`: the mean of the x of the latest y like days with the highest use in the window; `10-of-10`: of the latest 10; `middle-8-of-10`: of the latest 10 without the highest and the lowest; `match-day-3`: of the 3 days that are most alike outside the window; `device-metered`: the battery's own charge and discharge, less its mean in the same hours of the like days; `hold-out`: the mean of enrolled sites that were left out at random; `meter-before`: the mean of the hour before the window, which is indicative only"
).annotate({ identifier: "BaselineMethod" })
export type BaselineMethod = typeof BaselineMethod.Type

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/u
const dateMessage = "Must be a date, such as 2026-07-04"
export const LocalDate = Schema.String.annotate({ message: dateMessage })
  .check(Schema.isPattern(DATE, { message: dateMessage }), documents({ maxLength: 10 }))
  .annotate({ examples: ["2026-07-04"] })

const days = (description: string, minimum: number) =>
  optional(quantity(description, { minimum, maximum: 100, integer: true }))

export const BaselineParameters = Schema.Struct({
  x: days("x-of-y: the number of days that count; default 5 on weekdays, 3 on other days", 1),
  y: days("x-of-y: the number of like days that are looked at, at least x; default 10 on weekdays, 5 on other days", 1),
  lookbackDays: optional(
    quantity("The number of days before the dispatch in which like days are sought", {
      minimum: 7,
      maximum: 365,
      integer: true
    }).annotate({ default: 60 })
  ),
  adjustment: optional(
    flag(
      "x-of-y, 10-of-10 and middle-8-of-10: whether the baseline is adjusted by the use of the two hours that end one hour before the window"
    ).annotate({ default: true })
  ),
  holidays: optional(
    oneOf(
      ["us-federal", "none"],
      "Holidays that count as weekend days: the federal holidays of the USA, or none"
    ).annotate({ default: "us-federal" })
  ),
  extraHolidays: optional(
    Schema.Array(LocalDate)
      .check(Schema.isMaxLength(100, { message: "Must be at most 100 dates" }))
      .annotate({ description: "Further local dates that count as weekend days", default: [] })
  ),
  share: optional(
    quantity("hold-out: the share of the enrolled sites that is left out at random", { minimum: 0.01, maximum: 0.9 })
  ).annotateKey({ description: "hold-out: the share of the enrolled sites that is left out; default 0.1" })
}).annotate({
  identifier: "BaselineParameters",
  description: "Parameters of the baseline; a field of another method has no effect"
})
export type BaselineParameters = typeof BaselineParameters.Type

export const Baseline = Schema.Struct({
  method: BaselineMethod,
  parameters: BaselineParameters
}).annotate({
  identifier: "Baseline",
  description: "The estimate of what would have been used without the dispatch",
  examples: [{ method: "x-of-y", parameters: { x: 5, y: 10 } }]
})
export type Baseline = typeof Baseline.Type

export const participantStates = ["notified", "opted_out", "running", "unresponsive", "done", "failed"] as const

export const ParticipantState = oneOf(
  participantStates,
  "`notified`: enrolled, the dispatch has not begun at the site; `opted_out`: takes no part or no longer; `running`: commands were issued; `unresponsive`: no device has answered in time; `failed`: every device has refused or can't take the command; `done`: the dispatch has ended at the site"
).annotate({ identifier: "ParticipantState" })
export type ParticipantState = typeof ParticipantState.Type

const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })

export const ParticipantCounts = Schema.Struct({
  notified: count("Sites that are notified"),
  opted_out: count("Sites that have opted out"),
  running: count("Sites that take part"),
  unresponsive: count("Sites without a response"),
  done: count("Sites that have ended"),
  failed: count("Sites whose devices can't take part")
}).annotate({ identifier: "ParticipantCounts", description: "Numbers of sites by state" })

const name = "Display name"
const priority = "Rank where dispatches overlap on a device: 0 is the highest; of equal ones the earlier created holds"
const randomizeStartSeconds =
  "Each site begins at a random delay of up to this many seconds, so that a fleet does not move at once; the end stays"
const voluntary = "Whether sites may opt out; false: an opt-out is INVALID_STATE"
const test = "Whether it is a test: devices move, but program reports do not count its energy"
const nominatedPowerW =
  "The reduction of the net import that was promised for all sites together, W; the report's performance is relative to it"

export const Dispatch = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.dispatch] }),
  programInstanceId: Cuid.annotate({
    description: "The program instance whose enrolled sites take part",
    examples: [exampleIds.programInstance]
  }),
  name: StoredText(255).annotate({ description: name }),
  startsAt: Timestamp.annotate({ description: "Start of the first interval" }),
  endsAt: Timestamp.annotate({ description: "End of the last interval" }),
  intervals: Schema.Array(DispatchInterval)
    .check(documents({ minItems: 1, maxItems: INTERVALS_LIMIT }))
    .annotate({ description: "Intervals in order of time; between two intervals devices have their own settings" }),
  priority: Schema.Int.check(documents({ minimum: 0, maximum: 255 })).annotate({ description: priority }),
  randomizeStartSeconds: Schema.Int.check(documents({ minimum: 0, maximum: 3600 })).annotate({
    description: randomizeStartSeconds
  }),
  voluntary: Schema.Boolean.annotate({ description: voluntary }),
  test: Schema.Boolean.annotate({ description: test }),
  nominatedPowerW: orNull(Schema.Finite.check(documents({ minimum: 0 }))).annotate({ description: nominatedPowerW }),
  baseline: Baseline,
  status: DispatchStatus,
  reason: orNull(StoredText(1000)).annotate({ description: "Reason for the status, shown to users" }),
  participants: ParticipantCounts,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Dispatch",
  description: "A call on the enrolled sites of a program instance: what their devices do, and when",
  examples: [
    {
      id: exampleIds.dispatch,
      programInstanceId: exampleIds.programInstance,
      name: "Hot evening",
      startsAt: "2026-07-15T00:00:00.000Z",
      endsAt: "2026-07-15T03:00:00.000Z",
      intervals: [
        {
          startsAt: "2026-07-15T00:00:00.000Z",
          durationSeconds: 10_800,
          actions: { battery: { operatingMode: "discharge", enableGridInteraction: true, minimumBatteryReserve: 20 } }
        }
      ],
      priority: 1,
      randomizeStartSeconds: 300,
      voluntary: true,
      test: false,
      nominatedPowerW: 250_000,
      baseline: { method: "device-metered", parameters: {} },
      status: "scheduled",
      reason: null,
      participants: { notified: 120, opted_out: 3, running: 0, unresponsive: 0, done: 0, failed: 0 },
      createdAt: "2026-07-14T12:00:00.000Z",
      updatedAt: "2026-07-14T12:00:00.000Z"
    }
  ]
})
export type Dispatch = typeof Dispatch.Type

const intervals = Schema.Array(
  Schema.Struct({
    startsAt: TimestampInput.annotate({ description: "Start of the interval, not before the end of the one before" }),
    ...intervalFields
  })
)
  .check(
    Schema.isMinLength(1, { message: "Must have at least one interval" }),
    Schema.isMaxLength(INTERVALS_LIMIT, { message: `Must be at most ${INTERVALS_LIMIT} intervals` })
  )
  .annotate({
    description:
      "Intervals in order of time, which must not overlap. The first one begins in the future, and the last one ends within 7 days of it"
  })

const baselineInput = Schema.Struct({ method: BaselineMethod, parameters: optional(BaselineParameters) }).annotate({
  description: "Default: device-metered if all actions are of batteries, else x-of-y"
})

const fields = {
  priority: optional(quantity(priority, { minimum: 0, maximum: 255, integer: true }).annotate({ default: 1 })),
  randomizeStartSeconds: optional(
    quantity(randomizeStartSeconds, { minimum: 0, maximum: 3600, integer: true }).annotate({ default: 0 })
  ),
  voluntary: optional(flag(voluntary).annotate({ default: true })),
  test: optional(flag(test).annotate({ default: false })),
  nominatedPowerW: optional(orNull(quantity(nominatedPowerW, { above: 0 })).annotate({ description: nominatedPowerW })),
  baseline: optional(baselineInput),
  status: optional(
    oneOf(
      ["draft", "scheduled"],
      "`draft` is not announced and never starts; `scheduled` is announced at once"
    ).annotate({ default: "scheduled" })
  )
}

export const CreateDispatch = Schema.Struct({
  name: Text(1, 255).annotate({ description: name }),
  intervals,
  ...fields
}).annotate({
  identifier: "CreateDispatch",
  examples: [
    {
      name: "Hot evening",
      intervals: [
        {
          startsAt: "2026-07-14T17:00:00-07:00",
          durationSeconds: 10_800,
          actions: { battery: { operatingMode: "discharge", enableGridInteraction: true, minimumBatteryReserve: 20 } }
        }
      ],
      randomizeStartSeconds: 300,
      nominatedPowerW: 250_000
    }
  ]
})
export type CreateDispatch = typeof CreateDispatch.Type

export const UpdateDispatch = Schema.Struct({
  name: optional(Text(1, 255).annotate({ description: name })),
  intervals: optional(intervals),
  ...fields
}).annotate({ identifier: "UpdateDispatch", examples: [{ status: "scheduled" }] })
export type UpdateDispatch = typeof UpdateDispatch.Type

export const CancelDispatch = Schema.Struct({
  reason: optional(orNull(Text(1, 1000)).annotate({ description: "Reason, shown to users" }))
}).annotate({ identifier: "CancelDispatch", examples: [{ reason: "The grid has recovered" }] })
export type CancelDispatch = typeof CancelDispatch.Type

export const DispatchFilters = {
  ...paging(),
  status: optional(Several(DispatchStatus).annotate({ description: "Status of the dispatch" })),
  test: optional(oneOf(["true", "false"], "Whether it is a test")),
  from: optional(TimestampInput.annotate({ description: "Dispatches that end after this time" })),
  to: optional(TimestampInput.annotate({ description: "Dispatches that start before this time" }))
}

export const ParticipantReason = Schema.Struct({
  deviceId: orNull(Cuid).annotate({ description: "The device; null if the reason is the site's" }),
  code: StoredText(100).annotate({
    description:
      "Reason of the device's command, or why none was issued: `not_able`, `settings_unknown`, `site_limit`, `outranked`; `power_not_supported` if it got a mode without the power; `not_restored` if a thermostat did not take its settings back; of a site: `no_device`, `not_enrolled`, `opted_out`, `held_out`, `missed`",
    examples: ["timeout"]
  }),
  message: StoredText(1000).annotate({ description: "The reason, shown to users" })
}).annotate({ identifier: "ParticipantReason", description: "Why a site or one of its devices does not take part" })
export type ParticipantReason = typeof ParticipantReason.Type

export const Participant = Schema.Struct({
  siteId: Cuid.annotate({ description: "The enrolled site", examples: [exampleIds.site] }),
  customerId: Cuid.annotate({ description: "The enrolled customer", examples: [exampleIds.customer] }),
  enrollmentId: Cuid.annotate({ description: "The enrollment", examples: [exampleIds.enrollment] }),
  state: ParticipantState,
  heldOut: Schema.Boolean.annotate({
    description: "Whether the site was left out at random, for the baseline of the others: it gets no command"
  }),
  startsAt: orNull(Timestamp).annotate({
    description: "Start of the dispatch at this site, with its random delay; null before the dispatch has begun"
  }),
  deviceCount: count("Number of devices that take part; 0 before the dispatch has begun"),
  reasons: Schema.Array(ParticipantReason)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "Why devices of the site do not take part" }),
  updatedAt: Timestamp.annotate({ description: "Time of the last change of the state" })
}).annotate({
  identifier: "Participant",
  description: "The part of a site in a dispatch",
  examples: [
    {
      siteId: exampleIds.site,
      customerId: exampleIds.customer,
      enrollmentId: exampleIds.enrollment,
      state: "running",
      heldOut: false,
      startsAt: "2026-07-15T00:03:12.000Z",
      deviceCount: 1,
      reasons: [],
      updatedAt: "2026-07-15T00:03:12.000Z"
    }
  ]
})
export type Participant = typeof Participant.Type

export const ParticipantFilters = {
  ...paging(),
  state: optional(Several(ParticipantState).annotate({ description: "State of the site" })),
  siteId: optional(Several(Text(1, 100)).annotate({ description: "These sites" }))
}
