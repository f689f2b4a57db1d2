import { Flag } from "effect/cli"

export const timezone = Flag.String("timezone").pipe(
  Flag.withDescription("Time zone such as America/Los_Angeles"),
  Flag.optional
)

export const deletionProtection = Flag.Boolean("deletion-protection").pipe(
  Flag.withDescription("While on, the workspace and its sites, customers and devices can't be deleted"),
  Flag.optional
)
