import { oneOf } from "../shared/quantities.ts"

export const commandStatuses = ["pending", "scheduled", "delivered", "completed", "failed"] as const

export const CommandStatus = oneOf(
  commandStatuses,
  "`pending`: stored, to be sent at once; `scheduled`: to be sent at `scheduledFor`; `delivered`: the manufacturer or the device has accepted it; `completed`: its effect was confirmed; `failed`: see `reason`. A command only moves forward"
).annotate({ identifier: "CommandStatus" })
export type CommandStatus = typeof CommandStatus.Type
