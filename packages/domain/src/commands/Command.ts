import { Schema } from "effect"
import { CommandSlug } from "../devices/DeviceType.ts"
import { oneOf } from "../shared/quantities.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { cursorPaging, Several } from "../shared/Page.ts"
import { FreeForm, StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { CommandInputField } from "./commandInputs.ts"
import { CommandNote } from "./CommandNote.ts"
import { CommandReason, reportedReasons } from "./CommandReason.ts"
import { ForcedMode } from "../devices/ForcedMode.ts"
import { CommandStatus, commandStatuses } from "./CommandStatus.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const commandSources = ["user", "dispatch", "schedule"] as const

/** The highest rank first. */
export const CommandSource = oneOf(
  commandSources,
  "Origin of the command: a user, by an API key or Home Assistant, a dispatch of a program, or a schedule. Each overrides those after it, and none before it"
).annotate({ identifier: "CommandSource" })
export type CommandSource = typeof CommandSource.Type

const upstreamFields = {
  statusCode: orNull(Schema.Int.check(documents({ minimum: 100, maximum: 599 }))).annotate({
    description: "HTTP status of the manufacturer's response"
  }),
  errorCode: orNull(StoredText(255)).annotate({ description: "The manufacturer's error code" }),
  errorMessage: orNull(StoredText(10_000)).annotate({ description: "The manufacturer's message, verbatim" }),
  requestId: orNull(StoredText(255)).annotate({ description: "The manufacturer's id of the request" })
}

/** The manufacturer's response. */
export const Upstream = Schema.Struct(upstreamFields).annotate({
  identifier: "Upstream",
  description: "The manufacturer's response"
})
export type Upstream = typeof Upstream.Type

export const CommandTransition = Schema.Struct({
  status: CommandStatus,
  at: Timestamp.annotate({ description: "Time at which the command got the status" })
}).annotate({ identifier: "CommandTransition", description: "A status of a command and its time" })
export type CommandTransition = typeof CommandTransition.Type

export const LateResult = Schema.Struct({
  status: oneOf(["completed", "failed"], "The result that arrived after the command had failed with `timeout`"),
  reason: optional(CommandReason),
  at: Timestamp.annotate({ description: "Time at which the result arrived" })
}).annotate({ identifier: "LateResult", description: "A result that arrived after the time-out; the status stays" })
export type LateResult = typeof LateResult.Type

export const Command = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.command] }),
  status: CommandStatus,
  reason: optional(CommandReason),
  note: optional(
    CommandNote.annotate({
      description:
        "With `completed`: why the device does nothing for the command, by its state at the completion, or by the first later one that decides it within 30 minutes. Absent while it does something, and where no state tells"
    })
  ),
  type: CommandSlug,
  source: CommandSource,
  sourceId: optional(
    Cuid.annotate({
      description: "The schedule, the dispatch or the Home Assistant publication that issued the command"
    })
  ),
  issuedAt: Timestamp.annotate({ description: "Time when the command was stored" }),
  executedAt: optional(Timestamp.annotate({ description: "Time when the command completed or failed" })),
  input: FreeForm.annotate({ description: "Input of the command, in the form of its type" }),
  output: orNull(FreeForm).annotate({
    description:
      "Result of the command: `{paired, required}` of vehicle:check-pairing-status; otherwise details of the manufacturer, or null"
  }),
  upstream: orNull(Upstream).annotate({
    description: "The manufacturer's last response; null if it was not called or said nothing"
  }),
  deviceId: Cuid.annotate({ description: "Device of the command" }),
  scheduledFor: optional(Timestamp.annotate({ description: "Time at which the command is to be sent" })),
  expiresAt: optional(
    Timestamp.annotate({ description: "The command fails with `timeout` if it is not delivered by this time" })
  ),
  revertAfter: optional(
    Schema.Int.check(documents({ minimum: 60, maximum: 86_400 })).annotate({
      description: "Seconds from the acceptance after which the previous settings are restored"
    })
  ),
  batchId: optional(Cuid.annotate({ description: "Batch of the command" })),
  transitions: Schema.Array(CommandTransition)
    .check(documents({ maxItems: commandStatuses.length }))
    .annotate({ description: "Every status that the command has had, the first one first" }),
  lateResult: optional(LateResult),
  forcedMode: optional(ForcedMode.annotate({ description: "The forced mode that this command began, while it holds" }))
}).annotate({
  identifier: "Command",
  description: "An instruction to a device",
  examples: [
    {
      id: exampleIds.command,
      status: "completed",
      type: "battery:set-reserve",
      source: "user",
      issuedAt: "2026-03-01T12:00:00.000Z",
      executedAt: "2026-03-01T12:00:42.000Z",
      input: { chargePercentage: 30 },
      output: null,
      upstream: null,
      deviceId: exampleIds.device,
      expiresAt: "2026-03-01T12:15:00.000Z",
      transitions: [
        { status: "pending", at: "2026-03-01T12:00:00.000Z" },
        { status: "delivered", at: "2026-03-01T12:00:02.000Z" },
        { status: "completed", at: "2026-03-01T12:00:42.000Z" }
      ]
    },
    {
      id: exampleIds.command,
      status: "completed",
      note: {
        code: "battery_at_reserve",
        sentence: "The battery was idle at 20 %, and discharging stops at 20 %."
      },
      type: "battery:set-operating-mode",
      source: "user",
      issuedAt: "2026-03-01T12:00:00.000Z",
      executedAt: "2026-03-01T12:00:42.000Z",
      input: { operatingMode: "discharge", enableGridInteraction: true },
      output: null,
      upstream: null,
      deviceId: exampleIds.device,
      expiresAt: "2026-03-01T12:15:00.000Z",
      transitions: [
        { status: "pending", at: "2026-03-01T12:00:00.000Z" },
        { status: "delivered", at: "2026-03-01T12:00:02.000Z" },
        { status: "completed", at: "2026-03-01T12:00:42.000Z" }
      ]
    }
  ]
})
export type Command = typeof Command.Type

const revertMessage = "Must be an integer from 60 to 86400"

/** Fields of a command's time, which a single command and a batch share. */
export const timingFields = {
  scheduledFor: optional(
    TimestampInput.annotate({ description: "Time at which the command is to be sent; absent: at once" })
  ),
  expiresAt: optional(
    TimestampInput.annotate({
      description:
        "Time at which an undelivered command fails with `timeout`; by default 15 minutes after `scheduledFor`, or after now"
    })
  ),
  revertAfter: optional(
    Schema.Int.annotate({ message: revertMessage })
      .check(Schema.isBetween({ minimum: 60, maximum: 86_400 }, { message: revertMessage }))
      .annotate({
        description:
          "Seconds from the acceptance after which the forced mode ends and the previous settings are restored. For charge, discharge and idle of a battery, 86,400 by default; and for start-charging and stop-charging"
      })
  )
}

export const SendCommand = Schema.Struct({
  type: CommandSlug,
  input: CommandInputField,
  ...timingFields
}).annotate({
  identifier: "SendCommand",
  description: "A command for a device",
  examples: [
    {
      type: "battery:set-operating-mode",
      input: { operatingMode: "charge", maximumBatteryReserve: 80 },
      revertAfter: 3600
    }
  ]
})
export type SendCommand = typeof SendCommand.Type

export const DeviceCommandFilters = {
  ...cursorPaging,
  status: optional(Several(CommandStatus).annotate({ description: "Commands with any of these statuses" })),
  type: optional(Several(CommandSlug).annotate({ description: "Commands of any of these types" })),
  from: optional(TimestampInput.annotate({ description: "Commands that were issued at or after this time" })),
  to: optional(TimestampInput.annotate({ description: "Commands that were issued before this time" }))
}

export const CommandFilters = {
  ...DeviceCommandFilters,
  deviceId: optional(Several(Text(1, 100)).annotate({ description: "Commands of these devices" })),
  batchId: optional(Several(Text(1, 100)).annotate({ description: "Commands of these batches" })),
  sourceId: optional(
    Several(Text(1, 100)).annotate({
      description: "Commands that these schedules, dispatches or Home Assistant publications issued"
    })
  )
}

/** The result that a manufacturer reports for a command of a direct device. */
export const CommandResult = Schema.Struct({
  status: oneOf(["completed", "failed"], "Result of the command"),
  reason: optional(oneOf(reportedReasons, "Reason for the failure; `refused` by default. Only with `failed`")),
  output: optional(
    FreeForm.annotate({
      description:
        "Result of the command. Of vehicle:check-pairing-status: `{paired, required}`, two booleans, required with `completed`; of other types details that the command keeps"
    })
  ),
  upstream: optional(
    Schema.Struct({
      statusCode: optional(
        orNull(
          Schema.Int.annotate({ message: "Must be an integer from 100 to 599" }).check(
            Schema.isBetween({ minimum: 100, maximum: 599 }, { message: "Must be an integer from 100 to 599" })
          )
        ).annotate({ description: "HTTP status of the device's or the cloud's response" })
      ),
      errorCode: optional(orNull(Text(0, 255)).annotate({ description: "The manufacturer's error code" })),
      errorMessage: optional(orNull(Text(0, 10_000)).annotate({ description: "The manufacturer's message" })),
      requestId: optional(orNull(Text(0, 255)).annotate({ description: "The manufacturer's id of the request" }))
    }).annotate({ description: "Details of the manufacturer; an absent field is null in the command" })
  )
}).annotate({
  identifier: "CommandResult",
  description: "The result of a command of a direct device",
  examples: [{ status: "completed" }]
})
export type CommandResult = typeof CommandResult.Type
