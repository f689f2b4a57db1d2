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
    description: "The manufacturer's identifier of the device, unique per workspace and manufacturer"
  }),
  deviceModelId: Text(1, 100).annotate({ description: "A device model of a manufacturer in the key's scope" }),
  siteId: Text(1, 100).annotate({ description: "A site of the workspace" }),
  serialNumber: optional(Schema.NullOr(Text(1, 255)).annotate({ description: "Serial number" })),
  name: optional(Text(1, 255).annotate({ description: "Display name; default: the name of the model" })),
  referenceId: optional(
    Text(1, 1000).annotate({
      description: "Identifier of the user or account in the caller's system; default: the id of the device"
    })
  ),
  tags: optional(Tags),
  staticState: optional(
    FreeForm.annotate({
      description: "Static state: the variant of the model's type; default: the static state of the model"
    })
  )
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
        "Time of the reading, stored to the millisecond. Default: the time of arrival, moved on by a millisecond if the device already has a reading at that time. At most 5 minutes in the future, not before the year 2000"
    })
  ),
  onlineStatus: optional(OnlineStatus).annotateKey({ description: "Connection status as reported by the source" }),
  location: optional(CoordinatesInput).annotateKey({
    description: "Location of the device; for a vehicle it determines `isHome`"
  })
}

export const Reading = Schema.Struct({ ...reading, state: ReadingState }).annotate({
  identifier: "Reading",
  message: "Must be an object",
  description: "A reading of a device",
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
  description: "One reading, or `readings`: exactly one of `state` and `readings` must be present",
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
  accepted: count("Number of readings stored by this request"),
  duplicates: count("Number of readings that were already stored: same device and timestamp"),
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
  deviceId: optional(Text(1, 100).annotate({ description: "Id of the device" })),
  manufacturerDeviceId: optional(
    Text(1, 255).annotate({ description: "The manufacturer's identifier of the device, instead of deviceId" })
  ),
  manufacturer: optional(
    Slug.annotate({
      description:
        "Slug of the manufacturer; required with manufacturerDeviceId if the key's scope has several manufacturers"
    })
  )
}).annotate({
  identifier: "BulkReading",
  message: "Must be an object",
  description: "A reading of one of several devices, identified by deviceId or manufacturerDeviceId",
  examples: [
    { deviceId: exampleIds.device, timestamp: "2026-03-01T12:00:00Z", state: { power: 3200 } },
    { manufacturerDeviceId: "INV-0002", timestamp: "2026-03-01T12:00:00Z", state: { power: 2950 } }
  ]
})
export type BulkReading = typeof BulkReading.Type

/** The items are validated one by one, so that an invalid item does not affect the others. */
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
  accepted: count("Number of readings stored by this request"),
  duplicates: count("Number of readings that were already stored: same device and timestamp"),
  errors: Schema.Array(
    Schema.Struct({
      index: count("Position in `readings`, starting at 0"),
      code: ErrorCode,
      message: Sentence.annotate({ description: "The problem of the reading" })
    })
  )
    .check(documents({ maxItems: READINGS_LIMIT }))
    .annotate({ description: "Readings that were rejected; the others are stored" })
}).annotate({
  identifier: "BulkTelemetryAccepted",
  description: "Outcome of the push",
  examples: [
    {
      accepted: 1,
      duplicates: 0,
      errors: [{ index: 1, code: "DEVICE_NOT_FOUND", message: "There is no such device" }]
    }
  ]
})
