import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { AdapterError, AdapterFailure } from "@edp/adapter-kit/AdapterError"
import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { type RetrySchedule, retryPause } from "../../platform/jobs/retryPause.ts"

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

/** Manufacturers whose devices are called in the operator's or a person's network, or dial the platform. */
export const localManufacturers = (manifests: ReadonlyArray<Manifest>): ReadonlySet<string> =>
  new Set(manifests.filter(({ authorization }) => authorization !== "oauth2").map(({ slug }) => slug))

const schedule: RetrySchedule = {
  pauses: [2, 5, 10, 20, 30, 60].map((seconds) => seconds * 1000),
  jitter: 0.2,
  longestAsked: 24 * 3_600_000
}

/** A device of the site, or one that dials the platform, gets its command soon after it can be reached again. */
const localSchedule: RetrySchedule = { ...schedule, pauses: [2, 5, 10].map((seconds) => seconds * 1000) }

/**
 * The pause before a command is sent again, in milliseconds: 2 s at first, then a minute at most, 10 s for a local device, unless the
 * manufacturer asks for more.
 */
export const handoverPause = (failures: number, random: number, isLocal: boolean, askedMs?: number): number => {
  const retries = isLocal ? localSchedule : schedule
  return retryPause(retries, Math.min(failures, retries.pauses.length), random, askedMs)!
}

const restoring: RetrySchedule = {
  pauses: [5, 10, 30, 60, 120, 300, 900].map((seconds) => seconds * 1000),
  jitter: 0.2,
  longestAsked: 24 * 3_600_000
}

const localRestoring: RetrySchedule = { ...restoring, pauses: restoring.pauses.slice(0, 3) }

/**
 * The pause before settings are restored again, in milliseconds: a quarter of an hour at most, 30 s for a local device, unless the manufacturer
 * asks for more.
 */
export const restorePause = (failures: number, random: number, isLocal: boolean, askedMs?: number): number => {
  const retries = isLocal ? localRestoring : restoring
  return retryPause(retries, Math.min(failures, retries.pauses.length), random, askedMs)!
}
