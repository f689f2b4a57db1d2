import { Schema } from "effect"
import { Timestamp } from "../shared/Timestamps.ts"

export const KeptReadings = Schema.Struct({
  retentionDays: Schema.NullOr(Schema.Int).annotate({
    description: "For how many days readings are kept, as EDP_TELEMETRY_RETENTION says; null: for ever"
  }),
  droppedBefore: Schema.NullOr(Timestamp).annotate({
    description: "Readings before are dropped; null: none has been"
  }),
  oldestAt: Schema.NullOr(Timestamp).annotate({
    description: "The oldest reading of the organization's devices; null: there is none"
  })
}).annotate({
  identifier: "KeptReadings",
  description: "How long readings are kept, and since when there are any",
  examples: [
    { retentionDays: 730, droppedBefore: "2024-11-01T00:00:00.000Z", oldestAt: "2024-11-01T00:00:04.211Z" } as never
  ]
})
export type KeptReadings = typeof KeptReadings.Type
