import { Schema } from "effect"
import { documents } from "../shared/documents.ts"
import { STORABLE_PATTERN, Text, isStorableText } from "../shared/Text.ts"
import { isDuration } from "./durations.ts"

/** A field that may be absent or null, as most optional fields of OpenADR may. */
export const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const Name = Text(1, 128)

/** An id in an object of OpenADR. The VTN issues it. */
export const ObjectId = Name.check(
  Schema.isPattern(/^[a-zA-Z0-9_-]*$/u, { message: "Must be an id of 1 to 128 characters: letters, digits, _ and -" })
)

export const Target = Name.annotate({ description: "A label that programs, events, VENs and resources share" })
export const Targets = Schema.Array(Target).check(Schema.isMaxLength(500, { message: "Must be at most 500 targets" }))

const urlMessage = "Must be an absolute URL of at most 8000 characters"
export const Url = Text(2, 8000).check(Schema.makeFilter((text) => URL.canParse(text), { message: urlMessage }))

const durationMessage = "Must be a duration of ISO 8601, such as PT15M"
export const Duration = Text(2, 100)
  .check(Schema.makeFilter(isDuration, { message: durationMessage }))
  .annotate({ description: "A duration of ISO 8601; `P9999Y` has no end", examples: ["PT15M"] })

const timeMessage = "Must be a date-time of RFC 3339, such as 2026-03-01T12:00:00Z"
const timePattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/u

/** A time. `0001-01-01`, with or without a time of day, means now. */
export const DateTime = Text(10, 40)
  .check(
    Schema.isPattern(timePattern, { message: timeMessage }),
    Schema.makeFilter((text) => !Number.isNaN(Date.parse(text)), { message: timeMessage })
  )
  .annotate({ description: "A time of RFC 3339; `0001-01-01` means now", examples: ["2026-07-15T00:00:00Z"] })

export const IntervalPeriod = Schema.Struct({
  start: Schema.optionalKey(DateTime),
  duration: Schema.optionalKey(Duration),
  randomizeStart: Schema.optionalKey(Duration)
}).annotate({
  identifier: "OpenAdrIntervalPeriod",
  message: "Must be an object with start, duration and randomizeStart"
})
export type IntervalPeriod = typeof IntervalPeriod.Type

const Point = Schema.Struct({ x: Schema.Finite, y: Schema.Finite })
const storableText = Schema.String.check(
  Schema.makeFilter((text) => text.length <= 10_000 && isStorableText(text), {
    message: "Must be a text of at most 10000 characters without NUL or unpaired surrogates"
  }),
  documents({ maxLength: 10_000, pattern: STORABLE_PATTERN })
)
const Value = Schema.Union([Schema.Finite, storableText, Schema.Boolean, Point]).annotate({
  message: "Must be a number, a text, true, false or a point with x and y"
})

export const ValuesMap = Schema.Struct({
  type: Name,
  values: Schema.Array(Value).check(Schema.isMaxLength(10_000, { message: "Must be at most 10000 values" }))
}).annotate({ identifier: "OpenAdrValuesMap", message: "Must be an object with type and values" })
export type ValuesMap = typeof ValuesMap.Type

/** The most intervals of an event or of a resource in a report: a year of hours. */
export const OBJECT_INTERVALS = 10_000

export const Interval = Schema.Struct({
  id: Schema.Int.annotate({ message: "Must be an integer" }).check(documents({ format: "int32" })),
  intervalPeriod: nullable(IntervalPeriod),
  payloads: Schema.Array(ValuesMap).check(Schema.isMaxLength(100, { message: "Must be at most 100 payloads" }))
}).annotate({ identifier: "OpenAdrInterval", message: "Must be an object with id and payloads" })
export type Interval = typeof Interval.Type

export const Intervals = Schema.Array(Interval).check(
  Schema.isMaxLength(OBJECT_INTERVALS, { message: `Must be at most ${OBJECT_INTERVALS} intervals` })
)

export const EventPayloadDescriptor = Schema.Struct({
  objectType: Schema.Literal("EVENT_PAYLOAD_DESCRIPTOR"),
  payloadType: Name,
  units: nullable(Name),
  currency: nullable(Name)
}).annotate({ identifier: "OpenAdrEventPayloadDescriptor" })
export type EventPayloadDescriptor = typeof EventPayloadDescriptor.Type

export const ReportPayloadDescriptor = Schema.Struct({
  objectType: Schema.Literal("REPORT_PAYLOAD_DESCRIPTOR"),
  payloadType: Name,
  readingType: nullable(Name),
  units: nullable(Name),
  accuracy: nullable(Schema.Finite),
  confidence: nullable(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }, { message: "Must be an integer from 0 to 100" }))
  )
}).annotate({ identifier: "OpenAdrReportPayloadDescriptor" })
export type ReportPayloadDescriptor = typeof ReportPayloadDescriptor.Type

const wholeNumber = Schema.Int.annotate({ message: "Must be an integer" })

/** A VTN asks VENs for reports with this. Numbers of intervals: -1 means all of them. */
/** A report that a VTN asks VENs for. Numbers of intervals: -1 means all of them. */
export const ReportDescriptor = Schema.Struct({
  payloadType: Name,
  readingType: nullable(Name),
  units: nullable(Name),
  targets: nullable(Targets),
  aggregate: Schema.optionalKey(Schema.Boolean),
  startInterval: Schema.optionalKey(wholeNumber),
  numIntervals: Schema.optionalKey(wholeNumber),
  historical: Schema.optionalKey(Schema.Boolean),
  frequency: Schema.optionalKey(wholeNumber),
  repeat: Schema.optionalKey(wholeNumber),
  reportIntervals: Schema.optionalKey(
    Schema.Literals(["INTERVALS", "SUB_INTERVALS", "OPEN_INTERVALS"]).annotate({
      message: "Must be one of INTERVALS, SUB_INTERVALS, OPEN_INTERVALS"
    })
  )
}).annotate({ identifier: "OpenAdrReportDescriptor" })
export type ReportDescriptor = typeof ReportDescriptor.Type

export const Attributes = Schema.Array(ValuesMap).check(
  Schema.isMaxLength(100, { message: "Must be at most 100 attributes" })
)
export const Descriptors = <S extends Schema.Top>(descriptor: S) =>
  Schema.Array(descriptor).check(Schema.isMaxLength(100, { message: "Must be at most 100 descriptors" }))
