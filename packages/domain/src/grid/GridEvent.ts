import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const gridEventStatuses = ["upcoming", "active", "ended", "deleted"] as const

export const GridEventStatus = oneOf(
  gridEventStatuses,
  "`upcoming`: before its first interval; `active`: between its first start and its last end; `ended`: after it; `deleted`: the VTN no longer lists it"
).annotate({ identifier: "GridEventStatus" })
export type GridEventStatus = typeof GridEventStatus.Type

export const gridOutcomes = [
  "dispatched",
  "normal",
  "signal",
  "alert",
  "no_program_instance",
  "no_rule",
  "no_device",
  "no_duration",
  "unfit_value",
  "refused"
] as const
export type GridOutcome = (typeof gridOutcomes)[number]

export const GridPayloadOutcome = Schema.Struct({
  payloadType: StoredText(128).annotate({ description: "Type of the payload" }),
  outcome: oneOf(
    gridOutcomes,
    "`dispatched`: a dispatch follows it; `normal`: level 0, devices have their own settings; `signal`: a price or another figure, which commands nothing; `alert`: a text for operators; `no_program_instance` and `no_rule`: the program has none that fits; `no_device`: no enrolled device could share the power; `no_duration`: the interval has no length; `unfit_value`: the value or its unit can't be followed; `refused`: the dispatch was refused, see `detail`"
  ),
  detail: orNull(StoredText(1000)).annotate({ description: "More about the outcome; null if there is nothing to add" })
}).annotate({ identifier: "GridPayloadOutcome", description: "What became of the payloads of one type" })
export type GridPayloadOutcome = typeof GridPayloadOutcome.Type

/** A value of a payload or an attribute, as a VTN sent it. */
export const GridValue = Schema.Union([
  Schema.Finite,
  StoredText(10_000),
  Schema.Boolean,
  Schema.Struct({ x: Schema.Finite, y: Schema.Finite })
])

const payloads = Schema.Array(
  Schema.Struct({
    type: StoredText(128).annotate({ description: "Type of the payload" }),
    values: Schema.Array(GridValue)
      .check(documents({ maxItems: 10_000 }))
      .annotate({ description: "Its values" }),
    units: orNull(StoredText(128)).annotate({
      description: "Unit of its values, such as KW, as the event or its program states it; null if neither does"
    })
  }).annotate({ identifier: "GridPayload", description: "A payload of OpenADR" })
).check(documents({ maxItems: 100 }))

const times = {
  startsAt: Timestamp.annotate({ description: "Start" }),
  endsAt: orNull(Timestamp).annotate({ description: "End; null: it has none" })
}

/** At most this many intervals of an event are shown. */
export const SHOWN_INTERVALS = 500

export const GridEvent = Schema.Struct({
  id: Cuid.annotate({ description: "Identifier of the event in this workspace", examples: [exampleIds.event] }),
  connectionId: Cuid.annotate({ description: "The connection to its VTN", examples: [exampleIds.connection] }),
  programId: Cuid.annotate({ description: "Its program, as in GridProgram", examples: [exampleIds.program] }),
  vtnEventId: StoredText(128).annotate({ description: "Id of the event at the VTN" }),
  name: orNull(StoredText(1000)).annotate({ description: "Name of the event at the VTN" }),
  priority: orNull(Schema.Finite).annotate({
    description: "Priority at the VTN: 0 is the highest; null is below all numbers"
  }),
  status: GridEventStatus,
  startsAt: orNull(Timestamp).annotate({ description: "Start of the first interval; null without intervals" }),
  endsAt: orNull(Timestamp).annotate({ description: "End of the last interval; null if it has none" }),
  intervals: Schema.Array(
    Schema.Struct({ ...times, payloads }).annotate({
      identifier: "GridInterval",
      description: "An interval of an event"
    })
  )
    .check(documents({ maxItems: SHOWN_INTERVALS }))
    .annotate({ description: `The first ${SHOWN_INTERVALS} intervals` }),
  outcomes: Schema.Array(GridPayloadOutcome)
    .check(documents({ maxItems: 100 }))
    .annotate({
      description: "What became of each type of payload"
    }),
  dispatchIds: Schema.Array(Cuid)
    .check(documents({ maxItems: 1000 }))
    .annotate({
      description: "The dispatches that follow or followed the event"
    }),
  modifiedAt: Timestamp.annotate({ description: "Time of the last change at the VTN" }),
  createdAt: Timestamp.annotate({ description: "Time of receipt" }),
  updatedAt: Timestamp
}).annotate({
  identifier: "GridEvent",
  description: "An event of a VTN, with what the workspace does about it",
  examples: [
    {
      id: exampleIds.event,
      connectionId: exampleIds.connection,
      programId: exampleIds.program,
      vtnEventId: "event-99",
      name: "Hot evening",
      priority: 1,
      status: "upcoming",
      startsAt: "2026-07-15T00:00:00.000Z",
      endsAt: "2026-07-15T01:00:00.000Z",
      intervals: [
        {
          startsAt: "2026-07-15T00:00:00.000Z",
          endsAt: "2026-07-15T01:00:00.000Z",
          payloads: [{ type: "SIMPLE", values: [1], units: null }]
        }
      ],
      outcomes: [{ payloadType: "SIMPLE", outcome: "dispatched", detail: null }],
      dispatchIds: [exampleIds.dispatch],
      modifiedAt: "2026-07-14T20:00:00.000Z",
      createdAt: "2026-07-14T20:00:30.000Z",
      updatedAt: "2026-07-14T20:00:30.000Z"
    }
  ]
})
export type GridEvent = typeof GridEvent.Type

export const GridEventFilters = {
  ...paging(),
  status: optional(Several(GridEventStatus).annotate({ description: "Events with any of these statuses" }))
}

export const GridTimelineSegment = Schema.Struct({
  programId: Cuid.annotate({ description: "The program, as in GridProgram", examples: [exampleIds.program] }),
  eventId: Cuid.annotate({ description: "The event that governs", examples: [exampleIds.event] }),
  ...times,
  payloads
}).annotate({
  identifier: "GridTimelineSegment",
  description: "A time in which one event of a program governs"
})
export type GridTimelineSegment = typeof GridTimelineSegment.Type

/** At most this many segments of a timeline are returned. */
export const SEGMENTS_LIMIT = 5000

export const GridTimeline = Schema.Struct({
  from: Timestamp.annotate({ description: "Start of the timeline" }),
  to: Timestamp.annotate({ description: "End of the timeline" }),
  segments: Schema.Array(GridTimelineSegment)
    .check(documents({ maxItems: SEGMENTS_LIMIT }))
    .annotate({
      description:
        "What governs in each program, in order of time: of overlapping events the one with the highest priority, of equal ones the one that was created first"
    })
}).annotate({
  identifier: "GridTimeline",
  description: "Which event governs when",
  examples: [
    {
      from: "2026-07-15T00:00:00.000Z",
      to: "2026-07-16T00:00:00.000Z",
      segments: [
        {
          programId: exampleIds.program,
          eventId: exampleIds.event,
          startsAt: "2026-07-15T00:00:00.000Z",
          endsAt: "2026-07-15T01:00:00.000Z",
          payloads: [{ type: "SIMPLE", values: [1], units: null }]
        }
      ]
    }
  ]
})
export type GridTimeline = typeof GridTimeline.Type

export const GridTimelineQuery = {
  from: optional(TimestampInput.annotate({ description: "Start; now by default" })),
  to: optional(
    TimestampInput.annotate({ description: "End, at most 31 days after `from`; 24 hours after it by default" })
  )
}
