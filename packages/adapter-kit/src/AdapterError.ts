import type { InterventionCode } from "@edp/domain/devices/Intervention"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { Data, Predicate } from "effect"

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
 * - `unreachable`: no connection or no response; `asleep`: the device sleeps and was not woken.
 * - `refused`: the manufacturer or the device refuses the request as it is now.
 * - `vendor_fault`: the manufacturer's service fails (5xx).
 * - `contract`: a response that the adapter does not understand.
 * - `misconfigured`: the operator's settings or the person's input are wrong.
 * - `elsewhere`: another instance holds the device's connection, the one that `holder` names.
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
  /** The external id of the account that is connected already, where that is why a new one cannot be. */
  readonly connectedAs: string | null
  /** The instance of the platform that can make the call, as its `AdapterHost.instance`; null if that is not known. */
  readonly holder: string | null
}> {
  static readonly of = (
    failure: AdapterFailure,
    message: string,
    more: Partial<
      Pick<AdapterError, "retryAt" | "upstream" | "intervention" | "commandReason" | "connectedAs" | "holder">
    > = {}
  ) =>
    new AdapterError({
      failure,
      message,
      retryAt: null,
      upstream: null,
      intervention: null,
      commandReason: null,
      connectedAs: null,
      holder: null,
      ...more
    })
}

/** Whether something is an `AdapterError`, whichever copy of the kit made it. */
export const isAdapterError = (error: unknown): error is AdapterError => Predicate.isTagged(error, "AdapterError")

/** For a person who enters the id of a device with an inbound connection. It does not indicate whether the device is connected, and where. */
export const ID_TAKEN =
  "This id can't be used, because a device with it is connected or being connected. Enter another one, or leave the field empty to get one."

/** Whether the same call may succeed later without anybody's doing. */
export const isTransient = ({ failure }: AdapterError): boolean =>
  ["token_refused", "throttled", "quota_exhausted", "unreachable", "asleep", "vendor_fault", "elsewhere"].includes(
    failure
  )
