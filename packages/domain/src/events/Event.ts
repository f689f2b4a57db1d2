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

interface Told {
  /** In deliveries to destinations that include it. */
  readonly weather?: Weather | null
}

interface OfCommand extends Told {
  readonly command: Command
  readonly deviceId: string
}

interface OfConnection extends Told {
  readonly session: ConnectSession | null
  readonly account: { readonly id: string; readonly manufacturer: string; readonly referenceId: string } | null
  readonly error: { readonly code: string; readonly message: string }
}

interface OfCustomer extends Told {
  readonly customer: Customer
}

interface OfSite extends Told {
  readonly site: Site
}

interface OfDevice extends Told {
  readonly device: Device
  readonly customer: Customer | null
  readonly site: Site | null
}

interface OfUpdatedDevice extends OfDevice {
  readonly changed: ReadonlyArray<string>
}

interface OfEnrollment extends Told {
  readonly enrollment: Enrollment
  readonly customer: Customer | null
}

interface OfAlert extends Told {
  readonly alert: Alert
}

/** What `data` holds, by the type of the event. */
export interface EventData {
  readonly COMMAND_FAILED: OfCommand
  readonly COMMAND_SCHEDULED: OfCommand
  readonly COMMAND_SUCCEEDED: OfCommand
  readonly COMMAND_OVERRIDDEN: OfCommand
  readonly CONNECTION_FAILED: OfConnection
  readonly CUSTOMER_CREATED: OfCustomer
  readonly CUSTOMER_DELETED: OfCustomer
  readonly CUSTOMER_UPDATED: OfCustomer
  readonly DEVICE_CONNECTED: OfDevice
  readonly DEVICE_DISCONNECTED: OfDevice
  readonly DEVICE_DISCOVERED: OfDevice
  readonly DEVICE_UPDATED: OfUpdatedDevice
  readonly ENROLLMENT_APPROVED: OfEnrollment
  readonly ENROLLMENT_REJECTED: OfEnrollment
  readonly ENROLLMENT_SUBMITTED: OfEnrollment
  readonly SITE_CREATED: OfSite
  readonly SITE_DELETED: OfSite
  readonly SITE_UPDATED: OfSite
  readonly ALERT_CREATED: OfAlert
  readonly ALERT_UPDATED: OfAlert
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
    "Only in what is sent to a destination with `includeWeather`: the weather at the event's site when it is sent; null where there is no site, or nobody can tell"
})

const data = <const Fields extends Schema.Struct.Fields>(subject: string, description: string, fields: Fields) =>
  Schema.Struct({ ...fields, weather }).annotate({ identifier: `${subject}EventData`, description })

const ofCommand = data("Command", "The command, and its device", {
  command: Command,
  deviceId: Cuid.annotate({ description: "The device that the command is for" })
})

const ofConnection = data("Connection", "What could not be connected, and why: a session, or an account of earlier", {
  session: orNull(ConnectSession).annotate({ description: "The connect session that failed; null for an account" }),
  account: orNull(
    Schema.Struct({
      id: Cuid,
      manufacturer: Slug.annotate({ description: "Slug of the manufacturer that refuses the account" }),
      referenceId: StoredText(1000).annotate({ description: "Identifies the user in the caller's system" })
    })
  ).annotate({ description: "The connected account whose access could not be renewed; null for a session" }),
  error: Schema.Struct({
    code: StoredText(255).annotate({ description: "What went wrong, for programs" }),
    message: StoredText(10_000).annotate({ description: "What went wrong, for people" })
  })
})

const ofCustomer = data("Customer", "The customer as it is since, or was before it was deleted", { customer: Customer })

const ofSite = data("Site", "The site as it is since, or was before it was deleted", { site: Site })

const device = {
  device: Device,
  customer: orNull(Customer).annotate({
    description:
      "Who connected the device; where nobody did, the customer who was first of those associated with its site"
  }),
  site: orNull(Site).annotate({ description: "Where the device is" })
}

const ofDevice = data("Device", "The device with its newest state, whose it is and where", device)

const ofUpdatedDevice = data("DeviceUpdated", "The device as it is since, whose it is and where", {
  ...device,
  changed: Schema.Array(StoredText(100))
    .check(documents({ maxItems: 100 }))
    .annotate({
      description:
        "Names of the device's fields that have changed; `state` with a new current state, `timezone` where its site has another",
      examples: [["name", "tags"]]
    })
})

const ofEnrollment = data("Enrollment", "The enrollment, and who is enrolled", {
  enrollment: Enrollment,
  customer: orNull(Customer).annotate({ description: "null once the customer is deleted" })
})

const ofAlert = data("Alert", "The alert as it is since", { alert: Alert })

/** `SITE_CREATED` is described by the component SiteCreatedEvent. */
export const componentOf = (type: Type) =>
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
      description: "Names the event, however often and wherever it is delivered",
      examples: [exampleIds.event]
    }),
    sequence: Schema.Int.check(documents({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
      description: "Order of the events; numbers may be left out",
      examples: [48_211]
    }),
    type: Schema.Literal(type).annotate({ description: "What happened; it tells what `data` holds" }),
    version: Schema.Literal(EVENT_VERSION).annotate({ description: "Version of the form of `data`" }),
    timestamp: Timestamp.annotate({ description: "When it happened" }),
    workspaceId: Cuid.annotate({ description: "The workspace that it happened in", examples: [exampleIds.workspace] }),
    data: payload
  }).annotate({ identifier: componentOf(type), description })

/** What happened; its type tells what `data` holds. */
export const Event: Schema.Codec<Event> = Schema.Union([
  event("COMMAND_FAILED", ofCommand, "A command failed: refused, cancelled or timed out"),
  event("COMMAND_SCHEDULED", ofCommand, "A command was accepted for a later time"),
  event("COMMAND_SUCCEEDED", ofCommand, "A command was carried out"),
  event("COMMAND_OVERRIDDEN", ofCommand, "A command gave way to a newer one before it was delivered"),
  event("CONNECTION_FAILED", ofConnection, "A connect session failed, or a connected account lost its access"),
  event("CUSTOMER_CREATED", ofCustomer, "A customer was created, by itself, in bulk or while connecting"),
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
  event("DEVICE_UPDATED", ofUpdatedDevice, "Something about a device changed, or it has a new current state"),
  event("ENROLLMENT_APPROVED", ofEnrollment, "An enrollment was approved"),
  event("ENROLLMENT_REJECTED", ofEnrollment, "An enrollment was rejected"),
  event("ENROLLMENT_SUBMITTED", ofEnrollment, "An enrollment was submitted"),
  event("SITE_CREATED", ofSite, "A site was created, by itself, in bulk or while connecting"),
  event("SITE_DELETED", ofSite, "A site was deleted"),
  event("SITE_UPDATED", ofSite, "A site's own fields changed; associations do not count"),
  event("ALERT_CREATED", ofAlert, "An alert was created by a caller or raised by a source"),
  event("ALERT_UPDATED", ofAlert, "An alert was acknowledged, ignored, resolved or raised again")
]).annotate({ identifier: "Event", description: "What happened in a workspace: `type` tells what `data` holds" })
const optional = Schema.optionalKey

/** Filters of the events; `type` takes several values, any of which matches. */
export const EventFilters = {
  ...cursorPaging,
  type: optional(Several(EventType).annotate({ description: "What happened" })),
  deviceId: optional(
    Several(Text(1, 100)).annotate({ description: "What happened to these devices, or to alerts of them" })
  ),
  siteId: optional(
    Several(Text(1, 100)).annotate({
      description: "What happened to these sites, or to devices and alerts while they were there"
    })
  ),
  from: optional(TimestampInput.annotate({ description: "Happened at or after" })),
  to: optional(TimestampInput.annotate({ description: "Happened before" })),
  after: integerFrom(
    0,
    "A `sequence`, 0 for the very beginning: what comes after it, oldest first. page and cursor must be absent then, and the answer has no totals"
  )
}
