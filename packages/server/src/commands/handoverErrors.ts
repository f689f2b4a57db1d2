import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { AdapterError, AdapterFailure } from "../adapters/AdapterError.ts"
import { type RetrySchedule, retryPause } from "../platform/jobs/retryPause.ts"

const reasons: Readonly<Record<AdapterFailure, CommandReason>> = {
  grant_lost: "scope_missing",
  token_refused: "scope_missing",
  throttled: "quota_exhausted",
  quota_exhausted: "quota_exhausted",
  unreachable: "unreachable",
  asleep: "asleep",
  refused: "refused",
  pairing_required: "pairing_required",
  scope_missing: "scope_missing",
  plan_required: "scope_missing",
  terms_not_accepted: "precondition_unmet",
  vendor_fault: "unreachable",
  contract: "refused",
  misconfigured: "unreachable",
  elsewhere: "unreachable"
}

/** The reason of a command that failed with an error for good. */
export const failureReason = ({ commandReason, failure }: AdapterError): CommandReason =>
  commandReason ?? reasons[failure]

const schedule: RetrySchedule = {
  pauses: [2, 5, 10, 20, 30, 60].map((seconds) => seconds * 1000),
  jitter: 0.2,
  longestAsked: 24 * 3_600_000
}

/** The pause before a command is handed over again, in milliseconds: 2 s at first, a minute at most unless the manufacturer asks for more. */
export const handoverPause = (failures: number, random: number, askedMs?: number): number =>
  retryPause(schedule, Math.min(failures, schedule.pauses.length), random, askedMs)!

const restoring: RetrySchedule = {
  pauses: [5, 10, 30, 60, 120, 300, 900].map((seconds) => seconds * 1000),
  jitter: 0.2,
  longestAsked: 24 * 3_600_000
}

/** The pause before settings are restored again, in milliseconds: a quarter of an hour at most unless the manufacturer asks for more. */
export const restorePause = (failures: number, random: number, askedMs?: number): number =>
  retryPause(restoring, Math.min(failures, restoring.pauses.length), random, askedMs)!
