/** The specification's table of errors: status, code, and the field that the body has besides code and message. */
export const errorTable = [
  [401, "UNAUTHENTICATED"],
  [403, "FORBIDDEN"],
  [403, "DEVICE_MODEL_MANUFACTURER_MISMATCH"],
  [403, "DEVICE_NOT_OEM_DIRECT"],
  [403, "MANUFACTURER_NOT_ALLOWED"],
  [400, "VALIDATION_ERROR", "details"],
  [400, "INVALID_LOCATION"],
  [400, "INVALID_STATE"],
  [400, "INVALID_STATUS"],
  [400, "INVALID_CRITERIA"],
  [400, "CUSTOMER_NOT_CONNECTED_TO_SITE"],
  [400, "DELETION_PROTECTION_ENABLED"],
  [400, "SITE_ALREADY_EXISTS"],
  [400, "DUPLICATE_NAME"],
  [400, "DEVICE_MODEL_NOT_FOUND"],
  [404, "NOT_FOUND"],
  [404, "CUSTOMER_NOT_FOUND"],
  [404, "DEVICE_NOT_FOUND"],
  [404, "SITE_NOT_FOUND"],
  [404, "APIKEY_NOT_FOUND"],
  [404, "WORKSPACE_NOT_FOUND"],
  [404, "SCHEDULE_NOT_FOUND"],
  [404, "COLLECTION_NOT_FOUND"],
  [404, "SITE_NOT_IN_WORKSPACE"],
  [404, "DEVICE_NOT_ASSOCIATED"],
  [409, "DUPLICATE_CONNECTION"],
  [409, "PARAMETER_MISMATCH", "mismatchedFields"],
  [429, "RATE_LIMITED", "retryAfter"],
  [500, "UNKNOWN_ERROR"],
  [500, "LOCATION_SERVICE_ERROR"],
  [502, "SERVICE_UNAVAILABLE"]
] as const satisfies ReadonlyArray<readonly [status: number, code: string, extraField?: string]>

export type Code = (typeof errorTable)[number][1]

/** Codes of resources that the service does not have: no endpoint can return them. */
export const notAnswered: ReadonlyArray<Code> = []

/** The errors that the specification lists for the two calls of manufacturers, and no others. */
export const listedErrors: Readonly<Record<string, ReadonlyArray<Code>>> = {
  "POST /devices": [
    "VALIDATION_ERROR",
    "DEVICE_MODEL_NOT_FOUND",
    "SITE_NOT_FOUND",
    "DEVICE_MODEL_MANUFACTURER_MISMATCH",
    "PARAMETER_MISMATCH"
  ],
  "POST /devices/:id/telemetry": [
    "DEVICE_NOT_FOUND",
    "DEVICE_NOT_OEM_DIRECT",
    "MANUFACTURER_NOT_ALLOWED",
    "DEVICE_NOT_ASSOCIATED",
    "VALIDATION_ERROR"
  ]
}

/** The errors of every endpoint. */
export const everywhere: ReadonlyArray<Code> = [
  "UNAUTHENTICATED",
  "RATE_LIMITED",
  "UNKNOWN_ERROR",
  "SERVICE_UNAVAILABLE"
]
