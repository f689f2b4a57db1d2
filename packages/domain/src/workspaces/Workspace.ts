import { Schema } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"

export const Workspace = Schema.Struct({
  id: Cuid,
  organizationId: Cuid,
  name: Schema.String.annotate({ description: "Unique in the organization" }),
  deletionProtection: Schema.Boolean.annotate({
    description: "While true, neither the workspace nor any site, customer or device of it can be deleted"
  }),
  timezone: Timezone,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

const protection = Schema.Boolean.annotate({ message: "Must be true or false" })

export const CreateWorkspace = Schema.Struct({
  name: Text(1, 100),
  deletionProtection: Schema.optionalKey(protection.annotate({ default: false })),
  timezone: Schema.optionalKey(Timezone.annotate({ default: "UTC" }))
}).annotate({ identifier: "CreateWorkspace", examples: [{ name: "Pilot", timezone: "America/Los_Angeles" }] })
export type CreateWorkspace = typeof CreateWorkspace.Type

export const UpdateWorkspace = Schema.Struct({
  name: Schema.optionalKey(Text(1, 100)),
  deletionProtection: Schema.optionalKey(protection),
  timezone: Schema.optionalKey(Timezone)
}).annotate({ identifier: "UpdateWorkspace", examples: [{ deletionProtection: true }] })
export type UpdateWorkspace = typeof UpdateWorkspace.Type
