import { Schema } from "effect"
import { flag } from "../devices/quantities.ts"
import { EventType } from "../events/EventType.ts"
import { documents } from "../shared/documents.ts"
import { StoredText } from "../shared/Text.ts"
import { TimestampInput } from "../shared/Timestamps.ts"

const optional = Schema.optionalKey
const orNull = Schema.NullOr

export const ReplayDeliveries = Schema.Struct({
  from: TimestampInput.annotate({ description: "Events from then on, at most 30 days ago" }),
  to: optional(TimestampInput.annotate({ description: "Events before then; by default now" })),
  failedOnly: optional(flag("true: only those whose delivery was given up").annotate({ default: false }))
}).annotate({ identifier: "ReplayDeliveries", examples: [{ from: "2026-03-01T12:00:00.000Z", failedOnly: true }] })
export type ReplayDeliveries = typeof ReplayDeliveries.Type

export const Replayed = Schema.Struct({
  deliveries: Schema.Int.check(documents({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
    description: "How many deliveries are on their way again"
  })
}).annotate({ identifier: "Replayed", examples: [{ deliveries: 12 }] })

export const SendTest = Schema.Struct({
  type: optional(EventType).annotateKey({
    description: "Type of the sample; by default the first that the destination subscribes to"
  })
}).annotate({ identifier: "SendTest", examples: [{ type: "ALERT_CREATED" }] })
export type SendTest = typeof SendTest.Type

export const TestResult = Schema.Struct({
  succeeded: Schema.Boolean.annotate({ description: "Whether it was taken" }),
  statusCode: orNull(Schema.Int.check(documents({ minimum: 100, maximum: 999 }))).annotate({
    description: "Status of the answer; null without one"
  }),
  durationMs: Schema.Int.check(documents({ minimum: 0, maximum: 600_000 })).annotate({
    description: "How long it took, in milliseconds"
  }),
  error: orNull(StoredText(500)).annotate({ description: "What went wrong; null when it succeeded" }),
  responseBody: orNull(StoredText(1024)).annotate({ description: "The first 1 KiB of the answer, as text" })
}).annotate({
  identifier: "DestinationTest",
  examples: [{ succeeded: true, statusCode: 204, durationMs: 41, error: null, responseBody: null }]
})
export type TestResult = typeof TestResult.Type
