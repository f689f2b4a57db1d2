import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { WritesNothing, describe, workspaceKeys } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { Cuid } from "../shared/Cuid.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

/** The devices and the readings of a page. */
export const PAGED_DEVICES = 100
export const PAGED_READINGS = 5000

/** A reading as it is stored. */
export const StoredReading = Schema.Struct({ deviceId: Cuid, id: Cuid, timestamp: Timestamp, state: Schema.Unknown })
export type StoredReading = typeof StoredReading.Type

export const ReadingPage = Schema.Struct({
  deviceIds: Schema.Array(Cuid)
    .check(Schema.isBetweenLength(1, PAGED_DEVICES, { message: `Must be 1 to ${PAGED_DEVICES} ids` }))
    .annotate({ description: "Devices of the workspace; others have no readings" }),
  from: TimestampInput,
  to: TimestampInput,
  after: Schema.optionalKey(
    Schema.Struct({ deviceId: Cuid, timestamp: TimestampInput }).annotate({
      description: "The last reading of the page before"
    })
  )
})
export type ReadingPage = typeof ReadingPage.Type

export class ReadingPagesApi extends HttpApiGroup.make("readingPages")
  .add(
    HttpApiEndpoint.post("read", "/dashboard/api/reading-pages", {
      payload: ReadingPage,
      success: Schema.Struct({
        readings: Schema.Array(StoredReading),
        more: Schema.Boolean.annotate({ description: "Whether there may be more readings after the last one" })
      }),
      error: ValidationError
    })
      .annotate(RateClassOf, "bulk")
      .annotate(WritesNothing, true)
      .annotateMerge(
        describe(
          workspaceKeys,
          "Read readings of many devices",
          `At most ${PAGED_READINGS} readings of the devices, in the order of their ids and times.`
        )
      )
  )
  .annotateMerge(OpenApi.annotations({ title: "Pages of readings", description: "Readings in large pages" })) {}
