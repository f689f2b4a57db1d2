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
  "How far the command has come"
).annotate({ identifier: "CommandStatus" })
export type CommandStatus = typeof CommandStatus.Type

/** What the manufacturer answered. */
export const Upstream = Schema.Struct({
  statusCode: orNull(Schema.Int.check(documents({ minimum: 100, maximum: 599 }))).annotate({
    description: "HTTP status of the manufacturer's answer"
  }),
  errorCode: orNull(StoredText(255)).annotate({ description: "The manufacturer's error code" }),
  errorMessage: orNull(StoredText(10_000)).annotate({ description: "The manufacturer's message, word for word" }),
  requestId: orNull(StoredText(255)).annotate({ description: "The manufacturer's id of the request" })
}).annotate({ identifier: "Upstream", description: "What the manufacturer answered" })

export const Command = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.command] }),
  status: CommandStatus,
  reason: optional(StoredText(255).annotate({ description: "Why it has this status" })),
  type: CommandSlug,
  issuedAt: Timestamp.annotate({ description: "When it was accepted" }),
  executedAt: optional(Timestamp.annotate({ description: "When it was completed or failed" })),
  input: FreeForm.annotate({ description: "What the command is to do, in the form of its type" }),
  output: orNull(FreeForm).annotate({ description: "What came of it, where the type answers something" }),
  upstream: orNull(Upstream).annotate({ description: "null when the manufacturer was not called" }),
  deviceId: Cuid.annotate({ description: "The device that it is for" }),
  scheduledFor: optional(Timestamp.annotate({ description: "When it is to be carried out" })),
  expiresAt: optional(Timestamp.annotate({ description: "Undelivered at this time, it fails" })),
  revertAfter: optional(
    Schema.Int.check(documents({ minimum: 60, maximum: 86_400 })).annotate({
      description: "Seconds after which the settings from before come back"
    })
  ),
  batchId: optional(Cuid.annotate({ description: "The batch that it belongs to" }))
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
