import { Schema } from "effect"

/** The closed table of error codes: HTTP status, and whether the same request may succeed when it is repeated. */
export const errorCodes = {
  UNAUTHENTICATED: { status: 401, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  DEVICE_MODEL_MANUFACTURER_MISMATCH: { status: 403, retryable: false },
  DEVICE_NOT_OEM_DIRECT: { status: 403, retryable: false },
  MANUFACTURER_NOT_ALLOWED: { status: 403, retryable: false },
  VALIDATION_ERROR: { status: 400, retryable: false },
  INVALID_LOCATION: { status: 400, retryable: false },
  INVALID_STATE: { status: 400, retryable: false },
  INVALID_STATUS: { status: 400, retryable: false },
  INVALID_CRITERIA: { status: 400, retryable: false },
  CUSTOMER_NOT_CONNECTED_TO_SITE: { status: 400, retryable: false },
  DELETION_PROTECTION_ENABLED: { status: 400, retryable: false },
  SITE_ALREADY_EXISTS: { status: 400, retryable: false },
  DUPLICATE_NAME: { status: 400, retryable: false },
  DEVICE_MODEL_NOT_FOUND: { status: 400, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  CUSTOMER_NOT_FOUND: { status: 404, retryable: false },
  DEVICE_NOT_FOUND: { status: 404, retryable: false },
  SITE_NOT_FOUND: { status: 404, retryable: false },
  APIKEY_NOT_FOUND: { status: 404, retryable: false },
  WORKSPACE_NOT_FOUND: { status: 404, retryable: false },
  SCHEDULE_NOT_FOUND: { status: 404, retryable: false },
  COLLECTION_NOT_FOUND: { status: 404, retryable: false },
  SITE_NOT_IN_WORKSPACE: { status: 404, retryable: false },
  DEVICE_NOT_ASSOCIATED: { status: 404, retryable: false },
  DUPLICATE_CONNECTION: { status: 409, retryable: false },
  PARAMETER_MISMATCH: { status: 409, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  UNKNOWN_ERROR: { status: 500, retryable: true },
  LOCATION_SERVICE_ERROR: { status: 500, retryable: true },
  SERVICE_UNAVAILABLE: { status: 502, retryable: true }
} as const

export type ErrorCode = keyof typeof errorCodes

/** An error code as the value of a field. */
export const ErrorCode = Schema.Literals(Object.keys(errorCodes) as ReadonlyArray<ErrorCode>).annotate({
  identifier: "ErrorCode",
  description: "Machine readable and stable"
})
