import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandDevice, CommandInput } from "../commandRow.ts"
import type { AdapterError, AdapterFailure } from "@edp/adapter-kit/AdapterError"
import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { type RetrySchedule, retryPause } from "../../platform/jobs/retryPause.ts"
import type { Upstream } from "@edp/domain/commands/Command"
import { storedText } from "../../accounts/devices/observedValues.ts"

/** Null: only a call finds out whether the device can be reached. */
const interventionReasons: Readonly<Record<InterventionCode, CommandReason | null>> = {
  key_not_paired: "pairing_required",
  scope_missing: "scope_missing",
  plan_required: "scope_missing",
  sign_in_again: "scope_missing",
  terms_not_accepted: "precondition_unmet",
  local_access_disabled: null,
  storm_mode: "precondition_storm_mode"
}

/** Milliseconds: a state that was seen longer ago may have changed. */
const KNOWN = 5 * 60_000

/** The precondition of a command that is known to be unmet, so that calling the manufacturer would be in vain. */
export const unmetPrecondition = (
  {
    at,
    interventions,
    interventionsAt,
    state
  }: Pick<CommandDevice, "at" | "interventions" | "interventionsAt" | "state">,
  type: CommandSlug,
  input: CommandInput,
  now: number
): CommandReason | undefined => {
  const isKnown = (seen: Date | null) => seen !== null && seen.getTime() > now - KNOWN
  const blocking = isKnown(interventionsAt) ? (interventions ?? []) : []
  for (const { blocks, code } of blocking) {
    const reason = interventionReasons[code]
    if (reason !== null && blocks.includes(type)) return reason
  }
  const isUnplugged = (state as { readonly isPluggedIn?: boolean } | null)?.isPluggedIn === false
  return input["operatingMode"] === "start-charging" && isKnown(at) && isUnplugged
    ? "precondition_not_plugged_in"
    : undefined
}

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

/** The longest texts that the contract allows. */
const CODE = 255
const MESSAGE = 10_000

const textOrNull = (text: string | null, longest: number) => (text === null ? null : storedText(text, longest))

/** A manufacturer's response as it is stored: without NUL and unpaired surrogates, and no longer than the contract allows. */
export const storedUpstream = (upstream: Upstream | null): Upstream | null =>
  upstream && {
    statusCode: upstream.statusCode,
    errorCode: textOrNull(upstream.errorCode, CODE),
    errorMessage: textOrNull(upstream.errorMessage, MESSAGE),
    requestId: textOrNull(upstream.requestId, CODE)
  }

const storedValue = (value: unknown): unknown => {
  if (typeof value === "string") return storedText(value, MESSAGE)
  if (Array.isArray(value)) return value.map(storedValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storedText(key, CODE), storedValue(item)]))
}

/** A command's output as it is stored. */
export const storedOutput = (output: CommandInput | null): CommandInput | null =>
  output && (storedValue(output) as CommandInput)
