import { Schema } from "effect"
import { apiKeyStatuses } from "../api-keys/ApiKey.ts"
import { openAdrKeyTypes } from "../auth/ApiKeyType.ts"
import { GridTimelineSegment, SEGMENTS_LIMIT } from "../grid/GridEvent.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

/** At most this many resources of a VEN are named. */
export const NAMED_RESOURCES = 20

/** At most this many events are shown. */
export const SHOWN_OBJECTS = 200

const objectId = StoredText(128)
const targets = Schema.Array(StoredText(128)).check(documents({ maxItems: 500 }))

export const OpenAdrClientVen = Schema.Struct({
  id: objectId,
  venName: StoredText(128),
  targets: targets.annotate({ description: "Targets that the VEN was granted" }),
  resourceCount: Schema.Int.annotate({ description: "Number of its resources" }),
  resources: Schema.Array(StoredText(128))
    .check(documents({ maxItems: NAMED_RESOURCES }))
    .annotate({ description: `Names of its first ${NAMED_RESOURCES} resources` })
}).annotate({ identifier: "OpenAdrClientVen", description: "The ven of a client" })

export const OpenAdrClientScope = Schema.Struct({
  customerId: orNull(Cuid).annotate({ description: "All enrollments of this customer" }),
  programInstanceId: orNull(Cuid).annotate({ description: "All enrollments of this program instance" }),
  enrollmentCount: Schema.Int.annotate({ description: "Number of named enrollments; 0 where none are named" })
}).annotate({ identifier: "OpenAdrClientScope", description: "The scope of a client" })

export const OpenAdrClient = Schema.Struct({
  id: Cuid.annotate({ description: "`client_id`: the id of the key" }),
  name: StoredText(255).annotate({ description: "Name of the key" }),
  type: oneOf(openAdrKeyTypes, "OPENADR_BL: business logic; OPENADR_VEN: a VEN"),
  status: oneOf(apiKeyStatuses, "Whether the key works"),
  lastSeenAt: orNull(Timestamp).annotate({
    description: "Time of its last request, at most a minute late; null before the first"
  }),
  lastReportAt: orNull(Timestamp).annotate({ description: "Time of its newest report; null if it has sent none" }),
  scope: orNull(OpenAdrClientScope).annotate({
    description: "The enrollments whose sites it sees as resources; null if it sees none"
  }),
  ven: orNull(OpenAdrClientVen).annotate({ description: "null for business logic, and for a VEN without a ven object" })
}).annotate({
  identifier: "OpenAdrClient",
  description: "A client of the workspace's OpenADR server",
  examples: [
    {
      id: exampleIds.apiKey,
      name: "Aggregator",
      type: "OPENADR_VEN",
      status: "ACTIVE",
      lastSeenAt: "2026-03-01T12:00:00.000Z",
      lastReportAt: null,
      scope: { customerId: null, programInstanceId: exampleIds.programInstance, enrollmentCount: 0 },
      ven: {
        id: exampleIds.device,
        venName: "aggregator",
        targets: ["feeder-7"],
        resourceCount: 1,
        resources: ["batteries"]
      }
    }
  ]
})
export type OpenAdrClient = typeof OpenAdrClient.Type

export const OpenAdrClientFilters = { ...paging() }

export const servedEventStates = ["governing", "overruled", "upcoming", "untimed"] as const

export const ServedEvent = Schema.Struct({
  id: objectId,
  programId: objectId,
  programName: StoredText(128),
  name: orNull(StoredText(1000)),
  dispatchId: orNull(Cuid).annotate({
    description: "The dispatch that the event publishes; null for an event of a client"
  }),
  priority: orNull(Schema.Finite).annotate({ description: "0 is the highest; null is below all numbers" }),
  targets: targets.annotate({ description: "Only VENs with one of these targets see the event; none: all VENs" }),
  state: oneOf(
    servedEventStates,
    "`governing`: in effect now; `overruled`: an interval lasts, and another event of the program is in effect; `upcoming`: later; `untimed`: without a time"
  ),
  startsAt: orNull(Timestamp).annotate({ description: "Start of the first interval; null without one" }),
  endsAt: orNull(Timestamp).annotate({ description: "End of the last interval; null if it has none" }),
  intervalCount: Schema.Int.annotate({ description: "Number of its intervals" }),
  payloads: GridTimelineSegment.fields.payloads.annotate({
    description: "Payloads of the present interval, else of the next"
  })
}).annotate({ identifier: "ServedEvent", description: "An event that the workspace publishes" })
export type ServedEvent = typeof ServedEvent.Type

export const ServedTimeline = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  segments: Schema.Array(
    Schema.Struct({ ...GridTimelineSegment.fields, programId: objectId, eventId: objectId }).annotate({
      identifier: "ServedSegment",
      description: "A time in which one event of a program governs"
    })
  ).check(documents({ maxItems: SEGMENTS_LIMIT }))
}).annotate({ identifier: "ServedTimeline", description: "Which event governs in each program in the next 24 hours" })

export const OpenAdrServer = Schema.Struct({
  programs: Schema.Array(Schema.Struct({ id: objectId, name: StoredText(128) })).check(documents({ maxItems: 1000 })),
  timeline: ServedTimeline,
  events: Schema.Array(ServedEvent)
    .check(documents({ maxItems: SHOWN_OBJECTS }))
    .annotate({ description: "Events that have not ended: those in effect first, then the next" }),
  eventCount: Schema.Int.annotate({ description: "Number of events that have not ended" })
}).annotate({
  identifier: "OpenAdrServer",
  description: "What the workspace's OpenADR server publishes now and next"
})
export type OpenAdrServer = typeof OpenAdrServer.Type
