import { Schema } from "effect"
import { CommandSlug } from "../devices/DeviceType.ts"
import { oneOf } from "../shared/quantities.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { FreeForm, StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const CommandStatus = oneOf(
  ["pending", "delivered", "completed", "scheduled", "failed"],
  "Status of the command"
).annotate({ identifier: "CommandStatus" })
export type CommandStatus = typeof CommandStatus.Type

/** The manufacturer's response. */
export const Upstream = Schema.Struct({
  statusCode: orNull(Schema.Int.check(documents({ minimum: 100, maximum: 599 }))).annotate({
    description: "HTTP status of the manufacturer's response"
  }),
  errorCode: orNull(StoredText(255)).annotate({ description: "The manufacturer's error code" }),
  errorMessage: orNull(StoredText(10_000)).annotate({ description: "The manufacturer's message, verbatim" }),
  requestId: orNull(StoredText(255)).annotate({ description: "The manufacturer's id of the request" })
}).annotate({ identifier: "Upstream", description: "The manufacturer's response" })

export const Command = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.command] }),
  status: CommandStatus,
  reason: optional(StoredText(255).annotate({ description: "Reason for the status" })),
  type: CommandSlug,
  issuedAt: Timestamp.annotate({ description: "Time when the command was accepted" }),
  executedAt: optional(Timestamp.annotate({ description: "Time when the command completed or failed" })),
  input: FreeForm.annotate({ description: "Input of the command, in the form of its type" }),
  output: orNull(FreeForm).annotate({ description: "Result of the command, if its type has one; null otherwise" }),
  upstream: orNull(Upstream).annotate({ description: "Response of the manufacturer; null if it was not called" }),
  deviceId: Cuid.annotate({ description: "Device of the command" }),
  scheduledFor: optional(Timestamp.annotate({ description: "Time at which the command is to be executed" })),
  expiresAt: optional(Timestamp.annotate({ description: "The command fails if it is not delivered by this time" })),
  revertAfter: optional(
    Schema.Int.check(documents({ minimum: 60, maximum: 86_400 })).annotate({
      description: "Seconds after which the previous settings are restored"
    })
  ),
  batchId: optional(Cuid.annotate({ description: "Batch of the command" }))
}).annotate({
  identifier: "Command",
  description: "An instruction to a device",
  examples: [
    {
      id: exampleIds.command,
      status: "completed",
      type: "battery:set-reserve",
      issuedAt: "2026-03-01T12:00:00.000Z",
      executedAt: "2026-03-01T12:00:02.000Z",
      input: { chargePercentage: 30 },
      output: null,
      upstream: null,
      deviceId: exampleIds.device
    }
  ]
})
export type Command = typeof Command.Type
