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
export type CommandReason = (typeof commandReasons)[number]
