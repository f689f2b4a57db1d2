import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { AdapterError, AdapterFailure } from "@edp/adapter-kit/AdapterError"

const byFailure: Readonly<Record<AdapterFailure, ConnectError>> = {
  grant_lost: "access_denied",
  token_refused: "access_denied",
  refused: "access_denied",
  scope_missing: "access_denied",
  plan_required: "access_denied",
  terms_not_accepted: "access_denied",
  pairing_required: "access_denied",
  throttled: "manufacturer_unavailable",
  quota_exhausted: "manufacturer_unavailable",
  unreachable: "manufacturer_unavailable",
  asleep: "manufacturer_unavailable",
  vendor_fault: "manufacturer_unavailable",
  elsewhere: "manufacturer_unavailable",
  contract: "server_error",
  misconfigured: "configuration_error"
}

/** The meaning of a failed call to a manufacturer for the person. */
export const toConnectError = ({ failure }: AdapterError): ConnectError => byFailure[failure]

const byParameter: Readonly<Record<string, ConnectError>> = {
  access_denied: "access_denied",
  user_cancelled: "access_denied",
  consent_required: "access_denied",
  interaction_required: "access_denied",
  login_required: "access_denied",
  account_selection_required: "access_denied",
  temporarily_unavailable: "manufacturer_unavailable",
  server_error: "manufacturer_unavailable",
  invalid_request: "configuration_error",
  invalid_client: "configuration_error",
  invalid_scope: "configuration_error",
  unauthorized_client: "configuration_error",
  unsupported_response_type: "configuration_error"
}

/** The meaning of `error` in a callback (RFC 6749, 4.1.2.1, and OpenID Connect). Manufacturers add errors of their own. */
export const callbackError = (error: string): ConnectError =>
  Object.hasOwn(byParameter, error) ? byParameter[error]! : "server_error"
