import { Schema } from "effect"
import { AlertSubtype, AlertType } from "../alerts/Alert.ts"
import { AlertSeverity, AlertStatus } from "../alerts/AlertStatus.ts"
import { DispatchStatus, ParticipantState } from "../dispatches/Dispatch.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

/** The longest time that one response covers, in days. */
export const ANNOTATION_DAYS = 400

/** How many annotations one response holds at most. */
export const ANNOTATIONS = 1000

const span = {
  from: Timestamp.annotate({ description: "Start, which may be before the time that was asked for" }),
  to: orNull(Timestamp).annotate({
    description:
      "End, which may be after the time that was asked for; null while it lasts; equal to `from` for an instant"
  })
}

const deviceId = orNull(Cuid).annotate({ description: "The device; null if it is about the site" })

const alert = { alertId: Cuid.annotate({ examples: [exampleIds.alert] }), severity: AlertSeverity, status: AlertStatus }

export const OutageAnnotation = Schema.Struct({
  kind: Schema.Literal("outage"),
  ...span,
  deviceId,
  cause: oneOf(
    ["silence", "disconnected"],
    "`silence`: an alert of type COMMUNICATIONS; `disconnected`: the device's link has ended"
  ),
  subtype: orNull(AlertSubtype),
  alertId: orNull(Cuid).annotate({ description: "The alert; null if the device is disconnected" }),
  severity: orNull(AlertSeverity),
  status: orNull(AlertStatus)
}).annotate({ identifier: "OutageAnnotation", description: "A time without communication" })

export const AlertAnnotation = Schema.Struct({
  kind: Schema.Literal("alert"),
  ...span,
  deviceId,
  type: AlertType,
  subtype: orNull(AlertSubtype),
  ...alert,
  title: StoredText(500).annotate({ description: "Title, as the alert's source wrote it" })
}).annotate({ identifier: "AlertAnnotation", description: "An alert from its creation to its resolution" })

export const DispatchAnnotation = Schema.Struct({
  kind: Schema.Literal("dispatch"),
  ...span,
  dispatchId: Cuid.annotate({ examples: [exampleIds.dispatch] }),
  programInstanceId: Cuid.annotate({ examples: [exampleIds.programInstance] }),
  name: StoredText(255).annotate({ description: "Name of the dispatch" }),
  interval: Schema.Int.check(documents({ minimum: 1 })).annotate({ description: "Number of the interval, from 1" }),
  intervals: Schema.Int.check(documents({ minimum: 1 })).annotate({ description: "Number of intervals" }),
  test: Schema.Boolean.annotate({ description: "Whether it is a test" }),
  voluntary: Schema.Boolean.annotate({ description: "Whether the site may opt out" }),
  status: DispatchStatus,
  participant: ParticipantState,
  heldOut: Schema.Boolean.annotate({ description: "Whether the site was left out at random, for the baseline" }),
  deviceTookPart: orNull(Schema.Boolean).annotate({
    description: "Whether the device took part; null for a site, and before the dispatch has begun"
  })
}).annotate({ identifier: "DispatchAnnotation", description: "An interval of a dispatch that concerns the site" })

export const ClockChangeAnnotation = Schema.Struct({
  kind: Schema.Literal("clock_change"),
  ...span,
  timezone: StoredText(64),
  offsetBefore: Schema.Int.annotate({ description: "Minutes by which local time was ahead of UTC" }),
  offsetAfter: Schema.Int.annotate({ description: "Minutes by which local time is ahead of UTC from then on" })
}).annotate({ identifier: "ClockChangeAnnotation", description: "A change of the clocks of the site's time zone" })

export const Annotation = Schema.Union([
  OutageAnnotation,
  AlertAnnotation,
  DispatchAnnotation,
  ClockChangeAnnotation
]).annotate({ identifier: "Annotation", description: "A band of a chart over time" })
export type Annotation = typeof Annotation.Type

export const Annotations = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  timezone: StoredText(64).annotate({ description: "Time zone of the site, or of the workspace" }),
  isTruncated: Schema.Boolean.annotate({ description: `Whether there are more: the ${ANNOTATIONS} latest are listed` }),
  annotations: Schema.Array(Annotation)
    .check(documents({ maxItems: ANNOTATIONS }))
    .annotate({ description: "In order of their start" })
}).annotate({ identifier: "Annotations", description: "The bands of charts of a device or a site" })
export type Annotations = typeof Annotations.Type

export const AnnotationFilters = {
  deviceId: optional(Text(1, 100).annotate({ description: "A device of the workspace; either this or `siteId`" })),
  siteId: optional(Text(1, 100).annotate({ description: "A site of the workspace, with its devices" })),
  from: optional(
    TimestampInput.annotate({ description: "Bands that end after this time; default 24 hours before `to`" })
  ),
  to: optional(TimestampInput.annotate({ description: "Bands that start before this time; default now" }))
}
