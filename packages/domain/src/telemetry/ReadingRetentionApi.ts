import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { NeedsFreshSignIn } from "../auth/middleware.ts"
import { DeviceType } from "../devices/DeviceType.ts"
import { ValidationError, WorkspaceNotFound } from "../errors/ApiErrors.ts"
import { Cuid, PathId } from "../shared/Cuid.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const LEAST_DAYS = 7
const MOST_DAYS = 36_500
const message = `Must be a whole number of ${LEAST_DAYS} to ${MOST_DAYS} days`

const Days = Schema.Int.check(Schema.isBetween({ minimum: LEAST_DAYS, maximum: MOST_DAYS }, { message })).annotate({
  message
})

export const SaveReadingRetention = Schema.Struct({
  retentionDays: Schema.optionalKey(
    Schema.NullOr(Days).annotate({
      description: "For all types without a number of their own; absent or null: no limit"
    })
  ),
  retentionDaysByType: Schema.optionalKey(
    Schema.Record(Schema.String, Days).annotate({ description: "By type of device; it goes before `retentionDays`" })
  ),
  dryRun: Schema.optionalKey(
    Schema.Boolean.annotate({
      message: "Must be true or false",
      description: "Changes nothing, and returns what would be removed"
    })
  )
}).annotate({
  identifier: "SaveReadingRetention",
  examples: [{ retentionDays: 400, retentionDaysByType: { charger: 90 }, dryRun: true }]
})
export type SaveReadingRetention = typeof SaveReadingRetention.Type

export const ReadingRemoval = Schema.Struct({
  deviceType: DeviceType,
  days: Schema.Int,
  before: Timestamp.annotate({ description: "Earlier readings would be removed: the start of a UTC day" }),
  devices: Schema.NullOr(Schema.Int).annotate({ description: "Devices with such readings" }),
  readings: Schema.NullOr(Schema.Int).annotate({ description: "Null if they could not be counted" }),
  from: Schema.NullOr(Timestamp).annotate({ description: "The oldest of them" }),
  to: Schema.NullOr(Timestamp).annotate({ description: "The newest of them" }),
  bytes: Schema.NullOr(Schema.Int).annotate({
    description: "The size of their rows without indexes; null if they could not be counted or some are in the archive"
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "The reason for a figure that is null" })
}).annotate({ identifier: "ReadingRemoval" })
export type ReadingRemoval = typeof ReadingRemoval.Type

export const ReadingRetention = Schema.Struct({
  id: Cuid.annotate({ description: "The workspace" }),
  retentionDays: Schema.NullOr(Schema.Int),
  retentionDaysByType: Schema.Record(Schema.String, Schema.Int),
  removedBefore: Schema.Record(Schema.String, Timestamp).annotate({
    description: "By type of device: earlier readings are removed, or are being removed. They are not accepted again"
  }),
  removals: Schema.NullOr(Schema.Array(ReadingRemoval)).annotate({
    description: "What would be removed; null without `dryRun`"
  })
}).annotate({ identifier: "ReadingRetention", description: "For how many days readings of a workspace are kept" })
export type ReadingRetention = typeof ReadingRetention.Type

const path = "/dashboard/api/workspaces/:id/reading-retention"
const params = { id: PathId }

export class ReadingRetentionApi extends HttpApiGroup.make("readingRetention")
  .add(
    HttpApiEndpoint.get("get", path, { params, success: ReadingRetention, error: WorkspaceNotFound }).annotateMerge(
      describe(["MANAGEMENT"], "Get the retention of a workspace", "How long readings of its devices are kept.")
    ),
    HttpApiEndpoint.put("save", path, {
      params,
      payload: SaveReadingRetention,
      success: ReadingRetention,
      error: [ValidationError, WorkspaceNotFound]
    })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          ["MANAGEMENT"],
          "Set the retention of a workspace",
          "Replaces it. Older readings are removed in the background and can't be restored; energies stay."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Retention of a workspace",
      description: "A workspace can keep readings for a shorter time than the installation, by type of device."
    })
  ) {}
