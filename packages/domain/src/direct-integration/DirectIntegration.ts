import { Schema } from "effect"
import { OnlineStatus } from "../devices/DeviceType.ts"
import { CoordinatesInput } from "../shared/Address.ts"
import { FreeForm, Tags, Text } from "../shared/Text.ts"
import { Slug, exampleIds } from "../shared/Cuid.ts"
import { documents, typedAs } from "../shared/documents.ts"
import { TimestampInput } from "../shared/Timestamps.ts"
import { ReadingState, RecordedState } from "../devices/DeviceState.ts"
import { ErrorCode } from "../errors/ErrorCode.ts"
import { Sentence } from "../errors/ApiError.ts"

const optional = Schema.optionalKey

export const ProvisionDevice = Schema.Struct({
  manufacturerDeviceId: Text(1, 255).annotate({
    description: "The manufacturer's own identifier: unique per workspace and manufacturer"
  }),
  deviceModelId: Text(1, 100).annotate({ description: "A device model of a manufacturer in the key's scope" }),
  siteId: Text(1, 100).annotate({ description: "A site of the workspace" }),
  serialNumber: optional(Schema.NullOr(Text(1, 255)).annotate({ description: "Serial number" })),
  name: optional(Text(1, 255).annotate({ description: "Default: the model's name" })),
  referenceId: optional(Text(1, 1000).annotate({ description: "Default: the device's own id" })),
  tags: optional(Tags),
  staticState: optional(FreeForm.annotate({ description: "In the variant of the model's type; default: the model's" }))
}).annotate({
  identifier: "ProvisionDevice",
  examples: [
    {
      manufacturerDeviceId: "INV-0001",
      deviceModelId: exampleIds.deviceModel,
      siteId: exampleIds.site,
      serialNumber: "SN-1"
    }
  ]
})
export type ProvisionDevice = typeof ProvisionDevice.Type

const reading = {
  timestamp: optional(
    TimestampInput.annotate({
      description:
        "When it was taken, kept to the millisecond. Default: arrival, moved on by a millisecond where the device has a reading then, so that two readings without timestamps are two. At most 5 minutes ahead, not before the year 2000"
    })
  ),
  onlineStatus: optional(OnlineStatus).annotateKey({ description: "Reachability as the source tells it" }),
  location: optional(CoordinatesInput).annotateKey({
    description: "Where the device was; of a vehicle it tells whether it is at home"
  })
}

export const Reading = Schema.Struct({ ...reading, state: ReadingState }).annotate({
  identifier: "Reading",
  message: "Must be an object",
  description: "What a device reported at one time",
  examples: [{ timestamp: "2026-03-01T12:00:00Z", state: { power: 3200, lifetimeEnergyGenerated: 1204500 } }]
})
export type Reading = typeof Reading.Type

const READINGS_LIMIT = 1000

const many = { message: `Must be an array of 1 to ${READINGS_LIMIT} readings` }

const readings = Schema.Array(Reading)
  .annotate(many)
  .check(Schema.isBetweenLength(1, READINGS_LIMIT, many))
  .annotate({ description: "Up to 1000 readings, stored all or none; counts in the bulk rate class" })

const ReadingBatch = Schema.Struct({ readings }).annotate({
  identifier: "ReadingBatch",
  description: "Up to 1000 readings, stored all or none; counts in the bulk rate class"
})

/** The fields of both forms are decoded together, so that an error can name the one that doesn't fit the other. */
export const PushTelemetry = typedAs(
  Schema.Union([Reading, ReadingBatch]),
  Schema.Struct({ ...reading, state: optional(ReadingState), readings: optional(readings) })
).annotate({
  identifier: "PushTelemetry",
  description: "One reading, or `readings`: exactly one of `state` and `readings` must be there",
  examples: [
    { timestamp: "2026-03-01T12:00:00Z", state: { power: 3200, lifetimeEnergyGenerated: 1204500 } },
    { readings: [{ timestamp: "2026-03-01T12:00:00Z", state: { power: 3200 } }] }
  ]
})
export type PushTelemetry = typeof PushTelemetry.Type

/** A push before it is known which of the two forms it has. */
export type PushFields = Partial<Reading & typeof ReadingBatch.Type>

const count = (description: string) =>
  Schema.Int.check(documents({ minimum: 0, maximum: READINGS_LIMIT })).annotate({ description })

export const TelemetryAccepted = Schema.Struct({
  accepted: count("Readings stored by this request"),
  duplicates: count("Readings that were stored before: same device and timestamp"),
  latest: RecordedState
}).annotate({
  identifier: "TelemetryAccepted",
  description: "The readings are stored",
  examples: [
    {
      accepted: 1,
      duplicates: 0,
      latest: {
        id: exampleIds.reading,
        createdAt: "2026-03-01T12:00:00.000Z",
        power: 3200,
        lifetimeEnergyGenerated: 1204500
      }
    }
  ]
})

export const BulkReading = Schema.Struct({
  ...reading,
  state: ReadingState,
  deviceId: optional(Text(1, 100).annotate({ description: "The device, by the service's id" })),
  manufacturerDeviceId: optional(Text(1, 255).annotate({ description: "Instead of deviceId" })),
  manufacturer: optional(
    Slug.annotate({ description: "With manufacturerDeviceId, where the key's scope has several manufacturers" })
  )
}).annotate({
  identifier: "BulkReading",
  message: "Must be an object",
  description: "What one of several devices reported at one time; deviceId or manufacturerDeviceId names it",
  examples: [
    { deviceId: exampleIds.device, timestamp: "2026-03-01T12:00:00Z", state: { power: 3200 } },
    { manufacturerDeviceId: "INV-0002", timestamp: "2026-03-01T12:00:00Z", state: { power: 2950 } }
  ]
})
export type BulkReading = typeof BulkReading.Type

/** The items are checked one by one, so that a bad one does not sink the others. */
export const PushBulkTelemetry = Schema.Struct({
  readings: Schema.Array(typedAs(BulkReading, Schema.Any))
    .annotate(many)
    .check(Schema.isBetweenLength(1, READINGS_LIMIT, many))
}).annotate({
  identifier: "PushBulkTelemetry",
  examples: [
    {
      readings: [
        { deviceId: exampleIds.device, timestamp: "2026-03-01T12:00:00Z", state: { power: 3200 } },
        { manufacturerDeviceId: "INV-0002", timestamp: "2026-03-01T12:00:00Z", state: { power: 2950 } }
      ]
    }
  ]
})
export type PushBulkTelemetry = typeof PushBulkTelemetry.Type

export const BulkTelemetryAccepted = Schema.Struct({
  accepted: count("Readings stored by this request"),
  duplicates: count("Readings that were stored before: same device and timestamp"),
  errors: Schema.Array(
    Schema.Struct({
      index: count("Position in `readings`, from 0"),
      code: ErrorCode,
      message: Sentence.annotate({ description: "What is wrong with the reading" })
    })
  )
    .check(documents({ maxItems: READINGS_LIMIT }))
    .annotate({ description: "Readings that were refused; the others are stored" })
}).annotate({
  identifier: "BulkTelemetryAccepted",
  description: "What became of the readings",
  examples: [
    {
      accepted: 1,
      duplicates: 0,
      errors: [{ index: 1, code: "DEVICE_NOT_FOUND", message: "There is no such device" }]
    }
  ]
})
