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
  "pending: still to be sent, or to be sent again; succeeded; failed: given up; superseded: while an e-mail or SMS recipient had got its messages of an hour a newer DEVICE_UPDATED of the same device came, and that one goes instead"
)
export type DeliveryStatus = typeof DeliveryStatus.Type

export const DeliveryAttempt = Schema.Struct({
  attemptedAt: Timestamp.annotate({ description: "When it began" }),
  statusCode: orNull(Schema.Int.check(documents({ minimum: 100, maximum: 999 }))).annotate({
    description: "Status of the answer; null without one"
  }),
  durationMs: Schema.Int.check(documents({ minimum: 0, maximum: 600_000 })).annotate({
    description: "How long it took, in milliseconds"
  }),
  error: orNull(StoredText(500)).annotate({ description: "What went wrong; null when it succeeded" }),
  responseBody: orNull(StoredText(1024)).annotate({ description: "The first 1 KiB of the answer, as text" })
}).annotate({ identifier: "DeliveryAttempt", description: "One try to deliver" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

export const Delivery = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.delivery] }),
  destinationId: Cuid.annotate({ examples: [exampleIds.destination] }),
  eventId: Cuid.annotate({ examples: [exampleIds.event], description: "The event: the same id on every attempt" }),
  eventType: EventType,
  status: DeliveryStatus,
  nextAttemptAt: orNull(Timestamp).annotate({ description: "While pending: not before this time" }),
  attempts: Schema.Array(DeliveryAttempt)
    .check(documents({ maxItems: 20 }))
    .annotate({ description: "Newest first, the last 20" }),
  createdAt: Timestamp,
  completedAt: orNull(Timestamp).annotate({ description: "When it succeeded, was given up or superseded" })
}).annotate({
  identifier: "Delivery",
  description: "One event on its way to one destination",
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
  status: optional(Several(DeliveryStatus).annotate({ description: "How far the deliveries are" }))
}

export const ReplayDeliveries = Schema.Struct({
  from: TimestampInput.annotate({ description: "Events from then on, at most 30 days ago" }),
  to: Schema.optionalKey(TimestampInput.annotate({ description: "Events before then; by default now" })),
  failedOnly: Schema.optionalKey(flag("true: only those whose delivery was given up").annotate({ default: false }))
}).annotate({ identifier: "ReplayDeliveries", examples: [{ from: "2026-03-01T12:00:00.000Z", failedOnly: true }] })
export type ReplayDeliveries = typeof ReplayDeliveries.Type

export const Replayed = Schema.Struct({
  deliveries: Schema.Int.check(documents({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
    description: "How many deliveries are on their way again"
  })
}).annotate({ identifier: "Replayed", examples: [{ deliveries: 12 }] })

export const SendTest = Schema.Struct({
  type: Schema.optionalKey(EventType).annotateKey({
    description: "Type of the sample; by default the first that the destination subscribes to"
  })
}).annotate({ identifier: "SendTest", examples: [{ type: "ALERT_CREATED" }] })
export type SendTest = typeof SendTest.Type

export const TestResult = Schema.Struct({
  succeeded: Schema.Boolean.annotate({ description: "Whether it was taken" }),
  statusCode: Schema.NullOr(Schema.Int.check(documents({ minimum: 100, maximum: 999 }))).annotate({
    description: "Status of the answer; null without one"
  }),
  durationMs: Schema.Int.check(documents({ minimum: 0, maximum: 600_000 })).annotate({
    description: "How long it took, in milliseconds"
  }),
  error: Schema.NullOr(StoredText(500)).annotate({ description: "What went wrong; null when it succeeded" }),
  responseBody: Schema.NullOr(StoredText(1024)).annotate({ description: "The first 1 KiB of the answer, as text" })
}).annotate({
  identifier: "DestinationTest",
  examples: [{ succeeded: true, statusCode: 204, durationMs: 41, error: null, responseBody: null }]
})
export type TestResult = typeof TestResult.Type
