import { Schema } from "effect"
import { EventType } from "../events/EventType.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, cursorPaging } from "../shared/Page.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { documents } from "../shared/documents.ts"
import { flag, oneOf } from "../shared/quantities.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const deliveryStatuses = ["pending", "succeeded", "failed", "superseded"] as const

export const DeliveryStatus = oneOf(
  deliveryStatuses,
  "pending: not sent yet, or to be retried; succeeded; failed: given up after all retries; superseded: replaced by a newer DEVICE_UPDATED of the same device while the hourly limit of an e-mail or SMS recipient was reached"
)
export type DeliveryStatus = typeof DeliveryStatus.Type

export const DeliveryAttempt = Schema.Struct({
  attemptedAt: Timestamp.annotate({ description: "Start of the attempt" }),
  statusCode: orNull(Schema.Int.check(documents({ minimum: 100, maximum: 999 }))).annotate({
    description: "HTTP status of the response; null if there was none"
  }),
  durationMs: Schema.Int.check(documents({ minimum: 0, maximum: 600_000 })).annotate({
    description: "Duration in milliseconds"
  }),
  error: orNull(StoredText(500)).annotate({ description: "Error message; null if it succeeded" }),
  responseBody: orNull(StoredText(1024)).annotate({ description: "The first 1 KiB of the response, as text" })
}).annotate({ identifier: "DeliveryAttempt", description: "One attempt to deliver the event" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

export const Delivery = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.delivery] }),
  destinationId: Cuid.annotate({ examples: [exampleIds.destination] }),
  eventId: Cuid.annotate({ examples: [exampleIds.event], description: "Id of the event, the same in every attempt" }),
  eventType: EventType,
  status: DeliveryStatus,
  nextAttemptAt: orNull(Timestamp).annotate({ description: "Earliest time of the next attempt, while pending" }),
  attempts: Schema.Array(DeliveryAttempt)
    .check(documents({ maxItems: 20 }))
    .annotate({ description: "The last 20 attempts, newest first" }),
  createdAt: Timestamp,
  completedAt: orNull(Timestamp).annotate({ description: "Time when it succeeded, failed or was superseded" })
}).annotate({
  identifier: "Delivery",
  description: "The delivery of one event to one destination",
  examples: [
    {
      id: exampleIds.delivery,
      destinationId: exampleIds.destination,
      eventId: exampleIds.event,
      eventType: "ALERT_CREATED",
      status: "succeeded",
      nextAttemptAt: null,
      attempts: [
        {
          attemptedAt: "2026-03-01T12:00:00.000Z",
          statusCode: 204,
          durationMs: 38,
          error: null,
          responseBody: null
        }
      ],
      createdAt: "2026-03-01T12:00:00.000Z",
      completedAt: "2026-03-01T12:00:00.100Z"
    }
  ]
})
export type Delivery = typeof Delivery.Type

export const DeliveryFilters = {
  ...cursorPaging,
  status: optional(Several(DeliveryStatus).annotate({ description: "Status of the deliveries" }))
}

export const ReplayDeliveries = Schema.Struct({
  from: TimestampInput.annotate({ description: "Start of the time range, inclusive, at most 30 days ago" }),
  to: Schema.optionalKey(TimestampInput.annotate({ description: "End of the time range, exclusive; default now" })),
  failedOnly: Schema.optionalKey(flag("true: only events whose delivery failed").annotate({ default: false }))
}).annotate({ identifier: "ReplayDeliveries", examples: [{ from: "2026-03-01T12:00:00.000Z", failedOnly: true }] })
export type ReplayDeliveries = typeof ReplayDeliveries.Type

export const Replayed = Schema.Struct({
  deliveries: Schema.Int.check(documents({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
    description: "Number of deliveries that were queued again"
  })
}).annotate({ identifier: "Replayed", examples: [{ deliveries: 12 }] })

export const SendTest = Schema.Struct({
  type: Schema.optionalKey(EventType).annotateKey({
    description: "Event type of the sample; default: the first type that the destination subscribes to"
  })
}).annotate({ identifier: "SendTest", examples: [{ type: "ALERT_CREATED" }] })
export type SendTest = typeof SendTest.Type

export const TestResult = Schema.Struct({
  succeeded: Schema.Boolean.annotate({ description: "Whether the receiver accepted the sample" }),
  statusCode: Schema.NullOr(Schema.Int.check(documents({ minimum: 100, maximum: 999 }))).annotate({
    description: "HTTP status of the response; null if there was none"
  }),
  durationMs: Schema.Int.check(documents({ minimum: 0, maximum: 600_000 })).annotate({
    description: "Duration in milliseconds"
  }),
  error: Schema.NullOr(StoredText(500)).annotate({ description: "Error message; null if it succeeded" }),
  responseBody: Schema.NullOr(StoredText(1024)).annotate({ description: "The first 1 KiB of the response, as text" })
}).annotate({
  identifier: "DestinationTest",
  examples: [{ succeeded: true, statusCode: 204, durationMs: 41, error: null, responseBody: null }]
})
export type TestResult = typeof TestResult.Type
