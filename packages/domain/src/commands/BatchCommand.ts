import { Schema } from "effect"
import { CommandSlug } from "../devices/DeviceType.ts"
import { oneOf } from "../shared/quantities.ts"
import { Cuid, CuidInput, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging } from "../shared/Page.ts"
import { FreeForm, StoredText, Tag } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { timingFields } from "./Command.ts"
import { CommandInputField } from "./commandInputs.ts"
import { commandReasons } from "./CommandReason.ts"

const optional = Schema.optionalKey

/** The maximum number of devices of one batch. */
export const BATCH_DEVICES = 50_000
/** The maximum number of devices that a request can name. */
export const NAMED_DEVICES = 10_000
/** The maximum number of skipped devices that a response names. */
export const SKIPPED_SHOWN = 1000

export const BatchStatus = oneOf(
  ["pending", "running", "completed", "cancelled"],
  "`pending`: no command was sent yet; `running`; `completed`: every command has completed or failed; `cancelled`: by a caller, or by `abortWhen`"
).annotate({ identifier: "BatchStatus" })
export type BatchStatus = typeof BatchStatus.Type

const positive = (maximum: number, description: string) => {
  const message = `Must be an integer from 1 to ${maximum}`
  return Schema.Int.annotate({ message })
    .check(Schema.isBetween({ minimum: 1, maximum }, { message }))
    .annotate({ description })
}

const maxPerMinute = positive(100_000, "Commands that are sent in a minute at most, evenly spread")

export const AbortWhen = Schema.Struct({
  failedPercent: positive(100, "Share of the finished commands that have failed, in percent"),
  afterAtLeast: positive(BATCH_DEVICES, "Finished commands below which the batch goes on")
}).annotate({
  identifier: "AbortWhen",
  description:
    "Cancels the rest of the batch once this share has failed. Overridden and cancelled commands do not count"
})

export const SkippedDevice = Schema.Struct({
  deviceId: Cuid,
  code: oneOf(
    ["DEVICE_NOT_FOUND", "INVALID_STATE", "VALIDATION_ERROR"],
    "`INVALID_STATE`: the device does not take the command or is disconnected; `VALIDATION_ERROR`: the input is outside of its limits"
  )
}).annotate({ identifier: "SkippedDevice", description: "A device that gets no command" })
export type SkippedDevice = typeof SkippedDevice.Type

const count = (description: string) =>
  Schema.Int.check(documents({ minimum: 0, maximum: BATCH_DEVICES })).annotate({ description })

export const BatchCommand = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.command] }),
  status: BatchStatus,
  type: CommandSlug,
  input: FreeForm.annotate({ description: "Input of the commands, in the form of their type" }),
  total: count("Number of commands of the batch"),
  counts: Schema.Struct({
    pending: count("Commands that are not yet sent"),
    scheduled: count("Commands that wait for `scheduledFor`"),
    delivered: count("Commands that the manufacturer or the device has accepted"),
    completed: count("Commands whose effect was confirmed"),
    failed: count("Commands that failed")
  }).annotate({ description: "Number of commands by status; the sum is `total`" }),
  reasons: Schema.Record(StoredText(100), count("Number of commands"))
    .check(documents({ maxProperties: commandReasons.length }))
    .annotate({ description: "Number of commands by `reason`; those without one are not counted" }),
  skipped: Schema.Array(SkippedDevice)
    .check(documents({ maxItems: SKIPPED_SHOWN }))
    .annotate({ description: `The first ${SKIPPED_SHOWN} devices that get no command` }),
  skippedTotal: count("Number of devices that get no command"),
  scheduledFor: optional(Timestamp.annotate({ description: "Time from which the commands are sent" })),
  expiresAt: optional(
    Timestamp.annotate({ description: "Time at which undelivered commands fail with `timeout`, if it was given" })
  ),
  revertAfter: optional(
    Schema.Int.check(documents({ minimum: 60, maximum: 86_400 })).annotate({
      description: "Seconds from the acceptance after which the previous settings are restored"
    })
  ),
  maxPerMinute: optional(maxPerMinute),
  abortWhen: optional(AbortWhen),
  aborted: Schema.Boolean.annotate({ description: "Whether `abortWhen` has cancelled the rest" }),
  retryOf: optional(Cuid.annotate({ description: "The batch whose failed commands this one repeats" })),
  createdAt: Timestamp.annotate({ description: "Time when the batch was stored" })
}).annotate({
  identifier: "BatchCommand",
  description: "The same command for many devices, with its progress",
  examples: [
    {
      id: exampleIds.command,
      status: "running",
      type: "battery:set-reserve",
      input: { chargePercentage: 30 },
      total: 3,
      counts: { pending: 1, scheduled: 0, delivered: 1, completed: 0, failed: 1 },
      reasons: { refused: 1 },
      skipped: [{ deviceId: exampleIds.device, code: "INVALID_STATE" }],
      skippedTotal: 1,
      maxPerMinute: 600,
      abortWhen: { failedPercent: 20, afterAtLeast: 50 },
      aborted: false,
      createdAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type BatchCommand = typeof BatchCommand.Type

/** Exactly one of `deviceIds`, `tag`, `collectionId` and `siteId` selects the devices; the service checks it. */
export const CreateBatchCommand = Schema.Struct({
  deviceIds: optional(
    Schema.Array(CuidInput)
      .check(
        Schema.isMinLength(1, { message: "Must have at least one device" }),
        Schema.isMaxLength(NAMED_DEVICES, { message: `Must be at most ${NAMED_DEVICES} devices` })
      )
      .annotate({ description: `Devices of the workspace, at most ${NAMED_DEVICES}; a repeated one counts once` })
  ),
  tag: optional(Tag.annotate({ description: "Devices with this tag" })),
  collectionId: optional(CuidInput.annotate({ description: "Members of this collection of devices" })),
  siteId: optional(CuidInput.annotate({ description: "Devices at this site" })),
  type: CommandSlug,
  input: CommandInputField,
  ...timingFields,
  maxPerMinute: optional(maxPerMinute),
  abortWhen: optional(AbortWhen)
}).annotate({
  identifier: "CreateBatchCommand",
  description:
    "A command for many devices. Exactly one of `deviceIds`, `tag`, `collectionId` and `siteId` selects them",
  examples: [{ tag: "pilot", type: "battery:set-reserve", input: { chargePercentage: 30 } }]
})
export type CreateBatchCommand = typeof CreateBatchCommand.Type

export const BatchFilters = paging()
