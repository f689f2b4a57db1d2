import { Schema } from "effect"
import { EventType } from "../events/EventType.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Delivery } from "./Delivery.ts"
import { DestinationType, DeviceGroup } from "./Destination.ts"
import { KafkaConfig } from "./KafkaConfig.ts"

const orNull = Schema.NullOr

/** Deliveries that are counted for one destination at most. */
export const COUNTED_DELIVERIES = 10_000

const count = (description: string) =>
  Schema.Int.check(documents({ minimum: 0, maximum: COUNTED_DELIVERIES })).annotate({
    description: `${description}, at most ${COUNTED_DELIVERIES}`
  })

const DestinationHealth = Schema.Struct({
  pending: count("Deliveries that wait, or are to be retried"),
  oldestPendingAt: orNull(Timestamp).annotate({
    description: "When the oldest of the waiting deliveries was created; of more than are counted, the oldest counted"
  }),
  failed: count("Deliveries of the last 30 days that failed for good"),
  failingSince: orNull(Timestamp).annotate({ description: "The first failure since the last success; null if none" }),
  failures: Schema.Int.check(documents({ minimum: 0 })).annotate({ description: "Failed attempts in a row" }),
  pausedUntil: orNull(Timestamp).annotate({
    description: "Nothing is sent before this time, because of failures or an hourly limit; null if it is not paused"
  })
}).annotate({ identifier: "DestinationHealth", description: "How the deliveries of a destination go" })

/** A destination without its secrets, and how its deliveries go. */
export const DestinationOverview = Schema.Struct({
  id: Cuid,
  workspaceId: Cuid,
  label: orNull(StoredText(255)),
  destinationType: DestinationType,
  deviceType: orNull(DeviceGroup),
  eventTypes: Schema.Array(EventType).check(documents({ maxItems: 50 })),
  url: orNull(StoredText(2000)).annotate({ description: "The scheme and host of the URL, followed by `/********`" }),
  email: orNull(StoredText(254)),
  phoneNumber: orNull(StoredText(16)),
  manufacturer: orNull(StoredText(63)),
  kafkaConfig: orNull(KafkaConfig),
  includeWeather: Schema.Boolean,
  headerNames: Schema.Array(StoredText(200))
    .check(documents({ maxItems: 20 }))
    .annotate({ description: "Names of the additional request headers" }),
  isSigned: Schema.Boolean.annotate({ description: "Whether it has a signing secret" }),
  previousSecretUntil: orNull(Timestamp).annotate({
    description: "Until then deliveries are also signed with the secret from before the last rotation"
  }),
  deactivated: Schema.Boolean,
  deactivatedAt: orNull(Timestamp),
  deactivatedReason: orNull(StoredText(1000)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  health: DestinationHealth
}).annotate({
  identifier: "DestinationOverview",
  description: "A destination without its secrets, and how its deliveries go",
  examples: [
    {
      id: exampleIds.destination,
      workspaceId: exampleIds.workspace,
      label: "Back end",
      destinationType: "WEBHOOK",
      deviceType: "ALL",
      eventTypes: ["DEVICE_UPDATED", "ALERT_CREATED"],
      url: "https://example.com/********",
      email: null,
      phoneNumber: null,
      manufacturer: null,
      kafkaConfig: null,
      includeWeather: false,
      headerNames: ["X-Team"],
      isSigned: true,
      previousSecretUntil: null,
      deactivated: false,
      deactivatedAt: null,
      deactivatedReason: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z",
      health: {
        pending: 3,
        oldestPendingAt: "2026-03-01T12:00:00.000Z",
        failed: 0,
        failingSince: "2026-03-01T12:00:05.000Z",
        failures: 4,
        pausedUntil: "2026-03-01T12:01:00.000Z"
      }
    }
  ]
})
export type DestinationOverview = typeof DestinationOverview.Type

export const OverviewFilters = {
  ...paging(),
  destinationType: Schema.optionalKey(Several(DestinationType).annotate({ description: "Delivery method" }))
}

export const EventDeliveries = Schema.Struct({
  data: Schema.Array(Delivery)
}).annotate({ identifier: "EventDeliveries", description: "The deliveries of one event, one for each destination" })
