import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { RateLimited, ValidationError } from "../errors/ApiErrors.ts"
import { Several, integerFrom } from "../shared/Page.ts"
import { Text } from "../shared/Text.ts"
import { StreamChange, StreamSnapshot } from "./StreamMessage.ts"

/** Browsers wait this long before they connect again, in milliseconds; `live.ts` of the dashboard has its own pauses. */
export const STREAM_RETRY_MS = 2000

/** Pause between comments that keep the connection open, in seconds. */
export const STREAM_HEARTBEAT_SECONDS = 15

const data = <Name extends string, S extends Schema.Constraint>(name: Name, schema: S) =>
  Schema.Struct({
    id: Schema.optional(Schema.String),
    event: Schema.Literal(name),
    data: Schema.fromJsonString(schema)
  })

/** The messages; `id` is the sequence up to which the stream has sent all events. */
export const StreamMessage = Schema.Union([data("snapshot", StreamSnapshot), data("change", StreamChange)])
export type StreamMessage = typeof StreamMessage.Type

export class StreamApi extends HttpApiGroup.make("stream")
  .add(
    HttpApiEndpoint.get("open", "/dashboard/api/stream", {
      query: {
        devices: Schema.optionalKey(
          Several(Text(1, 100)).annotate({ description: "Devices whose states the stream sends, up to 100" })
        ),
        lastEventId: integerFrom(0, "Like the header Last-Event-ID, which overrides it")
      },
      success: HttpApiSchema.StreamSse({ events: StreamMessage }),
      error: [ValidationError, RateLimited]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Follow changes",
        "Server-sent events of the workspace: a `snapshot`, then a `change` for each event, for each new state of the named devices (at most one a second and device) and for new counts. `Last-Event-ID` resumes after a message, without a snapshot unless too many events have passed. A comment comes every 15 seconds. The stream ends when its key or session does. RATE_LIMITED beyond 100 streams of a key or session."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Stream", description: "Changes of a workspace as they happen, for the dashboard." })
  ) {}
