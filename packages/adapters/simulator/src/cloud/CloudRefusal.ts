import { randomUUID } from "node:crypto"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import { Data } from "effect"
import { AdapterError, type AdapterFailure } from "@edp/adapter-kit/AdapterError"

/** A response of the simulated manufacturer other than success. */
export class CloudRefusal extends Data.TaggedError("CloudRefusal")<{
  readonly status: number
  /** As in the responses of OAuth 2.0 and of the device API. */
  readonly code: string
  readonly message: string
  /** Seconds of the header Retry-After. */
  readonly retryAfter?: number
  /** Why a device refused a command. */
  readonly reason?: CommandReason
}> {}

const failures: Readonly<Record<string, AdapterFailure>> = {
  invalid_grant: "grant_lost",
  invalid_client: "misconfigured",
  unauthorized_client: "misconfigured",
  invalid_token: "token_refused",
  too_many_requests: "throttled",
  temporarily_unavailable: "vendor_fault",
  insufficient_scope: "scope_missing",
  plan_required: "plan_required",
  terms_not_accepted: "terms_not_accepted"
}

const obstacles: Readonly<Record<string, InterventionCode>> = {
  scope_missing: "scope_missing",
  plan_required: "plan_required",
  terms_not_accepted: "terms_not_accepted",
  pairing_required: "key_not_paired",
  precondition_storm_mode: "storm_mode"
}

const byReason: Partial<Readonly<Record<CommandReason, AdapterFailure>>> = {
  unreachable: "unreachable",
  pairing_required: "pairing_required",
  scope_missing: "scope_missing",
  quota_exhausted: "quota_exhausted"
}

/** A refusal as the platform's failure. `now`: milliseconds since 1970. */
export const toAdapterError = ({ code, message, reason, retryAfter, status }: CloudRefusal, now: number) =>
  AdapterError.of(
    (reason === undefined ? failures[code] : byReason[reason]) ?? (status >= 500 ? "vendor_fault" : "refused"),
    message,
    {
      upstream: { statusCode: status, errorCode: code, errorMessage: message, requestId: randomUUID() },
      retryAt: retryAfter === undefined ? null : now + retryAfter * 1000,
      intervention: obstacles[reason ?? code] ?? null,
      commandReason: reason ?? null
    }
  )
