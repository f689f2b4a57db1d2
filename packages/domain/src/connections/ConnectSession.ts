import { Schema } from "effect"
import { oneOf } from "../shared/quantities.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { StoredText, TAGS_LIMIT } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

export const ConnectSessionStatus = oneOf(
  [
    "PENDING",
    "STARTED",
    "ENTERING_CUSTOMER_INFO",
    "SELECTING_MANUFACTURER",
    "AUTHORIZING_MANUFACTURER",
    "ENTERING_SYSTEM_INFO",
    "UNSUPPORTED_MANUFACTURER",
    "DUPLICATE_CONNECTION",
    "SUCCESS",
    "ERROR",
    "EXPIRED"
  ],
  "Status of the session"
).annotate({ identifier: "ConnectSessionStatus" })

export const ConnectSession = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.connection] }),
  status: ConnectSessionStatus,
  customerId: orNull(Cuid).annotate({ description: "Customer whose devices are connected" }),
  siteId: orNull(Cuid).annotate({ description: "Site of the devices" }),
  manufacturer: orNull(Slug).annotate({ description: "Slug of the selected manufacturer" }),
  tags: orNull(Schema.Array(StoredText(100)).check(documents({ maxItems: TAGS_LIMIT }))).annotate({
    description: "Tags for the connected devices"
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp.annotate({ description: "Time when the link expires" })
}).annotate({
  identifier: "ConnectSession",
  description: "A session in which a person connects devices",
  examples: [
    {
      id: exampleIds.connection,
      status: "ERROR",
      customerId: exampleIds.customer,
      siteId: exampleIds.site,
      manufacturer: "generic",
      tags: ["pilot"],
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:04:00.000Z",
      expiresAt: "2026-03-02T12:00:00.000Z"
    }
  ]
})
export type ConnectSession = typeof ConnectSession.Type
