import type { InterventionCode } from "@edp/domain/devices/Intervention"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { Data } from "effect"

/** The manufacturer's response, verbatim, as commands and accounts store it. */
export interface Upstream {
  readonly statusCode: number | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly requestId: string | null
}

/**
 * Why a call to a manufacturer or a device failed.
 *
 * - `grant_lost`: the person's permission ended; only a new sign-in helps.
 * - `token_refused`: the access token is not accepted; the same call may succeed after a refresh.
 * - `throttled`: too many calls; the next one not before `retryAt`.
 * - `quota_exhausted`: the paid or daily allowance is used up until `retryAt`.
 * - `unreachable`: no connection or no answer; `asleep`: the device sleeps and was not woken.
 * - `refused`: the manufacturer or the device refuses the request as it is now.
 * - `vendor_fault`: the manufacturer's service fails (5xx).
 * - `contract`: an answer that the adapter does not understand.
 * - `misconfigured`: the operator's settings or the person's input are wrong.
 * - `elsewhere`: another instance holds the device's connection.
 */
export type AdapterFailure =
  | "grant_lost"
  | "token_refused"
  | "throttled"
  | "quota_exhausted"
  | "unreachable"
  | "asleep"
  | "refused"
  | "pairing_required"
  | "scope_missing"
  | "plan_required"
  | "terms_not_accepted"
  | "vendor_fault"
  | "contract"
  | "misconfigured"
  | "elsewhere"

/** A failed call. `AdapterError.make` fills what is not known. */
export class AdapterError extends Data.TaggedError("AdapterError")<{
  readonly failure: AdapterFailure
  /** For logs and operators; no secrets. */
  readonly message: string
  /** Milliseconds since 1970 before which the call must not be repeated; null if the manufacturer names no time. */
  readonly retryAt: number | null
  readonly upstream: Upstream | null
  /** The obstacle that a person has to remove. */
  readonly intervention: InterventionCode | null
  /** The reason for a command that failed with this error; null: it follows from `failure`. */
  readonly commandReason: CommandReason | null
}> {
  static readonly of = (
    failure: AdapterFailure,
    message: string,
    more: Partial<Pick<AdapterError, "retryAt" | "upstream" | "intervention" | "commandReason">> = {}
  ) =>
    new AdapterError({
      failure,
      message,
      retryAt: null,
      upstream: null,
      intervention: null,
      commandReason: null,
      ...more
    })
}

/** Whether the same call may succeed later without anybody's doing. */
export const isTransient = ({ failure }: AdapterError): boolean =>
  ["token_refused", "throttled", "quota_exhausted", "unreachable", "asleep", "vendor_fault", "elsewhere"].includes(
    failure
  )
