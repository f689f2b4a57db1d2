import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

export const Organization = Schema.Struct({
  id: Cuid,
  name: StoredText(100).annotate({ description: "Name of the company" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Organization",
  description: "The owner of workspaces and their keys",
  examples: [
    {
      id: exampleIds.organization,
      name: "Sunny Valley Energy",
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Organization = typeof Organization.Type

export const UpdateOrganization = Schema.Struct({
  name: Schema.optionalKey(Text(1, 100).annotate({ description: "Name of the company" }))
}).annotate({ identifier: "UpdateOrganization", examples: [{ name: "Sunny Valley Energy" }] })
