import { Schema } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

export const Organization = Schema.Struct({
  id: Cuid,
  name: Schema.String,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Organization" })
export type Organization = typeof Organization.Type

export const UpdateOrganization = Schema.Struct({
  name: Schema.optionalKey(Text(1, 100))
}).annotate({ identifier: "UpdateOrganization", examples: [{ name: "Sunny Valley Energy" }] })
