import { oneOf } from "../shared/quantities.ts"

/** Reasons for the status of a command. */
export const commandReasons = [
  "cancelled",
  "overridden",
  "timeout",
  "unreachable",
  "asleep",
  "refused",
  "precondition_not_plugged_in",
  "precondition_storm_mode",
  "precondition_unmet",
  "pairing_required",
  "scope_missing",
  "quota_exhausted",
  "contradicted_by_state",
  "unsupported_value",
  "already_so"
] as const

export const CommandReason = oneOf(
  commandReasons,
  "Reason for the status. Only `already_so` comes with `completed`: the state was so, and nothing was sent"
).annotate({ identifier: "CommandReason" })
export type CommandReason = typeof CommandReason.Type

const own: ReadonlyArray<string> = ["cancelled", "overridden", "timeout", "quota_exhausted", "already_so"]

/** Reasons that a manufacturer can report for a failure; the others are the platform's own. */
export const reportedReasons = commandReasons.filter(
  (
    reason
  ): reason is Exclude<CommandReason, "cancelled" | "overridden" | "timeout" | "quota_exhausted" | "already_so"> =>
    !own.includes(reason)
)
