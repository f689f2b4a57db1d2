import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging } from "../shared/Page.ts"
import { oneOf, quantity } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { ReportedResource } from "./OpenAdrObjects.ts"

const optional = Schema.optionalKey

const LevelSignal = Schema.Struct({
  payloadType: oneOf(
    ["SIMPLE", "CONTROL_LEVEL_OFFSET"],
    "SIMPLE: a level of load shedding from 0 to 3. CONTROL_LEVEL_OFFSET: discrete steps from -10 to 10"
  ),
  level: quantity("The level in every interval", { minimum: -10, maximum: 10, integer: true })
}).annotate({ identifier: "OpenAdrLevelSignal", description: "One level for all intervals" })

const PowerSignal = Schema.Struct({
  payloadType: oneOf(["DISPATCH_SETPOINT"], "The power that is drawn, kW"),
  deviceType: oneOf(
    ["battery", "charger", "vehicle"],
    "The type of device whose `targetPowerW` is sent. Power that batteries discharge is negative"
  )
}).annotate({ identifier: "OpenAdrPowerSignal", description: "The power that a dispatch asks of a type of device" })

export const OpenAdrSignal = Schema.Union([LevelSignal, PowerSignal])
  .check(
    Schema.makeFilter((signal) => signal.payloadType !== "SIMPLE" || (signal.level >= 0 && signal.level <= 3), {
      message: "Must have a level from 0 to 3 for SIMPLE"
    })
  )
  .annotate({
    identifier: "OpenAdrSignal",
    message:
      "Must be payloadType SIMPLE or CONTROL_LEVEL_OFFSET with level, or payloadType DISPATCH_SETPOINT with deviceType",
    description: "How the intervals of dispatches become payloads of events"
  })
export type OpenAdrSignal = typeof OpenAdrSignal.Type

const targets = Schema.Array(Text(1, 128))
  .check(Schema.isMaxLength(500, { message: "Must be at most 500 targets" }))
  .annotate({
    description: "Only VENs that were granted one of these targets see the program and its events; none: all VENs"
  })

const shownTargets = Schema.Array(StoredText(128)).check(documents({ maxItems: 500 }))

export const PublishToOpenAdr = Schema.Struct({
  programName: optional(
    Text(1, 128).annotate({
      description: "Name of the program, unique in the workspace; default: the instance's title"
    })
  ),
  targets: optional(targets),
  signal: OpenAdrSignal
}).annotate({
  identifier: "PublishToOpenAdr",
  examples: [{ targets: ["feeder-7"], signal: { payloadType: "SIMPLE", level: 1 } }]
})
export type PublishToOpenAdr = typeof PublishToOpenAdr.Type

export const OpenAdrPublication = Schema.Struct({
  programInstanceId: Cuid,
  openAdrProgramId: Cuid.annotate({ description: "`programID` of the events at the OpenADR server" }),
  programName: StoredText(128).annotate({ description: "Name of the program at the OpenADR server" }),
  targets: shownTargets.annotate({ description: "Targets of the program and its events" }),
  signal: OpenAdrSignal,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "OpenAdrPublication",
  description: "A program instance that VENs of others follow",
  examples: [
    {
      programInstanceId: exampleIds.programInstance,
      openAdrProgramId: exampleIds.program,
      programName: "Evening peak",
      targets: ["feeder-7"],
      signal: { payloadType: "SIMPLE", level: 1 },
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type OpenAdrPublication = typeof OpenAdrPublication.Type

const client = StoredText(128).annotate({ description: "`client_id` of the VEN: the id of its key" })

export const FollowingVen = Schema.Struct({
  id: Cuid,
  venName: StoredText(128),
  clientId: client,
  targets: shownTargets.annotate({ description: "Targets that the VEN was granted" }),
  resourceCount: Schema.Int.annotate({ description: "Number of its resources" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "FollowingVen",
  description: "A VEN of the workspace's OpenADR server",
  examples: [
    {
      id: exampleIds.device,
      venName: "aggregator",
      clientId: exampleIds.apiKey,
      targets: ["feeder-7"],
      resourceCount: 1,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type FollowingVen = typeof FollowingVen.Type

const SiteReport = Schema.Struct({
  ...ReportedResource.fields,
  siteId: Schema.NullOr(Cuid).annotate({
    description:
      "The site that the name stood for when the report was sent; null for a resource that the platform did not publish",
    examples: [exampleIds.site]
  })
}).annotate({
  identifier: "VenReportedResource",
  description: "What a VEN reports of a resource, in the form of OpenADR 3.1, and the resource's site",
  examples: [
    {
      resourceName: "Home",
      intervals: [{ id: 0, payloads: [{ type: "USAGE", values: [1.5] }] }],
      siteId: exampleIds.site
    }
  ]
})

/** The reports are shown as their VENs have sent them: what is in them is not measured by the platform. */
export const VenReport = Schema.Struct({
  id: Cuid,
  source: oneOf(["VEN"], "The report is a VEN's own statement, which the platform has not measured"),
  clientId: client,
  venName: Schema.NullOr(StoredText(128)).annotate({
    description: "Name of the client's ven; null if it has none now"
  }),
  eventId: StoredText(128).annotate({ description: "`eventID` of the reported event" }),
  clientName: StoredText(128),
  reportName: Schema.NullOr(StoredText(128)),
  resources: Schema.Array(SiteReport)
    .check(documents({ maxItems: 10_000 }))
    .annotate({
      description: "`resources` of the report in the form of OpenADR 3.1, each with its site"
    }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "VenReport",
  description: "A report that a VEN has sent",
  examples: [
    {
      id: exampleIds.command,
      source: "VEN",
      clientId: exampleIds.apiKey,
      venName: "aggregator",
      eventId: exampleIds.event,
      clientName: "aggregator",
      reportName: null,
      resources: [
        {
          resourceName: "Home",
          intervals: [{ id: 0, payloads: [{ type: "USAGE", values: [1.5] }] }],
          siteId: exampleIds.site
        }
      ],
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type VenReport = typeof VenReport.Type

export const OpenAdrFilters = { ...paging(10) }
