import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { Timestamp } from "../shared/Timestamps.ts"

export const KeptReadings = Schema.Struct({
  retentionDays: Schema.NullOr(Schema.Int).annotate({
    description: "For how many days readings are kept, as EDP_TELEMETRY_RETENTION says; null: for ever"
  }),
  droppedBefore: Schema.NullOr(Timestamp).annotate({
    description: "Earlier readings are dropped; null if none are"
  }),
  oldestAt: Schema.NullOr(Timestamp).annotate({
    description: "The oldest reading of the organization's devices; null without readings"
  })
}).annotate({
  identifier: "KeptReadings",
  description: "How long readings are kept, and since when there are any",
  examples: [
    { retentionDays: 730, droppedBefore: "2024-11-01T00:00:00.000Z", oldestAt: "2024-11-01T00:00:04.211Z" } as never
  ]
})
export type KeptReadings = typeof KeptReadings.Type

export class KeptReadingsApi extends HttpApiGroup.make("keptReadings")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/kept-readings", { success: KeptReadings }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get how long readings are kept",
        "The configured retention, the time before which readings are dropped, and the oldest reading of the key's organization."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Kept readings",
      description:
        "How long readings are kept. Energies of dropped readings are kept for ever, by the quarter of an hour."
    })
  ) {}
