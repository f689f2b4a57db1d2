import { AdapterError, type AdapterFailure, type Upstream } from "../AdapterError.ts"
import { boundedText, type HttpResponse, retryAfterHeader } from "../http/httpResponse.ts"
import { isRecord } from "./tokenResponse.ts"

/** Errors of RFC 6749, OpenID Connect and RFC 8707 by their meaning for the platform. */
const failures: Readonly<Record<string, AdapterFailure>> = {
  invalid_grant: "grant_lost",
  access_denied: "refused",
  login_required: "refused",
  consent_required: "refused",
  interaction_required: "refused",
  account_selection_required: "refused",
  server_error: "vendor_fault",
  temporarily_unavailable: "vendor_fault",
  slow_down: "throttled",
  invalid_client: "misconfigured",
  invalid_request: "misconfigured",
  invalid_scope: "misconfigured",
  invalid_target: "misconfigured",
  unauthorized_client: "misconfigured",
  unsupported_grant_type: "misconfigured",
  unsupported_response_type: "misconfigured"
}

/** The meaning of a response. The status of an overloaded or failing server counts more than its text. */
const failureFromResponse = (
  status: number,
  code: string | null,
  lostGrants: ReadonlyArray<string>
): AdapterFailure => {
  if (status === 429) return "throttled"
  if (status >= 500 || status === 408) return "vendor_fault"
  if (code === null) return "contract"
  return lostGrants.includes(code) ? "grant_lost" : (failures[code] ?? "contract")
}

const text = (value: unknown) => (typeof value === "string" ? value : null)

/** Replaces secrets, which a server may repeat in its response. */
const withoutSecrets = (value: string | null, secrets: ReadonlyArray<string>): string | null =>
  value === null
    ? null
    : secrets.filter((secret) => secret !== "").reduce((clean, secret) => clean.replaceAll(secret, "<redacted>"), value)

/**
 * The error of a response of a token or revocation endpoint that is no success.
 *
 * @param lostGrants Further error codes with which the manufacturer says that the grant has ended.
 * @param secrets Values that must not appear in the error.
 */
export const failureFromTokenResponse = (
  { body, headers, status }: HttpResponse,
  context: {
    readonly manufacturer: string
    readonly lostGrants: ReadonlyArray<string>
    readonly secrets: ReadonlyArray<string>
    readonly now: number
  }
): AdapterError => {
  const { lostGrants, manufacturer, now, secrets } = context
  const clean = (value: unknown, maximum: number) => boundedText(withoutSecrets(text(value), secrets), maximum)
  const code = isRecord(body) ? text(body["error"]) : null
  const upstream: Upstream = {
    statusCode: status,
    errorCode: clean(code, 255),
    errorMessage: isRecord(body) ? clean(body["error_description"], 10_000) : null,
    requestId: clean(headers["x-request-id"], 255)
  }
  const isSuccess = status >= 200 && status < 300
  const failure = isSuccess ? "contract" : failureFromResponse(status, code, lostGrants)
  const message = isSuccess
    ? `${manufacturer} answered with tokens that are not understood`
    : `${manufacturer} refused to issue tokens: ${upstream.errorCode ?? `HTTP status ${status}`}`
  return AdapterError.of(failure, message, {
    upstream,
    retryAt: retryAfterHeader(headers["retry-after"], now),
    intervention: failure === "grant_lost" ? "sign_in_again" : null
  })
}

/** The error with which the manufacturer sent the person back (RFC 6749, 4.1.2.1). */
export const failureFromCallback = (
  manufacturer: string,
  { error, error_description }: Readonly<Record<string, string | undefined>>
): AdapterError =>
  AdapterError.of(
    failures[error ?? ""] ?? "refused",
    `${manufacturer} sent the person back with ${boundedText(error, 255) ?? "no code"}`,
    {
      upstream: {
        statusCode: null,
        errorCode: boundedText(error, 255),
        errorMessage: boundedText(error_description, 10_000),
        requestId: null
      }
    }
  )
