import { Schema } from "effect"
import { BatteryModeInput, ChargingModeInput, ThermostatModeInput } from "../commands/commandInputs.ts"
import type { CommandSlug } from "../devices/DeviceType.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents, typedAs } from "../shared/documents.ts"
import { Several, paging } from "../shared/Page.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"
import { StoredText, Tag, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { Timezone, timezoneInput } from "../shared/Timezone.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

/** The types of devices that a schedule can operate: those with a set-operating-mode command. */
export const scheduledTypes = ["battery", "charger", "thermostat", "vehicle"] as const
export type ScheduledType = (typeof scheduledTypes)[number]

/** The command that a schedule of the type issues. */
export const modeCommand = <T extends ScheduledType>(type: T) =>
  `${type}:set-operating-mode` as const satisfies CommandSlug

const deviceType = oneOf(scheduledTypes, "Type of the devices; its set-operating-mode command determines the modes")

/** A mode is validated by the command of the device type, so that an error names one path. */
export const ScheduleMode = typedAs(
  Schema.Union([BatteryModeInput, ChargingModeInput, ThermostatModeInput]),
  Schema.Record(Schema.String, Schema.Any).annotate({ message: "Must be a JSON object" })
).annotate({
  identifier: "ScheduleMode",
  description: "Input of the device type's set-operating-mode command; an unknown field is VALIDATION_ERROR"
})
export type ScheduleMode = typeof ScheduleMode.Type

const timePattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"
const timeMessage = "Must be a time from 00:00 to 23:59, such as 07:30"
const time = Schema.String.annotate({ message: timeMessage })
  .check(Schema.isPattern(new RegExp(timePattern, "u"), { message: timeMessage }), documents({ maxLength: 5 }))
  .annotate({ examples: ["07:30"] })

const RULES_LIMIT = 100

const daysOfWeek = Schema.Array(quantity("Day, 0 is Sunday", { minimum: 0, maximum: 6, integer: true })).check(
  Schema.isMinLength(1, { message: "Must name at least one day" }),
  Schema.isMaxLength(7, { message: "Must be at most 7 days" })
)

export const ScheduleRule = Schema.Struct({
  daysOfWeek: daysOfWeek.annotate({
    description: "Days on which the rule begins, 0 (Sunday) to 6; repeated days count once"
  }),
  startTime: time.annotate({ description: "Local time at which the rule begins, HH:MM" }),
  endTime: time.annotate({
    description:
      "Local time at which the rule ends, HH:MM; a time before `startTime` is on the next day, and equal times are 24 hours apart"
  }),
  mode: ScheduleMode
}).annotate({ identifier: "ScheduleRule", description: "A mode with the local times at which it holds in each week" })
export type ScheduleRule = typeof ScheduleRule.Type

const rules = Schema.Array(ScheduleRule)
  .check(Schema.isMaxLength(RULES_LIMIT, { message: `Must be at most ${RULES_LIMIT} rules` }))
  .annotate({ description: "Rules, of which no two may hold at the same time" })

export const ScheduleTarget = Schema.Union([
  Schema.Struct({ deviceId: Cuid.annotate({ description: "One device" }) }),
  Schema.Struct({ tag: StoredText(100).annotate({ description: "The devices with this tag" }) }),
  Schema.Struct({ collectionId: Cuid.annotate({ description: "The members of this collection of devices" }) })
]).annotate({
  identifier: "ScheduleTarget",
  description: "The devices of the schedule: one device, those with a tag, or the members of a collection"
})
export type ScheduleTarget = typeof ScheduleTarget.Type

const targetNames = ["deviceId", "tag", "collectionId"] as const

const targetInput = typedAs(
  Schema.Union([
    Schema.Struct({ deviceId: Text(1, 100).annotate({ description: "A device of the workspace" }) }),
    Schema.Struct({ tag: Tag.annotate({ description: "Devices with this tag" }) }),
    Schema.Struct({ collectionId: Text(1, 100).annotate({ description: "A collection of devices" }) })
  ]),
  Schema.Struct({
    deviceId: optional(Text(1, 100)),
    tag: optional(Tag),
    collectionId: optional(Text(1, 100))
  }).check(
    Schema.makeFilter((target) => targetNames.filter((name) => target[name] !== undefined).length === 1, {
      message: `Must have exactly one of ${targetNames.join(", ")}`
    })
  )
).annotate({ description: "The devices of the schedule: one device, those with a tag, or the members of a collection" })

const dayRule = {
  daysOfWeek: [1, 2, 3, 4, 5],
  startTime: "01:00",
  endTime: "05:00",
  mode: { operatingMode: "charge", maximumBatteryReserve: 90, enableGridInteraction: true }
} as const

const eveningRule = {
  daysOfWeek: [0, 1, 2, 3, 4, 5, 6],
  startTime: "17:00",
  endTime: "21:00",
  mode: { operatingMode: "discharge", minimumBatteryReserve: 20 }
} as const

const timezoneNote =
  "Time zone of the rules; by default that of the device's site, and the workspace's for a tag, a collection or a device without one"
const defaultModeNote = "Mode outside of the rules; null leaves a device as it is when a rule ends"
const enabledNote = "false: paused, it issues nothing"

export const Schedule = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.schedule] }),
  workspaceId: Cuid.annotate({ description: "The workspace of the key", examples: [exampleIds.workspace] }),
  name: StoredText(255).annotate({ description: "Display name" }),
  target: ScheduleTarget,
  deviceType: deviceType.annotate({ identifier: "ScheduledType" }),
  timezone: Timezone.annotate({ description: "Time zone of the rules" }),
  defaultMode: orNull(ScheduleMode).annotate({ description: defaultModeNote }),
  rules: Schema.Array(ScheduleRule)
    .check(documents({ maxItems: RULES_LIMIT }))
    .annotate({ description: "Rules, of which no two hold at the same time" }),
  enabled: Schema.Boolean.annotate({ description: enabledNote }),
  nextTransitionAt: orNull(Timestamp).annotate({
    description: "Time at which the next mode begins; null if it is paused or no mode ever follows another"
  }),
  createdAt: Timestamp.annotate({ description: "Time of creation" }),
  updatedAt: Timestamp.annotate({ description: "Time of the last change; transitions do not count" })
}).annotate({
  identifier: "Schedule",
  description: "Operating modes of devices by local time, repeated every week",
  examples: [
    {
      id: exampleIds.schedule,
      workspaceId: exampleIds.workspace,
      name: "Cheap nights, expensive evenings",
      target: { deviceId: exampleIds.device },
      deviceType: "battery",
      timezone: "America/Los_Angeles",
      defaultMode: { operatingMode: "idle" },
      rules: [dayRule, eveningRule],
      enabled: true,
      nextTransitionAt: "2026-03-02T01:00:00.000Z",
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Schedule = typeof Schedule.Type

const name = Text(1, 255).annotate({ description: "Display name" })
const timezone = timezoneInput({ description: timezoneNote })
const defaultMode = orNull(ScheduleMode).annotate({ description: defaultModeNote, default: null })
const enabled = flag(enabledNote)

const fields = {
  timezone: optional(timezone),
  defaultMode: optional(defaultMode),
  rules,
  enabled: optional(enabled.annotate({ default: true }))
}

export const CreateSchedule = Schema.Struct({
  name,
  target: targetInput,
  deviceType: optional(deviceType).annotateKey({
    description: "Type of the devices: required for a tag or a collection; of a device it is the device's type"
  }),
  ...fields
}).annotate({
  identifier: "CreateSchedule",
  examples: [
    {
      name: "Cheap nights, expensive evenings",
      target: { tag: "pilot" },
      deviceType: "battery",
      timezone: "America/Los_Angeles",
      defaultMode: { operatingMode: "idle" },
      rules: [dayRule, eveningRule]
    }
  ]
})
export type CreateSchedule = typeof CreateSchedule.Type

export const CreateDeviceSchedule = Schema.Struct({ name, ...fields }).annotate({
  identifier: "CreateDeviceSchedule",
  examples: [{ name: "Charge at night", rules: [dayRule], defaultMode: { operatingMode: "idle" } }]
})
export type CreateDeviceSchedule = typeof CreateDeviceSchedule.Type

const fixed = (field: string) => `Can't be changed: a value other than the schedule's ${field} is VALIDATION_ERROR`

export const UpdateSchedule = Schema.Struct({
  name: optional(name),
  timezone: optional(timezoneInput({ description: "Time zone of the rules" })),
  defaultMode: optional(
    orNull(ScheduleMode).annotate({
      description: "Merged with the present mode (RFC 7396): null removes a field, and null as a whole the mode"
    })
  ),
  rules: optional(rules),
  enabled: optional(flag("false pauses the schedule, true resumes it")),
  target: optional(targetInput).annotateKey({ description: fixed("target") }),
  deviceType: optional(deviceType).annotateKey({ description: fixed("type") })
}).annotate({ identifier: "UpdateSchedule", examples: [{ enabled: false }] })
export type UpdateSchedule = typeof UpdateSchedule.Type

export const PreviewSchedule = Schema.Struct({
  ...CreateSchedule.fields,
  name: optional(name),
  target: optional(targetInput).annotateKey({
    description:
      "As for creation; without a target, `timezone` is by default the workspace's and `deviceType` is required"
  }),
  from: optional(
    TimestampInput.annotate({
      description: "Time of the first transition at the earliest, from 1970 until 2199; default now"
    })
  )
}).annotate({
  identifier: "PreviewSchedule",
  examples: [
    {
      deviceType: "battery",
      timezone: "America/Los_Angeles",
      defaultMode: { operatingMode: "idle" },
      rules: [dayRule, eveningRule],
      from: "2026-03-08T00:00:00-08:00"
    }
  ]
})
export type PreviewSchedule = typeof PreviewSchedule.Type

/** The number of transitions of a preview. */
export const PREVIEW_LIMIT = 100

export const ScheduleTransition = Schema.Struct({
  at: Timestamp.annotate({ description: "Time at which the mode begins", examples: ["2026-03-08T09:00:00.000Z"] }),
  localTime: StoredText(40).annotate({
    description: "The same time in the schedule's time zone, with its offset from UTC",
    examples: ["2026-03-08T01:00:00-08:00"]
  }),
  mode: ScheduleMode,
  rule: orNull(Schema.Int.check(documents({ minimum: 0, maximum: RULES_LIMIT - 1 }))).annotate({
    description: "Index of the rule that begins; null for the default mode"
  })
}).annotate({
  identifier: "ScheduleTransition",
  description: "The beginning of a mode that differs from the one before"
})
export type ScheduleTransition = typeof ScheduleTransition.Type

export const SchedulePreview = Schema.Struct({
  timezone: Timezone.annotate({ description: "Time zone of the rules" }),
  transitions: Schema.Array(ScheduleTransition)
    .check(documents({ maxItems: PREVIEW_LIMIT }))
    .annotate({ description: "The next 100 transitions; empty if no mode ever follows another" })
}).annotate({
  identifier: "SchedulePreview",
  description: "The transitions of a schedule that is not stored",
  examples: [
    {
      timezone: "America/Los_Angeles",
      transitions: [
        {
          at: "2026-03-09T00:00:00.000Z",
          localTime: "2026-03-08T17:00:00-07:00",
          mode: { operatingMode: "discharge", minimumBatteryReserve: 20 },
          rule: 1
        }
      ]
    }
  ]
})
export type SchedulePreview = typeof SchedulePreview.Type

const enabledFilter = oneOf(["true", "false"], "true: schedules that issue commands; false: paused ones")

export const ScheduleFilters = {
  ...paging(),
  deviceId: optional(Several(Text(1, 100)).annotate({ description: "Schedules of these devices themselves" })),
  tag: optional(Several(Tag).annotate({ description: "Schedules of these tags" })),
  collectionId: optional(Several(Text(1, 100)).annotate({ description: "Schedules of these collections" })),
  deviceType: optional(Several(deviceType).annotate({ description: "Types of the devices" })),
  enabled: optional(enabledFilter)
}

export const DeviceScheduleFilters = { ...paging(), enabled: optional(enabledFilter) }
