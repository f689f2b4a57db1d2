import { Schema } from "effect"
import { Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import {
  Attributes,
  Descriptors,
  Duration,
  EventPayloadDescriptor,
  IntervalPeriod,
  Intervals,
  Name,
  ObjectId,
  ReportDescriptor,
  ReportPayloadDescriptor,
  Targets,
  Url,
  nullable
} from "./values.ts"

const optional = Schema.optionalKey

export const objectTypes = ["PROGRAM", "EVENT", "REPORT", "SUBSCRIPTION", "VEN", "RESOURCE"] as const
export const ObjectType = Schema.Literals(objectTypes).annotate({ message: `Must be one of ${objectTypes.join(", ")}` })
export type ObjectType = typeof ObjectType.Type

const metadata = <const T extends string>(objectType: T) => ({
  id: ObjectId,
  createdDateTime: Timestamp,
  modificationDateTime: Timestamp,
  objectType: Schema.Literal(objectType)
})

const programFields = {
  programName: Name,
  intervalPeriod: nullable(IntervalPeriod),
  programDescriptions: nullable(
    Schema.Array(Schema.Struct({ URL: Url })).check(
      Schema.isMaxLength(100, { message: "Must be at most 100 descriptions" })
    )
  ),
  payloadDescriptors: nullable(Descriptors(Schema.Union([EventPayloadDescriptor, ReportPayloadDescriptor]))),
  attributes: nullable(Attributes),
  targets: nullable(Targets)
}
export const ProgramRequest = Schema.Struct(programFields).annotate({ identifier: "OpenAdrProgramRequest" })
export type ProgramRequest = typeof ProgramRequest.Type
export const OpenAdrProgram = Schema.Struct({ ...metadata("PROGRAM"), ...programFields }).annotate({
  identifier: "OpenAdrProgram"
})
export type OpenAdrProgram = typeof OpenAdrProgram.Type

const eventFields = {
  programID: ObjectId,
  eventName: nullable(Text(0, 1000)),
  duration: optional(Duration),
  priority: nullable(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "Must be an integer of at least 0" })).annotate({
      message: "Must be an integer of at least 0"
    })
  ),
  targets: nullable(Targets),
  reportDescriptors: nullable(Descriptors(ReportDescriptor)),
  payloadDescriptors: nullable(Descriptors(EventPayloadDescriptor)),
  intervalPeriod: nullable(IntervalPeriod),
  intervals: nullable(Intervals)
}
export const EventRequest = Schema.Struct(eventFields).annotate({ identifier: "OpenAdrEventRequest" })
export type EventRequest = typeof EventRequest.Type
export const OpenAdrEvent = Schema.Struct({ ...metadata("EVENT"), ...eventFields }).annotate({
  identifier: "OpenAdrEvent"
})
export type OpenAdrEvent = typeof OpenAdrEvent.Type

export const ReportedResource = Schema.Struct({
  resourceName: Name,
  intervalPeriod: nullable(IntervalPeriod),
  intervals: Intervals
}).annotate({ identifier: "OpenAdrReportedResource" })
export type ReportedResource = typeof ReportedResource.Type

const reportFields = {
  eventID: ObjectId,
  clientName: Name,
  reportName: nullable(Text(0, 1000)),
  payloadDescriptors: nullable(Descriptors(ReportPayloadDescriptor)),
  resources: Schema.Array(ReportedResource).check(
    Schema.isMaxLength(10_000, { message: "Must be at most 10000 resources" })
  )
}
export const ReportRequest = Schema.Struct(reportFields).annotate({ identifier: "OpenAdrReportRequest" })
export type ReportRequest = typeof ReportRequest.Type
export const OpenAdrReport = Schema.Struct({ ...metadata("REPORT"), ...reportFields, clientID: Name }).annotate({
  identifier: "OpenAdrReport"
})
export type OpenAdrReport = typeof OpenAdrReport.Type

export const operations = ["READ", "CREATE", "UPDATE", "DELETE"] as const
export const Operation = Schema.Literals(operations).annotate({ message: `Must be one of ${operations.join(", ")}` })
export type Operation = typeof Operation.Type

export const ObjectOperation = Schema.Struct({
  objects: Schema.Array(ObjectType).check(Schema.isMaxLength(20, { message: "Must be at most 20 objects" })),
  operations: Schema.Array(Operation).check(Schema.isMaxLength(20, { message: "Must be at most 20 operations" })),
  callbackUrl: Url,
  bearerToken: nullable(Schema.String.check(Schema.isMaxLength(8000, { message: "Must be at most 8000 characters" })))
}).annotate({ identifier: "OpenAdrObjectOperation" })
export type ObjectOperation = typeof ObjectOperation.Type

const subscriptionFields = {
  clientName: Name,
  programID: nullable(ObjectId),
  objectOperations: Schema.Array(ObjectOperation).check(
    Schema.isMaxLength(20, { message: "Must be at most 20 entries" })
  ),
  targets: nullable(Targets)
}
export const SubscriptionRequest = Schema.Struct(subscriptionFields).annotate({
  identifier: "OpenAdrSubscriptionRequest"
})
export type SubscriptionRequest = typeof SubscriptionRequest.Type
export const OpenAdrSubscription = Schema.Struct({
  ...metadata("SUBSCRIPTION"),
  ...subscriptionFields,
  clientID: Name
}).annotate({ identifier: "OpenAdrSubscription" })
export type OpenAdrSubscription = typeof OpenAdrSubscription.Type

const venFields = { venName: Name, attributes: nullable(Attributes) }
export const VenVenRequest = Schema.Struct({
  objectType: Schema.Literal("VEN_VEN_REQUEST"),
  ...venFields
}).annotate({ identifier: "OpenAdrVenVenRequest" })
export const BlVenRequest = Schema.Struct({
  objectType: Schema.Literal("BL_VEN_REQUEST"),
  clientID: Name,
  targets: nullable(Targets),
  ...venFields
}).annotate({ identifier: "OpenAdrBlVenRequest" })
export const OpenAdrVen = Schema.Struct({
  ...metadata("VEN"),
  clientID: Name,
  targets: nullable(Targets),
  ...venFields
}).annotate({ identifier: "OpenAdrVen" })
export type OpenAdrVen = typeof OpenAdrVen.Type

const resourceFields = { resourceName: Name, venID: ObjectId, attributes: nullable(Attributes) }
export const VenResourceRequest = Schema.Struct({
  objectType: Schema.Literal("VEN_RESOURCE_REQUEST"),
  ...resourceFields
}).annotate({ identifier: "OpenAdrVenResourceRequest" })
export const BlResourceRequest = Schema.Struct({
  objectType: Schema.Literal("BL_RESOURCE_REQUEST"),
  clientID: Name,
  targets: nullable(Targets),
  ...resourceFields
}).annotate({ identifier: "OpenAdrBlResourceRequest" })
export const OpenAdrResource = Schema.Struct({
  ...metadata("RESOURCE"),
  clientID: Name,
  targets: nullable(Targets),
  ...resourceFields
}).annotate({ identifier: "OpenAdrResource" })
export type OpenAdrResource = typeof OpenAdrResource.Type

/** Any object, as notifications carry it. */
export const OpenAdrObject = Schema.Union([
  OpenAdrProgram,
  OpenAdrEvent,
  OpenAdrReport,
  OpenAdrSubscription,
  OpenAdrVen,
  OpenAdrResource
])
export type OpenAdrObject = typeof OpenAdrObject.Type

export const Notification = Schema.Struct({
  objectType: ObjectType,
  operation: Operation,
  object: OpenAdrObject,
  targets: nullable(Targets)
}).annotate({ identifier: "OpenAdrNotification" })
export type Notification = typeof Notification.Type

/** How a VTN notifies, as far as a VEN needs it. A kind of authentication that is not known is read as well. */
export const Notifiers = Schema.Struct({
  WEBHOOK: nullable(Schema.Boolean),
  MQTT: nullable(
    Schema.Struct({
      URIS: Schema.Array(Schema.String.check(Schema.isMaxLength(8000))),
      serialization: Schema.String,
      authentication: Schema.Struct({ method: Schema.String, username: nullable(Schema.String) })
    })
  )
}).annotate({ identifier: "OpenAdrNotifiers" })
export type Notifiers = typeof Notifiers.Type

const topic = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000))
export const NotifierTopics = Schema.Struct({
  topics: Schema.Struct({ CREATE: nullable(topic), UPDATE: topic, DELETE: topic, ALL: nullable(topic) })
}).annotate({ identifier: "OpenAdrNotifierTopics" })
export type NotifierTopics = typeof NotifierTopics.Type

export const TokenResponse = Schema.Struct({
  access_token: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096)),
  token_type: Schema.String,
  expires_in: nullable(Schema.Finite),
  scope: nullable(Schema.String)
}).annotate({ identifier: "OpenAdrTokenResponse" })

export const AuthServerInfo = Schema.Struct({ tokenURL: Url }).annotate({ identifier: "OpenAdrAuthServerInfo" })

/** The error of a VTN, after RFC 7807. */
export const Problem = Schema.Struct({
  type: nullable(Schema.String),
  title: nullable(Schema.String),
  status: nullable(Schema.Int),
  detail: nullable(Schema.String),
  instance: nullable(Schema.String)
}).annotate({ identifier: "OpenAdrProblem" })
export type Problem = typeof Problem.Type

/** Scopes of a token. Tokens of VENs have the second to fourth, those of business logic the others. */
export const scopes = {
  businessLogic: ["read_all", "write_programs", "write_events", "write_subscriptions", "write_vens"],
  ven: ["read_targets", "read_ven_objects", "write_reports", "write_subscriptions", "write_vens"]
} as const
