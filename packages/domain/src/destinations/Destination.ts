import { Schema } from "effect"
import { flag, oneOf } from "../shared/quantities.ts"
import { EventType } from "../events/EventType.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Email, StoredText, Text } from "../shared/Text.ts"
import { paging, Several } from "../shared/Page.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { KafkaConfig, KafkaConfigInput, KafkaConfigPatch } from "./KafkaConfig.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const destinationTypes = ["WEBHOOK", "SMS", "EMAIL", "KAFKA", "MANUFACTURER_COMMAND"] as const
export const DestinationType = oneOf(destinationTypes, "Delivery method")
export type DestinationType = typeof DestinationType.Type

export const deviceGroups = [
  "ALL",
  "BATTERIES",
  "CHARGERS",
  "SOLAR_INVERTERS",
  "THERMOSTATS",
  "VEHICLES",
  "OTHER",
  "UNKNOWN"
] as const
export const DeviceGroup = oneOf(
  deviceGroups,
  "Types of devices whose events are delivered: OTHER are meters, water heaters and devices of type other; null is ALL. Events without a device are always delivered"
)
export type DeviceGroup = typeof DeviceGroup.Type

const url = "URL to which events are posted, http or https (WEBHOOK, MANUFACTURER_COMMAND)"
const secret =
  "Signing secret: `whsec_` and 24 to 64 bytes in base64; generated if absent (WEBHOOK, MANUFACTURER_COMMAND)"
const headers = "Additional request headers (WEBHOOK, MANUFACTURER_COMMAND)"
const manufacturer =
  "Slug of the manufacturer; commands for its devices of direct integration are delivered (MANUFACTURER_COMMAND)"
const eventTypes =
  "Event types that are delivered, at least one; empty for MANUFACTURER_COMMAND, which receives only commands"
const includeWeather = "true: events have `data.weather`, the current weather at the site, or null if it is unknown"

/** Sent in place of a header's value or a password to keep the stored one. */
export const MASK = "********"

const HeaderValues = Schema.Record(Schema.String, StoredText(2000))
/** Maximum number of headers of one destination. */
const HEADERS_LIMIT = 20

const fewHeaders = Schema.isMaxProperties(HEADERS_LIMIT, { message: `Must be at most ${HEADERS_LIMIT} headers` })
const notHeaders = { message: "Must be an object of strings" }

export const GivenHeaders = Schema.Record(Schema.String, Text(1, 2000)).annotate(notHeaders).check(fewHeaders)

const HeadersPatch = Schema.Record(Schema.String, orNull(Text(1, 2000)))
  .annotate(notHeaders)
  .check(fewHeaders)

export const Destination = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.destination] }),
  workspaceId: Cuid.annotate({ description: "Workspace of the events", examples: [exampleIds.workspace] }),
  label: orNull(StoredText(255)).annotate({ description: "Display name" }),
  destinationType: orNull(DestinationType),
  deviceType: orNull(DeviceGroup),
  eventTypes: Schema.Array(EventType)
    .check(documents({ maxItems: 50 }))
    .annotate({ description: eventTypes }),
  url: orNull(StoredText(2000)).annotate({
    description: `${url}. It is a secret: lists show only its scheme and host, followed by \`/********\`; the response for a single destination shows all of it`
  }),
  email: orNull(StoredText(254)).annotate({ description: "E-mail address of the recipient (EMAIL)" }),
  phoneNumber: orNull(StoredText(16)).annotate({ description: "Telephone number of the recipient, E.164 (SMS)" }),
  secret: orNull(StoredText(200)).annotate({ description: secret }),
  headers: orNull(HeaderValues).annotate({ description: headers }),
  includeWeather: orNull(Schema.Boolean).annotate({ description: includeWeather }),
  kafkaConfig: orNull(KafkaConfig),
  manufacturer: orNull(StoredText(63)).annotate({ description: manufacturer }),
  deactivated: orNull(Schema.Boolean).annotate({
    description: "true: nothing is delivered until the destination is activated again"
  }),
  failingSince: orNull(Timestamp).annotate({
    description: "Time of the first failed delivery since the last successful one; null if none has failed since"
  }),
  deactivatedAt: orNull(Timestamp).annotate({ description: "Time of the deactivation" }),
  deactivatedReason: orNull(StoredText(1000)).annotate({ description: "Reason for the deactivation" }),
  createdAt: orNull(Timestamp),
  updatedAt: orNull(Timestamp).annotate({
    description: "Time of the last change of its settings; deliveries do not count"
  })
}).annotate({
  identifier: "Destination",
  description: "A receiver of a workspace's events",
  examples: [
    {
      id: exampleIds.destination,
      workspaceId: exampleIds.workspace,
      label: "Back end",
      destinationType: "WEBHOOK",
      deviceType: "ALL",
      eventTypes: ["DEVICE_UPDATED", "ALERT_CREATED"],
      url: "https://example.com/events",
      email: null,
      phoneNumber: null,
      secret: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0",
      headers: { "X-Team": "operations" },
      includeWeather: false,
      kafkaConfig: null,
      manufacturer: null,
      deactivated: false,
      failingSince: null,
      deactivatedAt: null,
      deactivatedReason: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Destination = typeof Destination.Type

const E164 = Schema.String.annotate({ message: "Must be a phone number in E.164, such as +19165550142" }).check(
  Schema.isPattern(/^\+[1-9]\d{6,14}$/u, { message: "Must be a phone number in E.164, such as +19165550142" }),
  documents({ maxLength: 16 })
)

const Events = Schema.Array(EventType)
  .check(Schema.isMaxLength(50, { message: "Must be at most 50 event types" }))
  .annotate({ description: eventTypes })

const Slug = Schema.String.annotate({ message: "Must be a manufacturer's slug" })
  .check(
    Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,62}$/u, { message: "Must be a manufacturer's slug" }),
    documents({ maxLength: 63 })
  )
  .annotate({ description: manufacturer })

const settings = {
  label: optional(orNull(Text(1, 255)).annotate({ description: "Display name" })),
  deviceType: optional(orNull(DeviceGroup)),
  eventTypes: optional(Events),
  url: optional(
    Text(1, 2000).annotate({
      description: `${url}. PATCH with the masked form from a list leaves it unchanged`
    })
  ),
  email: optional(Email.annotate({ description: "E-mail address of the recipient (EMAIL)" })),
  phoneNumber: optional(E164.annotate({ description: "Telephone number of the recipient, E.164 (SMS)" })),
  headers: optional(orNull(GivenHeaders).annotate({ description: headers })),
  includeWeather: optional(orNull(flag(includeWeather))),
  kafkaConfig: optional(KafkaConfigInput)
}

const workspaceId = Text(1, 100).annotate({
  description:
    "With a MANAGEMENT key the same as the query parameter `workspaceId`, which takes precedence; ignored with other keys"
})

export const CreateDestination = Schema.Struct({
  ...settings,
  destinationType: DestinationType,
  secret: optional(Text(1, 200).annotate({ description: secret })),
  manufacturer: optional(Slug),
  workspaceId: optional(workspaceId)
}).annotate({
  identifier: "CreateDestination",
  examples: [
    { destinationType: "WEBHOOK", url: "https://example.com/events", eventTypes: ["DEVICE_UPDATED", "ALERT_CREATED"] },
    { destinationType: "EMAIL", email: "ada@example.com", eventTypes: ["ALERT_CREATED"] }
  ]
})
export type CreateDestination = typeof CreateDestination.Type

export const UpdateDestination = Schema.Struct({
  ...settings,
  headers: optional(orNull(HeadersPatch).annotate({ description: `${headers}; null removes one header, or all` })),
  kafkaConfig: optional(KafkaConfigPatch),
  destinationType: optional(
    DestinationType.annotate({
      description: "Can't be changed: a value other than the destination's is VALIDATION_ERROR"
    })
  )
}).annotate({ identifier: "UpdateDestination", examples: [{ label: "Back end", eventTypes: ["ALERT_CREATED"] }] })
export type UpdateDestination = typeof UpdateDestination.Type

/** The workspace of the destinations, for MANAGEMENT keys. */
export const OfWorkspace = {
  workspaceId: optional(
    Text(1, 100).annotate({
      description:
        "With a MANAGEMENT key: a workspace of its organization; default its own. With other keys any workspace but their own is WORKSPACE_NOT_FOUND"
    })
  )
}

export const DestinationFilters = {
  ...paging(),
  ...OfWorkspace,
  destinationType: optional(Several(DestinationType).annotate({ description: "Delivery method" }))
}
