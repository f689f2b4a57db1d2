import { Schema } from "effect"
import { Alert } from "../alerts/Alert.ts"
import { Command } from "../commands/Command.ts"
import { ConnectSession } from "../connections/ConnectSession.ts"
import { Customer } from "../customers/Customer.ts"
import { Device } from "../devices/Device.ts"
import { Enrollment } from "../enrollments/Enrollment.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { cursorPaging, integerFrom, Several } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { Site, Weather } from "../sites/Site.ts"
import { EventType, type EventType as Type } from "./EventType.ts"

const orNull = Schema.NullOr

export const EVENT_VERSION = "1.0.0"

interface WithWeather {
  /** Only in deliveries to destinations with `includeWeather`. */
  readonly weather?: Weather | null
}

interface CommandData extends WithWeather {
  readonly command: Command
  readonly deviceId: string
}

interface ConnectionData extends WithWeather {
  readonly session: ConnectSession | null
  readonly account: { readonly id: string; readonly manufacturer: string; readonly referenceId: string } | null
  readonly error: { readonly code: string; readonly message: string }
}

interface CustomerData extends WithWeather {
  readonly customer: Customer
}

interface SiteData extends WithWeather {
  readonly site: Site
}

export interface DeviceData extends WithWeather {
  readonly device: Device
  readonly customer: Customer | null
  readonly site: Site | null
}

interface UpdatedDeviceData extends DeviceData {
  readonly changed: ReadonlyArray<string>
}

interface EnrollmentData extends WithWeather {
  readonly enrollment: Enrollment
  readonly customer: Customer | null
}

interface AlertData extends WithWeather {
  readonly alert: Alert
}

/** The fields of `data`, by the type of the event. */
export interface EventData {
  readonly COMMAND_FAILED: CommandData
  readonly COMMAND_SCHEDULED: CommandData
  readonly COMMAND_SUCCEEDED: CommandData
  readonly COMMAND_OVERRIDDEN: CommandData
  readonly CONNECTION_FAILED: ConnectionData
  readonly CUSTOMER_CREATED: CustomerData
  readonly CUSTOMER_DELETED: CustomerData
  readonly CUSTOMER_UPDATED: CustomerData
  readonly DEVICE_CONNECTED: DeviceData
  readonly DEVICE_DISCONNECTED: DeviceData
  readonly DEVICE_DISCOVERED: DeviceData
  readonly DEVICE_UPDATED: UpdatedDeviceData
  readonly ENROLLMENT_APPROVED: EnrollmentData
  readonly ENROLLMENT_REJECTED: EnrollmentData
  readonly ENROLLMENT_SUBMITTED: EnrollmentData
  readonly SITE_CREATED: SiteData
  readonly SITE_DELETED: SiteData
  readonly SITE_UPDATED: SiteData
  readonly ALERT_CREATED: AlertData
  readonly ALERT_UPDATED: AlertData
}

/** An event of one type. */
export interface EventOf<T extends Type> {
  readonly id: string
  readonly sequence: number
  readonly type: T
  readonly version: typeof EVENT_VERSION
  readonly timestamp: string
  readonly workspaceId: string
  readonly data: EventData[T]
}

export type Event = { readonly [T in Type]: EventOf<T> }[Type]

const weather = Schema.optionalKey(orNull(Weather)).annotateKey({
  description:
    "Only in deliveries to a destination with `includeWeather`: the weather at the event's site at the time of sending; null if there is no site or the weather is unknown"
})

const data = <const Fields extends Schema.Struct.Fields>(subject: string, description: string, fields: Fields) =>
  Schema.Struct({ ...fields, weather }).annotate({ identifier: `${subject}EventData`, description })

const ofCommand = data("Command", "The command and its device", {
  command: Command,
  deviceId: Cuid.annotate({ description: "Device of the command" })
})

const ofConnection = data("Connection", "The failed session or account, with the error", {
  session: orNull(ConnectSession).annotate({ description: "The connect session that failed; null for an account" }),
  account: orNull(
    Schema.Struct({
      id: Cuid,
      manufacturer: Slug.annotate({ description: "Slug of the manufacturer that rejects the account" }),
      referenceId: StoredText(1000).annotate({ description: "Identifier of the user in the caller's system" })
    })
  ).annotate({ description: "The connected account whose access could not be renewed; null for a session" }),
  error: Schema.Struct({
    code: StoredText(255).annotate({ description: "Machine-readable error code" }),
    message: StoredText(10_000).annotate({ description: "Error message, shown to users" })
  })
})

const ofCustomer = data("Customer", "The customer after the change, or before its deletion", { customer: Customer })

const ofSite = data("Site", "The site after the change, or before its deletion", { site: Site })

const device = {
  device: Device,
  customer: orNull(Customer).annotate({
    description: "The customer who connected the device, else the customer who was first associated with its site"
  }),
  site: orNull(Site).annotate({ description: "Site of the device" })
}

const ofDevice = data("Device", "The device with its current state, its customer and its site", device)

const ofUpdatedDevice = data("DeviceUpdated", "The device after the change, its customer and its site", {
  ...device,
  changed: Schema.Array(StoredText(100))
    .check(documents({ maxItems: 100 }))
    .annotate({
      description:
        "Names of the changed fields of the device; `state` for a new current state, `timezone` if its site's time zone changed",
      examples: [["name", "tags"]]
    })
})

const ofEnrollment = data("Enrollment", "The enrollment and its customer", {
  enrollment: Enrollment,
  customer: orNull(Customer).annotate({ description: "Enrolled customer; null if the customer has been deleted" })
})

const ofAlert = data("Alert", "The alert after the change", { alert: Alert })

/** The component name of an event type: `SITE_CREATED` is SiteCreatedEvent. */
export const eventComponent = (type: Type) =>
  `${type
    .toLowerCase()
    .split("_")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("")}Event`

const event = <const T extends Type>(
  type: T,
  payload: Schema.Codec<EventData[T]>,
  description: string
): Schema.Codec<EventOf<T>> =>
  Schema.Struct({
    id: Cuid.annotate({
      description: "Identifier of the event, the same in every delivery",
      examples: [exampleIds.event]
    }),
    sequence: Schema.Int.check(documents({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
      description: "Position in the order of events; numbers may be skipped",
      examples: [48_211]
    }),
    type: Schema.Literal(type).annotate({ description: "Type of the event, which determines the form of `data`" }),
    version: Schema.Literal(EVENT_VERSION).annotate({ description: "Version of the form of `data`" }),
    timestamp: Timestamp.annotate({ description: "Time of the event" }),
    workspaceId: Cuid.annotate({ description: "Workspace of the event", examples: [exampleIds.workspace] }),
    data: payload
  }).annotate({ identifier: eventComponent(type), description })

/** An event. Its type determines the form of `data`. */
export const Event: Schema.Codec<Event> = Schema.Union([
  event("COMMAND_FAILED", ofCommand, "A command failed: refused, cancelled or timed out"),
  event("COMMAND_SCHEDULED", ofCommand, "A command was accepted for a later time"),
  event("COMMAND_SUCCEEDED", ofCommand, "A command was completed"),
  event("COMMAND_OVERRIDDEN", ofCommand, "A command was replaced by a newer one before it was delivered"),
  event("CONNECTION_FAILED", ofConnection, "A connect session failed, or a connected account lost its access"),
  event("CUSTOMER_CREATED", ofCustomer, "A customer was created, individually, in bulk or by the connect flow"),
  event("CUSTOMER_DELETED", ofCustomer, "A customer was deleted"),
  event("CUSTOMER_UPDATED", ofCustomer, "A customer's own fields changed; associations do not count"),
  event(
    "DEVICE_CONNECTED",
    ofDevice,
    "A device was provisioned, or its account was linked, for the first time or again"
  ),
  event(
    "DEVICE_DISCONNECTED",
    ofDevice,
    "A device's provisioning or account link ended: it was deleted or disconnected"
  ),
  event("DEVICE_DISCOVERED", ofDevice, "A device was stored for the first time"),
  event("DEVICE_UPDATED", ofUpdatedDevice, "Attributes of a device changed, or it has a new current state"),
  event("ENROLLMENT_APPROVED", ofEnrollment, "An enrollment was approved"),
  event("ENROLLMENT_REJECTED", ofEnrollment, "An enrollment was rejected"),
  event("ENROLLMENT_SUBMITTED", ofEnrollment, "An enrollment was submitted"),
  event("SITE_CREATED", ofSite, "A site was created, individually, in bulk or by the connect flow"),
  event("SITE_DELETED", ofSite, "A site was deleted"),
  event("SITE_UPDATED", ofSite, "A site's own fields changed; associations do not count"),
  event("ALERT_CREATED", ofAlert, "An alert was created by a caller or raised by a source"),
  event("ALERT_UPDATED", ofAlert, "An alert was acknowledged, ignored, resolved or raised again")
]).annotate({ identifier: "Event", description: "A change in a workspace. `type` determines the form of `data`" })
const optional = Schema.optionalKey

/** Filters of the events; `type` takes several values, any of which matches. */
export const EventFilters = {
  ...cursorPaging,
  type: optional(Several(EventType).annotate({ description: "Type of the event" })),
  deviceId: optional(Several(Text(1, 100)).annotate({ description: "Events of these devices and of their alerts" })),
  siteId: optional(
    Several(Text(1, 100)).annotate({
      description: "Events of these sites, and of devices and alerts while they were at the site"
    })
  ),
  from: optional(TimestampInput.annotate({ description: "Events at or after this time" })),
  to: optional(TimestampInput.annotate({ description: "Events before this time" })),
  after: integerFrom(
    0,
    "A `sequence`, or 0 for the start: lists the events after it, oldest first. `page` and `cursor` must be absent, and the response has no totals"
  )
}
