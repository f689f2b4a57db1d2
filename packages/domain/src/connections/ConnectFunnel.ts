import { Schema } from "effect"
import { Slug } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { ConnectSessionStatus } from "./ConnectSession.ts"

const optional = Schema.optionalKey
const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })

/** The longest time that one funnel covers, in days. */
export const FUNNEL_DAYS = 92

/** How many sessions one funnel counts: of more, the newest. */
export const FUNNEL_SESSIONS = 100_000

const FunnelStep = Schema.Struct({
  status: ConnectSessionStatus,
  sessions: count("Sessions that reached the status"),
  medianSeconds: Schema.NullOr(Schema.Number).annotate({
    description: "Median time that they stayed in it, each the first time; null while none has left it"
  })
}).annotate({ identifier: "ConnectFunnelStep", description: "How many sessions reached a status" })

const FunnelError = Schema.Struct({
  code: StoredText(100).annotate({ description: "The latest error of the sessions" }),
  sessions: count("Sessions that did not succeed and whose latest error it is")
}).annotate({ identifier: "ConnectFunnelError", description: "How many sessions failed with an error" })

const FunnelManufacturer = Schema.Struct({
  manufacturer: Schema.NullOr(Slug).annotate({ description: "The selected manufacturer; null before the selection" }),
  sessions: count("Sessions"),
  medianConnectSeconds: Schema.NullOr(Schema.Number).annotate({
    description: "Median time from the opened page, headless from the creation, to SUCCESS; null while none succeeded"
  }),
  steps: Schema.Array(FunnelStep).check(documents({ maxItems: 20 })),
  errors: Schema.Array(FunnelError).check(documents({ maxItems: 20 }))
}).annotate({ identifier: "ConnectFunnelManufacturer", description: "The sessions of one manufacturer" })

export const ConnectFunnel = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  sessions: count(`Sessions created in the time, at most the newest ${FUNNEL_SESSIONS}`),
  manufacturers: Schema.Array(FunnelManufacturer).check(documents({ maxItems: 1000 }))
}).annotate({ identifier: "ConnectFunnel", description: "How far connect sessions came" })
export type ConnectFunnel = typeof ConnectFunnel.Type

export const FunnelFilters = {
  workspaceId: optional(
    Text(1, 100).annotate({ description: "A workspace of the key's organization; by default the key's own" })
  ),
  from: optional(
    TimestampInput.annotate({ description: "Sessions created at or after this time; default 30 days ago" })
  ),
  to: optional(TimestampInput.annotate({ description: "Sessions created before this time; default now" }))
}
